/**
 * The key by which indexes of web archives are sorted and searched: the Sort-friendly URI Reordering Transform of a URL
 * in the Internet Archive's canonical form, `com,example)/path?a=1&b=2`. Replay tools (pywb, OpenWayback) make it of
 * the URL that a person requests, so it must be exactly theirs: it makes many URLs one that are not the same page for
 * us (`url/canonical.ts`), and is used for nothing but lookups in an index.
 *
 * Against our canonical form it drops scheme, a leading `www.` or `www2.`, empty path segments, a slash at
 * the end, an empty query and session ids; is lower case throughout; decodes percent-encodings, nested ones
 * too, and encodes all but printable ASCII, `#` and `%`; and orders the query's parameters.
 */
import { canonicalize } from '../url/canonical.ts';
import { routeOf } from '../url/hash-route.ts';
import { hostKey, hostName, pathOf } from '../url/host-key.ts';

/**
 * Printable ASCII without a space. A text that is not an http(s) URL is its own key. A route behind `#`, which no browser
 * sends, stays at the end, as it is: replay tools find the page of a URL, and not the routes that are shown there.
 */
export function surt(url: string): string {
  const canonical = canonicalize(url);
  if (canonical === undefined) return escapeOctets(Buffer.from(url).toString('latin1'));
  const pathAndQuery = pathOf(canonical);
  const mark = pathAndQuery.indexOf('?');
  const path = mark < 0 ? pathAndQuery : pathAndQuery.slice(0, mark);
  const query = mark < 0 ? '' : queryKey(pathAndQuery.slice(mark + 1));
  return `${hostPart(canonical)})${pathKey(path)}${query === '' ? '' : `?${query}`}${routeOf(url) ?? ''}`;
}

function hostPart(canonical: string): string {
  const key = hostKey(canonical);
  const name = hostName(key);
  const port = key.length === name.length ? '' : (/:\d+$/.exec(key.slice(name.length))?.[0] ?? '');
  return reversed(ODD_HOST.test(name) ? plainHost(name) : name) + port;
}

/** Labels from the last one on, with commas. */
function reversed(name: string): string {
  let text = '';
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    text += `${name.slice(dot + 1, end)},`;
    end = dot;
  }
  return text + name.slice(0, end);
}

const ODD_HOST = /^www|^\.|\.\.|\.$/;

const plainHost = (name: string): string =>
  name
    .replaceAll('..', '.')
    .replace(/^\.+/, '')
    .replace(/(?<!\.)\.+$/, '')
    .replace(/^www\d*\./, '');

/** Canonical paths are printable ASCII without `#`. Most have no octets to decode, and no segments that are left out. */
const pathKey = (path: string): string =>
  withoutEndSlash(withoutPathSession(ODD_PATH.test(path) ? tidyPath(path) : path.toLowerCase()));

const ODD_PATH = /%|\/\/|\/\./;

const withoutEndSlash = (key: string): string =>
  key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key;

function tidyPath(path: string): string {
  const kept: string[] = [];
  for (const segment of unescapeAll(path).split('/').slice(1)) {
    if (segment === '.') continue;
    // `..` that leads above the root stays. (Only an encoded one gets here.)
    if (segment === '..' && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const last = kept.pop() ?? '';
  const folders = kept.filter((segment) => segment !== '').map((segment) => `${segment}/`);
  return escapeOctets(`/${folders.join('')}${last}`).toLowerCase();
}

function queryKey(query: string): string {
  const octets = query.includes('%') ? escapeOctets(unescapeAll(query)) : query;
  const key = withoutQuerySession(octets.toLowerCase());
  if (key.length <= 1 || !key.includes('&')) return key;
  const parameters = key.split('&').map((text) => {
    const equals = text.indexOf('=');
    return equals < 0 ? { text, name: text, value: '' } : { text, ...nameAndValue(text, equals) };
  });
  parameters.sort((a, b) => compare(a.name, b.name) || compare(a.value, b.value));
  return parameters.map(({ text }) => text).join('&');
}

/** The value with its `=`, so that no value comes before an empty one. */
const nameAndValue = (text: string, equals: number) => ({
  name: text.slice(0, equals),
  value: text.slice(equals),
});

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Decodes octets until none are left: `%2541` is `A`. Each octet becomes one character. Time linear in the
 * length.
 */
function unescapeAll(text: string): string {
  if (!text.includes('%')) return text;
  const octets: number[] = [];
  for (let i = 0; i < text.length; i++) {
    octets.push(text.charCodeAt(i));
    // The character that this octet completes may itself complete another one.
    while (octets.at(-3) === PERCENT) {
      const value = Number(`0x${String.fromCharCode(octets.at(-2)!, octets.at(-1)!)}`);
      if (!isHex(octets.at(-2)!) || !isHex(octets.at(-1)!)) break;
      octets.splice(-3, 3, value);
    }
  }
  return Buffer.from(octets).toString('latin1');
}

const PERCENT = 0x25;

function isHex(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

/** Encodes all octets but printable ASCII without `#` and `%`. */
const escapeOctets = (octets: string): string =>
  octets.replace(/[^!-~]|[#%]/g, (octet) => `%${octet.charCodeAt(0).toString(16).padStart(2, '0')}`);

const ASP_SESSION = /^\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)$/;

/**
 * ASP.NET's cookieless sessions: `/(S(4hqa0555fwsecu455xqckv45))/page.aspx`. Of several the last of each kind
 * goes.
 */
function withoutPathSession(path: string): string {
  if (!path.includes('.aspx')) return path;
  return [true, false].reduce((left, isNested) => withoutSegment(left, isNested), path);
}

function withoutSegment(path: string, isNested: boolean): string {
  for (let end = path.lastIndexOf('/'); end > 0; ) {
    const start = path.lastIndexOf('/', end - 1);
    const segment = path.slice(start + 1, end);
    const rest = path.slice(end + 1);
    if (ASP_SESSION.test(segment) && segment.startsWith('(', 2) === isNested && isAspPage(rest))
      return path.slice(0, start + 1) + rest;
    end = start;
  }
  return path;
}

/** Whether `.aspx` comes after at least one character, and before any `?`. */
function isAspPage(text: string): boolean {
  const mark = text.indexOf('?');
  const at = text.indexOf('.aspx', 1);
  return at > 0 && (mark < 0 || at < mark);
}

/**
 * Each takes the last one of its kind that ends with the query or at a `&`. What stood before its `&` stays
 * as it was.
 */
const QUERY_SESSIONS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/s,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/s,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/s,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/s,
];

function withoutQuerySession(query: string): string {
  if (!query.includes('id=') && !query.includes('aspsessionid')) return query;
  const left = QUERY_SESSIONS.reduce((text, session) => {
    const match = session.exec(text);
    return match ? match[1]! + (match[2] ?? '') : text;
  }, query);
  return withoutColdFusionSession(left);
}

/** `cfid=1&cftoken=2`. By hand: as an expression it takes quadratic time on `cfid=cfid=cfid=`. */
function withoutColdFusionSession(query: string): string {
  const parameters = query.split('&');
  for (let i = parameters.length - 2; i >= 0; i--) {
    const [id, token] = [parameters[i]!, parameters[i + 1]!];
    // At least one character follows.
    const at = id.lastIndexOf('cfid=', id.length - 6);
    if (id.length < 6 || at < 0 || !/^cftoken=./.test(token)) continue;
    const before = [...parameters.slice(0, i), id.slice(0, at)].join('&');
    return before + parameters.slice(i + 2).join('&');
  }
  return query;
}

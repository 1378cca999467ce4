/**
 * Reads robots.txt (RFC 9309, sections 2.1 and 2.2): any bytes are a valid file; lines without meaning are
 * skipped.
 */
import { fieldReference } from '../url/field-reference.ts';
import { combinedValue, readContentSignal, readContentUsage } from '../usage/usage-values.ts';
import { normalPattern } from './pattern.ts';
import type { RobotsRule, RobotsRules, UsageRule } from './robots-rules.ts';

/** Bytes of robots.txt that are read: 1 MiB. RFC 9309, section 2.5, requires 500 KiB at least. */
export const MAX_ROBOTS_BYTES = 1_048_576;
/** A longer line is cut, as Google's parser does: at eight times the longest URL of Internet Explorer. */
const MAX_LINE = 2083 * 8 - 1;

/**
 * Returns the part of a User-Agent that is compared with robots.txt: its leading letters, `_` and `-`; '' if
 * it has none.
 */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? '';
}

/**
 * By what name robots.txt and pages call the crawler of that User-Agent, also where it stands behind a
 * browser's.
 */
export function robotName(userAgent: string): string {
  return productToken(/^Mozilla\/[\d.]+ \(compatible; *([^;)]+)/i.exec(userAgent)?.[1] ?? userAgent);
}

/** The rules of all groups for one product token, or of all for `*`. */
interface Group {
  /** By kind and pattern: a repeated rule counts once, where it stands first. */
  readonly rules: Map<string, RobotsRule>;
  /** By signal and pattern: what several lines forbid is forbidden. */
  readonly usage: Map<string, UsageRule>;
  crawlDelayMs?: number;
}

/** Licences kept of a robots.txt, and the characters of each. */
const MAX_LICENSES = 8;
const MAX_LICENSE = 2083;

/**
 * Reads the body of a robots.txt, content coding undone, for the crawler that calls itself `ourToken`: the
 * groups that name it, merged, or, if none does, those for `*`. To show that a longer file was cut, hand in
 * at least one byte more than `MAX_ROBOTS_BYTES`: the line that was cut is then dropped.
 *
 * A group begins with `User-agent` lines and ends where another one follows a rule. Records of other kinds, known or
 * not, neither begin nor end a group (section 2.2.4). So `Crawl-delay`, which is not in the standard, does not end a
 * group; but it applies only to the agents named right before it, as authors mean who write one delay for `*` and
 * another for a bot. So are `Content-Usage` (draft-ietf-aipref-attach, section 5) and `Content-Signal`. `License` (RSL)
 * belongs to no group.
 */
export function parseRobots(body: Uint8Array, ourToken: string): RobotsRules {
  const token = productToken(ourToken).toLowerCase();
  const ours: Group = { rules: new Map(), usage: new Map() };
  const everyone: Group = { rules: new Map(), usage: new Map() };
  const groupOf = (agent: string): Group | undefined => {
    if (/^\*([ \t]|$)/.test(agent)) return everyone;
    // The rest after the token is ignored: `ExampleBot/2.1` names ExampleBot.
    return token !== '' && productToken(agent).toLowerCase() === token ? ours : undefined;
  };
  const sitemaps = new Set<string>();
  const licenses = new Set<string>();
  let isNamed = false;
  let ruled = new Set<Group>();
  let hasRules = false;
  let delayed = new Set<Group>();
  let hasDelay = false;

  for (const [index, text] of linesOf(body).entries()) {
    const { name, value } = readRecord(text.slice(0, MAX_LINE));
    switch (name) {
      case 'user-agent': {
        if (hasRules) ruled = new Set();
        if (hasRules || hasDelay) delayed = new Set();
        hasRules = false;
        hasDelay = false;
        const group = groupOf(value);
        if (group === undefined) break;
        ruled.add(group);
        delayed.add(group);
        isNamed ||= group === ours;
        break;
      }
      case 'allow':
      case 'disallow':
        hasRules = true;
        addRule(ruled, name === 'allow', value, index + 1);
        break;
      case 'crawl-delay':
        hasDelay = true;
        addDelay(delayed, value);
        break;
      case 'content-usage':
      case 'content-signal':
        hasDelay = true;
        addUsage(delayed, name, value);
        break;
      case 'license':
        if (value !== '' && value.length <= MAX_LICENSE && licenses.size < MAX_LICENSES)
          licenses.add(Buffer.from(value, 'latin1').toString('utf8'));
        break;
      case 'sitemap':
        if (value !== '') sitemaps.add(fieldReference(value));
    }
  }

  // A group that names us keeps us out of those for `*`, even if it has no rules.
  const { rules, crawlDelayMs, usage } = isNamed ? ours : everyone;
  const uses = [...usage.values()].sort((a, b) => b.pattern.length - a.pattern.length);
  for (const value of licenses) uses.push({ signal: 'license', pattern: '/', value });
  return {
    rules: [...rules.values()].sort(byPrecedence),
    ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
    sitemaps: [...sitemaps],
    ...(uses.length > 0 && { usage: uses }),
  };
}

function addRule(groups: ReadonlySet<Group>, allow: boolean, value: string, line: number): void {
  // Every path begins with a slash: other patterns match nothing, least of all an empty one.
  if (groups.size === 0 || !/^[/*]/.test(value)) return;
  const pattern = normalPattern(value);
  const key = (allow ? '+' : '-') + pattern;
  for (const { rules } of groups) if (!rules.has(key)) rules.set(key, { allow, pattern, line });
}

function addDelay(groups: ReadonlySet<Group>, value: string): void {
  const seconds = /^(\d{1,9}(\.\d*)?|\.\d+)([ \t]|$)/.exec(value)?.[1];
  if (seconds === undefined) return;
  const delayMs = Math.round(Number(seconds) * 1000);
  for (const group of groups) group.crawlDelayMs = Math.max(group.crawlDelayMs ?? 0, delayMs);
}

/** A value of Content-Usage that begins with a slash begins with a path, which a blank ends. */
function addUsage(
  groups: ReadonlySet<Group>,
  signal: 'content-usage' | 'content-signal',
  text: string,
): void {
  if (groups.size === 0) return;
  const hasPath = signal === 'content-usage' && text.startsWith('/');
  const end = hasPath ? text.search(/[ \t]|$/) : 0;
  const read = signal === 'content-usage' ? readContentUsage : readContentSignal;
  const value = read(trimBlanks(text.slice(end)));
  const pattern = hasPath ? normalPattern(text.slice(0, end)) : '/';
  const key = `${signal} ${pattern}`;
  for (const { usage } of groups)
    usage.set(key, { signal, pattern, value: combinedValue(usage.get(key)?.value ?? '', value) });
}

function byPrecedence(a: RobotsRule, b: RobotsRule): number {
  return b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow) || a.line - b.line;
}

/** The lines, one character an octet, so that bytes that are not UTF-8 do no harm. */
function linesOf(file: Uint8Array): string[] {
  const body = asUtf8(file);
  const lines = Buffer.from(body.subarray(0, MAX_ROBOTS_BYTES))
    .toString('latin1')
    .split(/\r\n|\n|\r/);
  const next = body[MAX_ROBOTS_BYTES];
  if (file.length > MAX_ROBOTS_BYTES && next !== 0x0a && next !== 0x0d) lines.pop();
  return lines;
}

/**
 * RFC 9309 asks for UTF-8, but some editors save text as UTF-16, with or without a byte order mark. Its owner's rules
 * count all the same. What is half a character at the end, where the file was cut, is left out.
 */
function asUtf8(body: Uint8Array): Uint8Array {
  const mark = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff) ? 2 : 0;
  const isLittle = isAsciiUnits(body, mark, 0);
  const isBig = isAsciiUnits(body, mark, 1);
  if (!isLittle && !isBig) return body;
  const units = Buffer.from(body.subarray(0, body.length & ~1));
  return Buffer.from((isBig ? units.swap16() : units).toString('utf16le'));
}

/** Whether two ASCII letters stand there as UTF-16: the first octets of a file in no charset may be those of a mark, or a NUL. */
const isAsciiUnits = (body: Uint8Array, at: number, low: 0 | 1): boolean =>
  [at, at + 2].every((unit) => body[unit + low]! > 0 && body[unit + 1 - low] === 0);

/** Misspelled names of records that Google's parser and crawler-commons accept. */
const MISSPELT: ReadonlyMap<string, string> = new Map([
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawldelay', 'crawl-delay'],
  ['site-map', 'sitemap'],
]);

function readRecord(line: string): { readonly name: string; readonly value: string } {
  const hash = line.indexOf('#');
  const text = trimBlanks(hash < 0 ? line : line.slice(0, hash));
  const colon = text.indexOf(':');
  // Without a colon, two words are treated as name and value, as Google's parser does.
  const words = colon < 0 ? text.split(/[ \t]+/, 3) : [text.slice(0, colon), text.slice(colon + 1)];
  const [name = '', value = ''] = words.length === 2 ? words.map(trimBlanks) : [];
  return { name: MISSPELT.get(name.toLowerCase()) ?? name.toLowerCase(), value };
}

/** A no-break space, a space of no width and a byte order mark, as the octets of UTF-8. */
const UNSEEN_BLANKS = ['\xc2\xa0', '\xe2\x80\x8b', '\xef\xbb\xbf'];

/**
 * Without the blanks around it, also those that come with text copied from a page, or where files were joined. `trim`
 * would also take 0xA0 alone, the last octet of `à` in UTF-8.
 */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  for (let size = 1; start < end && size > 0; start += size)
    size = isBlank(text.charCodeAt(start)) ? 1 : unseenAt((blank) => text.startsWith(blank, start));
  for (let size = 1; end > start && size > 0; end -= size)
    size = isBlank(text.charCodeAt(end - 1)) ? 1 : unseenAt((blank) => text.endsWith(blank, end));
  return text.slice(start, end);
}

const unseenAt = (isThere: (blank: string) => boolean): number => UNSEEN_BLANKS.find(isThere)?.length ?? 0;

function isBlank(octet: number): boolean {
  return octet === 0x20 || octet === 0x09;
}

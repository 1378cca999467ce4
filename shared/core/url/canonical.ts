/**
 * The canonical form of a URL: what is compared, stored and fetched. Two spellings become one only where a standard
 * says that they are equal; a URL that could be another page stays another URL.
 *
 * - The WHATWG URL Standard's parser and serializer: lower-case scheme and host, IDNA, no default port, no
 *   dot segments, an empty path as `/`.
 * - No fragment (it never reaches the server) and no user information.
 * - One spelling of percent-encoding: RFC 3986, section 6.2.2 (see `foldPercent`).
 *
 * A redirect from a canonical URL to another spelling of itself is followed to that one ({@link urlAsWritten}).
 *
 * An empty query (`/a?`) stays apart from none (RFC 3986, section 6.2.3). Path parameters, order of query
 * parameters and tracking parameters are left alone.
 */
import { flatCopy, flatJoined } from '../base/flat-text.ts';
import { foldPercent } from './fold-percent.ts';
import { hostKey, hostName, origin } from './host-key.ts';
import { isHostTooLong, isWrittenTooLong } from './parse-url.ts';

/**
 * Grows whenever some URL's canonical form changes, or what a URL rule does: fingerprints made under another
 * version do not compare. 2: the URL rules (`url-rules.ts`), some of which are on by default.
 */
export const URL_RULES_VERSION = 2;

/**
 * The canonical form of `input`, read relative to `base` if there is one; undefined if the result is not an http or
 * https URL (or `base` is not a URL), or if its host name is longer than DNS allows. Printable ASCII, and its own
 * canonical form. Never throws.
 */
export function canonicalize(input: string, base?: string): string | undefined {
  if (base === undefined && isPlainUrl(input)) return flatCopy(input);
  const href = isWrittenTooLong(input) ? undefined : URL.parse(input, base)?.href;
  const url = href === undefined ? undefined : fold(href);
  // Where the parser changes nothing, Node's `href` is the input itself.
  return url === undefined ? undefined : flatCopy(url);
}

/**
 * The URL as {@link canonicalize} gives it, but with its percent-encoding as written: for a server that knows a page by one
 * spelling of its URL alone, and redirects from all others.
 */
export function urlAsWritten(input: string, base?: string): string | undefined {
  const href = isWrittenTooLong(input) ? undefined : URL.parse(input, base)?.href;
  return href === undefined ? undefined : withoutExtras(href);
}

/**
 * {@link canonicalize} for many references to one base, with the same results. The commonest references are
 * joined to the base as text: 0.05 to 0.2 us instead of 0.5, and those with space around them, letters or octets beyond
 * ASCII 0.5 instead of 2.
 */
export function createResolver(baseUrl: string): (reference: string) => string | undefined {
  const base = canonicalize(baseUrl);
  if (base === undefined) return (reference) => canonicalize(reference, baseUrl);
  const site = origin(base);
  const scheme = site.slice(0, site.indexOf('/'));
  const query = base.indexOf('?');
  const page = query < 0 ? base : base.slice(0, query);
  const folder = page.slice(0, page.lastIndexOf('/') + 1);

  return (reference) => {
    const hash = reference.indexOf('#');
    const text = hash < 0 ? reference : reference.slice(0, hash);
    if (text === '') return base;
    const joined = join(text) ?? joinOdd(text, hash >= 0);
    return joined ?? canonicalize(reference, baseUrl);
  };

  /** A reference with space around it or letters beyond ASCII. */
  function joinOdd(text: string, hasFragment: boolean): string | undefined {
    const plain = withEncodedLetters(hasFragment ? text.replace(LEADING_SPACE, '') : trimmed(text));
    return plain === undefined || plain === text || plain === '' ? undefined : join(plain);
  }

  /** Flat. */
  function join(text: string): string | undefined {
    if (text.startsWith('//')) return plainUrl(flatJoined(scheme, text));
    if (text.startsWith('http')) return isPlainUrl(text) ? flatCopy(text) : undefined;
    if (text.startsWith('.')) return joinAbove(text);
    if (!isPlainRest(text)) return undefined;
    if (text.startsWith('/')) return flatJoined(site, text);
    if (text.startsWith('?')) return flatJoined(page, text);
    return text.includes(':') ? undefined : flatJoined(folder, text);
  }

  /** A reference to this folder or to folders above it: `../../a.html`. */
  function joinAbove(text: string): string | undefined {
    let at = 0;
    let end = folder.length;
    for (;;) {
      if (text.startsWith('./', at)) at += 2;
      else if (text.startsWith('../', at)) {
        at += 3;
        // Nothing is above the root.
        if (end > site.length + 1) end = folder.lastIndexOf('/', end - 2) + 1;
      } else break;
    }
    const rest = text.slice(at);
    if (rest.startsWith('.') || !isPlainRest(rest)) return undefined;
    return rest === '' ? flatCopy(folder.slice(0, end)) : flatJoined(folder.slice(0, end), rest);
  }
}

/** From a serialized URL to the canonical one. */
function fold(href: string): string | undefined {
  const url = withoutExtras(href);
  return url === undefined ? undefined : foldPercent(url);
}

/** A serialized http(s) URL without fragment and user information. Undefined for other schemes and for hosts that are too long. */
function withoutExtras(href: string): string | undefined {
  const hostAt = href.startsWith('https://') ? 8 : href.startsWith('http://') ? 7 : 0;
  if (hostAt === 0) return undefined;
  // As the parser writes it, the first `#` begins the fragment, and an `@` before the path ends the user
  // information.
  const hash = href.indexOf('#');
  let url = hash < 0 ? href : href.slice(0, hash);
  const at = url.indexOf('@');
  if (at >= 0 && at < url.indexOf('/', hostAt)) url = url.slice(0, hostAt) + url.slice(at + 1);
  return hasLongHost(url) ? undefined : url;
}

// Plain: what the parser gives back as it is. A host of labels that are neither IDNA nor numbers, or an IPv4 address;
// perhaps a port that is not a scheme's default; then characters that no percent-encode set holds, and octets beyond
// ASCII as they are written in the canonical form, without a segment that begins with a dot.
const PLAIN_URL =
  /^https?:\/\/(?:(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!\D)|(?=[:/]))){4})(?::(?:[1-9]\d{3}|[1-5]\d{4}))?\/[\w\-.~!$&()*+,;=:@/?]*(?:%[89A-F][\dA-F][\w\-.~!$&()*+,;=:@/?]*)*$/;
const PLAIN_REST = /^[\w\-.~!$&()*+,;=:@/?]*(?:%[89A-F][\dA-F][\w\-.~!$&()*+,;=:@/?]*)*$/;
/** Keeps the expressions' work and stack small; longer texts go the parser's way. */
const MAX_PLAIN_LENGTH = 4096;

/** Whether the text is an http(s) URL that its parser would give back as it is: one of the commonest kinds of URL. */
export const isPlainUrl = (text: string): boolean =>
  text.length <= MAX_PLAIN_LENGTH && PLAIN_URL.test(text) && !text.includes('/.') && !hasLongHost(text);

const plainUrl = (text: string): string | undefined => (isPlainUrl(text) ? text : undefined);

const isPlainRest = (text: string): boolean =>
  text.length <= MAX_PLAIN_LENGTH && PLAIN_REST.test(text) && !text.includes('/.');

const LEADING_SPACE = /^[\0-\x20]+/;
const LETTERS = /[\x80-\uffff]+/g;

/** Without the characters that the URL parser leaves out at both ends. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}

/** Encodes characters beyond ASCII as the URL parser does in a path or a query. Undefined if that is not certain. */
function withEncodedLetters(text: string): string | undefined {
  if (text.length > MAX_PLAIN_LENGTH || !text.isWellFormed()) return undefined;
  return text.replace(LETTERS, encodeURIComponent);
}

/** Returns whether the host name of an http(s) URL is longer than DNS allows. */
function hasLongHost(url: string): boolean {
  return url.indexOf('/', 8) > MAX_SHORT_ORIGIN && isHostTooLong(hostName(hostKey(url)));
}
/** An origin with fewer characters has no label that is too long. */
const MAX_SHORT_ORIGIN = 64;

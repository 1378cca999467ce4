/**
 * The outcome of fetching robots.txt, and what it means for the host (RFC 9309, section 2.3). How long to
 * wait before trying again is politeness's to say, not decided here.
 */
import { boundedText, type Cause, detailOfBreak } from '../causes/cause.ts';
import { isBeforeRequest } from '../outcome/failure-codes.ts';
import type { FetchedResponse, FetchFailure } from '../outcome/fetch-outcome.ts';
import { fieldReference } from '../url/field-reference.ts';
import { parseUrl } from '../url/parse-url.ts';

/** Redirects followed in a row, also to other hosts (RFC 9309, section 2.3.1.2: at least five). */
export const MAX_ROBOTS_REDIRECTS = 5;

/**
 * Longer redirects are not followed. Heads of hosts keep the URLs of up to 18 redirects to other hosts, and an item of
 * DynamoDB has 400 KB at most.
 */
const MAX_REDIRECT_CHARS = 2083;

/** RFC 9309, section 2.4: not used for more than 24 hours. */
const MAX_AGE_MS = 86_400_000;
/**
 * Used at least this long, whatever Cache-Control says: many servers send `no-cache` or `max-age=0` with
 * everything, and a request before each page would double their load. At one page a second, one request in 300.
 */
const MIN_AGE_MS = 300_000;

/**
 * A host's robots.txt as stored in its head. Plain data. From an origin without a valid state only robots.txt
 * may be requested.
 */
export type RobotsState = {
  /**
   * The origin whose robots.txt was requested first, whatever redirects led to: `https://example.com:8443`; or {@link
   * robotsKey}.
   */
  origin: string;
  kind: 'rules' | 'allowAll';
  expiresAt: number;
  /** As `encodeRules` wrote them, if they are kept here. */
  rules?: string;
  crawlDelayMs?: number;
};

/** The part of a `FetchOutcome` that is judged. */
export type RobotsExchange =
  | (Pick<FetchedResponse, 'status' | 'httpStatus' | 'headers' | 'truncated' | 'bodyFailure'> & {
      readonly url: string;
    })
  | Pick<FetchFailure, 'status' | 'reason' | 'code' | 'message'>;

export type RobotsVerdict =
  /** The body is a robots.txt: parse it. */
  | { readonly kind: 'rules' }
  /** There is none: all may be fetched (RFC 9309, section 2.3.1.3). */
  | { readonly kind: 'allowAll'; readonly why: string }
  /**
   * Unknown: nothing may be fetched, try again later (section 2.3.1.4).
   */
  | { readonly kind: 'unreachable'; readonly cause: Cause }
  /** Fetch this absolute http(s) URL next; its response counts for the origin that was requested first. */
  | { readonly kind: 'redirect'; readonly location: string };

/**
 * URL of the robots.txt that speaks for `url` (an origin, or any URL of it); undefined if `url` is not
 * http(s).
 */
export function robotsUrl(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed && isHttp(parsed) ? `${parsed.origin}/robots.txt` : undefined;
}

/** Returns the key of the rules at `url`: the origin whose robots.txt it is, otherwise the URL itself. */
export function robotsKey(url: string): string {
  const own = robotsUrl(url);
  return url === own ? own.slice(0, -'/robots.txt'.length) : url;
}

/** Whether the key is that of an origin's own robots.txt. */
export const isOriginKey = (key: string): boolean => !key.slice(key.indexOf('//') + 2).includes('/');

/**
 * Judges one exchange of a chain that has followed `redirectsSoFar` redirects. `undecoded`: why the body could not be decoded to
 * its end, for people.
 *
 * - 2xx: rules. But a body that broke off (time, connection) could have lost its rules: unreachable, unless it broke
 *   off at the same byte again (`isSameBreak`): then the server sends no more. A body that could not be decoded to its
 *   end could have lost rules, too.
 * - 3xx with a usable Location: redirect, up to {@link MAX_ROBOTS_REDIRECTS}. Beyond, or where Location is
 *   missing, too long or not an http(s) URL: unavailable like a 404, so all is allowed, as sections 2.3.1.2 and 2.3.1.3
 *   permit and Google does. Otherwise a faulty redirect, which no later try repairs, would block whole hosts.
 * - 4xx: all is allowed, 401 and 403 too. But 429 does not answer the request: unreachable.
 * - 5xx, any status HTTP does not know, and every failed exchange: unreachable.
 */
export function robotsVerdict(
  exchange: RobotsExchange,
  redirectsSoFar: number,
  {
    isSameBreak,
    undecoded,
  }: { readonly isSameBreak?: boolean; readonly undecoded?: string | undefined } = {},
): RobotsVerdict {
  if (exchange.status === 'failed') {
    // Without a connection the whole host is the matter, not its robots.txt.
    const isOfHost = redirectsSoFar === 0 && isBeforeRequest(exchange);
    const { code: failure, message } = exchange;
    const code = isOfHost ? 'fetchFailed' : 'robotsFailed';
    const cause = { code, ...(failure !== undefined && { failure }), detail: boundedText(message) } as const;
    return { kind: 'unreachable', cause };
  }
  const { httpStatus, truncated } = exchange;
  const why = `status ${httpStatus}`;
  if (httpStatus >= 200 && httpStatus < 300) {
    if (!isSameBreak && (truncated === 'time' || truncated === 'disconnect')) {
      const cause = { code: 'robotsBrokeOff', truncated, ...detailOfBreak(exchange.bodyFailure) } as const;
      return { kind: 'unreachable', cause };
    }
    return undecoded === undefined
      ? { kind: 'rules' }
      : { kind: 'unreachable', cause: { code: 'robotsUndecoded', detail: boundedText(undecoded) } };
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    const location = redirectTarget(exchange);
    if (location === undefined) return { kind: 'allowAll', why: `${why} without a usable Location` };
    if (redirectsSoFar >= MAX_ROBOTS_REDIRECTS) {
      return { kind: 'allowAll', why: `more than ${MAX_ROBOTS_REDIRECTS} redirects` };
    }
    return { kind: 'redirect', location };
  }
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429) return { kind: 'allowAll', why };
  return { kind: 'unreachable', cause: { code: 'robotsStatus', httpStatus } };
}

/**
 * When robots.txt is to be fetched again, given its response's Cache-Control fields: after `max-age` (the
 * least, if repeated), else after `maxAgeMs`; `no-store`, `no-cache` and an unreadable `max-age` count as 0
 * (RFC 9111, section 4.2.1). Never later than 24 hours, nor sooner than five minutes, though `maxAgeMs` be
 * less.
 */
export function expiry(fetchedAt: number, cacheControl: readonly string[], maxAgeMs: number): number {
  let ageMs = Number.POSITIVE_INFINITY;
  for (const directive of cacheControl.join(',').toLowerCase().split(',')) {
    const [name = '', value = ''] = directive.split('=', 2).map((part) => part.trim());
    if (name === 'no-store' || name === 'no-cache') ageMs = 0;
    if (name === 'max-age') ageMs = Math.min(ageMs, secondsOf(value) * 1000);
  }
  return fetchedAt + Math.max(MIN_AGE_MS, Math.min(ageMs, maxAgeMs, MAX_AGE_MS));
}

function secondsOf(value: string): number {
  const digits = /^"?(\d+)"?$/.exec(value)?.[1];
  return digits === undefined ? 0 : Number(digits);
}

function redirectTarget({ httpStatus, headers, url }: RobotsExchange & { status: 'response' }) {
  // 304 answers a conditional request, which was not sent; 305 names a proxy (RFC 9110, section 15.4.6).
  if (![300, 301, 302, 303, 307, 308].includes(httpStatus)) return undefined;
  const field = headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  if (/^[\t ]*$/.test(field)) return undefined;
  const target = parseUrl(fieldReference(field), url);
  if (!target || !isHttp(target)) return undefined;
  target.username = '';
  target.password = '';
  target.hash = '';
  return target.href.length <= MAX_REDIRECT_CHARS ? target.href : undefined;
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/**
 * Requests that a project makes itself (`enqueue`), as the ledger knows them: a canonical URL with a fragment that
 * holds the rest of the request. Other URLs have no fragment, or one that is a route (`hash-route.ts`), so no page is
 * treated as such a request. Two requests are the same if URL, method, headers, body, label and data are the same.
 */

import { hostKey } from './host-key.ts';

/** The parts of a request besides its URL. */
export interface HookRequest {
  /** Upper case. Absent: GET. */
  readonly method?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes that are UTF-8 are text here. */
  readonly body?: string | Uint8Array;
  readonly label?: string;
  /** JSON. */
  readonly data?: unknown;
}

const MARK = '#!';

/**
 * The name of the request in the ledger: as JSON, in base64 that a URL may hold. Equal requests have equal names.
 */
export const requestUrl = (url: string, request: HookRequest): string =>
  `${url}${MARK}${Buffer.from(JSON.stringify(storedRequest(request)), 'utf8').toString('base64url')}`;

/** The request as JSON holds it. */
export function storedRequest({ method, headers, body, label, data }: HookRequest) {
  const sorted = headers && Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)));
  const sent = typeof body === 'object' ? { bytes: Buffer.from(body).toString('base64') } : { body };
  return { method, headers: sorted, ...sent, label, data };
}

/** The URL that is fetched for a URL of the ledger: without the request, and without a route. */
export function fetchedUrl(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? url : url.slice(0, at);
}

/** The URL of a page, as people know it: a route is a part of it. */
export const pageUrl = (url: string): string => (isOwnRequest(url) ? fetchedUrl(url) : url);

/** Returns the project's own request in a URL of the ledger; undefined for a URL without one. */
export function ownRequest(url: string): HookRequest | undefined {
  const at = requestAt(url);
  if (at < 0) return undefined;
  const stored = Buffer.from(url.slice(at + MARK.length), 'base64url').toString('utf8');
  const { bytes, ...request } = JSON.parse(stored) as HookRequest & { readonly bytes?: string };
  return bytes === undefined ? request : { ...request, body: Buffer.from(bytes, 'base64') };
}

export const isOwnRequest = (url: string): boolean => requestAt(url) >= 0;

/** Where the request begins, or -1. A route may begin with the same mark, but then with a slash. */
function requestAt(url: string): number {
  const at = url.indexOf(MARK);
  return at < 0 || url.charCodeAt(at + MARK.length) === SLASH ? -1 : at;
}

const SLASH = 0x2f;

/** Whether the request is a plain GET, which differs from a link to the URL by its label and data alone. */
export const isPlainGet = ({ method = 'GET', headers, body }: HookRequest): boolean =>
  method === 'GET' && headers === undefined && body === undefined;

/** Whether a header that a project has set says nothing that is meant for one host alone. */
const isForAnyHost = (name: string): boolean => /^(?:accept(?:-.+)?|range|if-.+)$/i.test(name);

/**
 * Whether the headers of a request to one URL may be sent to the other: at the same host, and not from https to http.
 */
export const isSentAlong = (from: string, to: string): boolean =>
  hostKey(from) === hostKey(to) && (to.startsWith('https:') || from.startsWith('http:'));

/**
 * Returns the request to a redirect's target. After 303, and after 301 and 302 to a POST, that is a GET (RFC 9110,
 * section 15.4). A redirect to another host carries no header that may be secret. Undefined for a request to another
 * host that is not a plain GET.
 */
export function redirectedRequest(
  request: HookRequest,
  httpStatus: number,
  isSameHost: boolean,
): HookRequest | undefined {
  const { method, headers = {}, body, ...rest } = request;
  const isGet = httpStatus === 303 || (method === 'POST' && (httpStatus === 301 || httpStatus === 302));
  if (!isSameHost && !isGet && (body !== undefined || (method ?? 'GET') !== 'GET')) return undefined;
  const kept = Object.entries(headers).filter(
    ([name]) => (isSameHost || isForAnyHost(name)) && !(isGet && name.startsWith('content-')),
  );
  return {
    ...rest,
    ...(!isGet && method !== undefined && { method }),
    ...(!isGet && body !== undefined && { body }),
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
  };
}

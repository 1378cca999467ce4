/** The responses of the web, as data: how each kind is made, whatever it is about. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import type { ResponseHead } from '../../shared/core/outcome/response-head.ts';
import type { List } from './lists.ts';
import type { MemberRequest } from './member-plan.ts';
import type { PageTrouble } from './pages.ts';
import type { RefusalWay, ServedRefusal } from './refusing.ts';
import { LIST_TYPES, renderList } from './render-list.ts';

export interface Failed {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  /** How long until the client knows; forever: it waits until it gives up. */
  readonly afterMs: number;
  readonly isStaleConnection?: boolean;
}

export interface Responded extends ResponseHead {
  readonly kind: 'response';
  readonly body: Uint8Array;
  readonly headMs: number;
  /** From the head to the body's end. 0: they come together. */
  readonly bodyMs: number;
  /** Only this number of bytes come; then the connection ends, or nothing more happens. */
  readonly cut?: { readonly bytes: number; readonly isEnd: boolean };
  /** It refuses the crawler. */
  readonly refusal?: ServedRefusal;
  /** It is of a login, or shown to those who are signed out. */
  readonly member?: MemberRequest;
  /** The version of robots.txt, if the answer contains it or leads to it. */
  readonly robotsVersion?: number;
}

export type Answer = Failed | Responded;

const BYTES_PER_MS = 2000;
const PIECE_BYTES = 16 * 1024;
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
export const TYPES = { html: 'text/html; charset=utf-8', text: 'text/plain', image: 'image/png' } as const;
export const NO_BYTES = new Uint8Array(0);
/** Whole parts of a page have it. */
export const PART_END = 'end of part';

export function respond(
  httpStatus: number,
  headers: ResponseHead['headers'],
  body: Uint8Array,
  headMs: number,
): Responded {
  const length =
    httpStatus === 204 || httpStatus === 304 ? [] : [['Content-Length', String(body.length)] as const];
  return {
    kind: 'response',
    httpStatus,
    statusText: STATUS_TEXTS[httpStatus] ?? '',
    headers: [['Server', 'sim'], ...headers, ...length],
    body,
    headMs,
    bodyMs: body.length > PIECE_BYTES ? Math.ceil(body.length / BYTES_PER_MS) : 0,
  };
}

export const text = (content: string): Uint8Array => Buffer.from(content);

export const missing = (status: number, headMs: number): Responded =>
  respond(status, [['Content-Type', TYPES.html]], text('<a href="/error/missing">Not here</a>\n'), headMs);

export function errorResponse(status: number, headMs: number, retryAfterSeconds?: number): Responded {
  const headers: [string, string][] = [['Content-Type', TYPES.html]];
  if (retryAfterSeconds !== undefined) headers.push(['Retry-After', String(retryAfterSeconds)]);
  // A link that must never be taken: the page is none.
  return respond(status, headers, text(`<a href="/error/${status}">Error ${status}</a>\n`), headMs);
}

export const lockedOut = (headMs: number): Responded =>
  respond(
    401,
    [
      ['Content-Type', TYPES.html],
      ['WWW-Authenticate', 'Basic realm="sim"'],
    ],
    text('<a href="/error/401">Who are you?</a>\n'),
    headMs,
  );

/** No two are alike. The link must never be taken: the page is none. */
export function refusedBy(
  { httpStatus, headers, refusal }: RefusalWay,
  url: string,
  headMs: number,
): Responded {
  const sign = refusal?.sign === undefined ? '' : `<script src="/${refusal.sign}"></script>`;
  const body = text(`<html>${sign}<title>Refused</title><a href="/refused/">${hash('sha1', url)}</a>\n`);
  const response = respond(httpStatus, [['Content-Type', TYPES.html], ...headers], body, headMs);
  return { ...response, ...(refusal && { refusal }) };
}

export const usageFile = (location: string | undefined, headMs: number): Responded =>
  location === undefined
    ? missing(404, headMs)
    : respond(
        200,
        [['Content-Type', 'application/json']],
        text(JSON.stringify([{ location: `${location}*`, 'tdm-reservation': 1 }])),
        headMs,
      );

export const softly = (headMs: number): Responded =>
  respond(
    200,
    [['Content-Type', TYPES.html]],
    text('<title>Sorry</title><p>There is no such page here\n'),
    headMs,
  );

export function listed(list: List, paceMs: number, isPacked: boolean): Responded {
  const { kind } = list;
  if (kind === 'failing') return errorResponse(500, paceMs);
  if (kind === 'missing') return missing(404, paceMs);
  const body = text(renderList(list));
  if (isPacked) return respond(200, [['Content-Type', 'application/gzip']], gzipSync(body), paceMs);
  return respond(200, [['Content-Type', LIST_TYPES[kind]]], body, paceMs);
}

/** It says when it is whole, as a script or JSON does. */
export const part = (url: string, name: string, headMs: number): Responded =>
  respond(
    200,
    [['Content-Type', name.endsWith('.js') ? 'text/javascript' : 'application/json']],
    text(name.endsWith('.js') ? `"${url}";//${PART_END}` : `{"url":"${url}","end":"${PART_END}"}`),
    headMs,
  );

/** The same response as a client finds it that has no luck. */
export function spoil(response: Responded, how: PageTrouble['how']): Answer {
  if (how === 'status500') return errorResponse(500, response.headMs);
  if (how === 'status503') return errorResponse(503, response.headMs, 3);
  if (how === 'reset' || response.body.length < 2)
    return { kind: 'failed', reason: 'reset', afterMs: response.headMs };
  return { ...response, cut: { bytes: response.body.length >> 1, isEnd: true } };
}

/** Bytes that begin as a PNG does. */
export function image(url: string): Uint8Array {
  const noise = hash('sha512', url, 'buffer');
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise, noise, noise]);
}

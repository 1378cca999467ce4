import type { FailureReason } from '../../core/outcome/failure-codes.ts';
import type { FetchedResponse, FetchFailure } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import { memoryBody } from '../../core/outcome/memory-body.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import { withoutSecrets } from '../../crawler/fetcher/without-secrets.ts';

/** A response that a middleware has got in its own way: by a proxy, a browser, a store. */
export interface GivenResponse {
  readonly httpStatus: number;
  readonly statusText?: string;
  /** A `Headers`, an object, or pairs; names as they came, where that is known: they are archived so. */
  readonly headers?:
    | Iterable<readonly [string, string]>
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** In its content coding, as the headers say; a string is taken as UTF-8. */
  readonly body?: Uint8Array | string;
  /**
   * The body's content coding is undone already, as `fetch` does it: the header fields for it, and
   * Content-Length, are left out.
   */
  readonly isDecoded?: boolean;
  /** ms since the epoch. Default: now. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /**
   * As sent. Default: the plain request for the URL, with the headers of `request`. The archive has no values of
   * `Authorization`, `Cookie` and `Proxy-Authorization`.
   */
  readonly requestHead?: Uint8Array | string;
  /** IP address of the server. Default: `0.0.0.0`. */
  readonly ipAddress?: string;
  /** The body is not whole, and why. A longer body than the request allows is cut, and says so by itself. */
  readonly truncated?: FetchedResponse['truncated'];
}

/**
 * The outcome of `request` that a middleware answers by itself: parsed, archived and counted like one that
 * came through the crawler's own fetcher. The bytes are not copied, and must not change afterwards.
 *
 * Politeness stays: the host's next request waits as ever. The address guard does not: what the middleware
 * connects to is its own affair.
 */
export function responseOf(request: FetchRequest, given: GivenResponse): FetchedResponse {
  const { httpStatus, statusText = '', truncated, isDecoded = false, ipAddress = '0.0.0.0' } = given;
  if (!Number.isInteger(httpStatus) || httpStatus < 200 || httpStatus > 599)
    throw new Error(`Expected httpStatus to be a final status, 200 to 599, got ${String(httpStatus)}`);
  const headers = pairsOf(given.headers ?? []).filter(
    ([name]) => !isDecoded || !OF_CODING.has(name.toLowerCase()),
  );
  const whole = typeof given.body === 'string' ? Buffer.from(given.body) : (given.body ?? new Uint8Array(0));
  const bytes = whole.subarray(0, request.maxBodyBytes ?? whole.length);
  const endedAt = given.endedAt ?? Date.now();
  const head: ResponseHead = { httpStatus, statusText, headers };
  const onChunk = request.onHead?.(head);
  if (bytes.length > 0) onChunk?.(bytes);
  return {
    status: 'response',
    url: request.url,
    startedAt: given.startedAt ?? endedAt,
    endedAt,
    ...head,
    body: memoryBody(bytes),
    requestHead: archivedRequest(Buffer.from(given.requestHead ?? requestBytesOf(request)), request.headers),
    ipAddress,
    ...(bytes.length < whole.length ? { truncated: 'length' } : truncated !== undefined && { truncated }),
  };
}

export interface GivenFailure {
  /** The reason by which it is counted: a host that fails to connect rests longer and longer. */
  readonly reason: FailureReason;
  /** A line for people: the request and its result. */
  readonly message: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** The outcome of `request` that a middleware tried by itself, in vain. */
export function failureOf(
  { url, signal }: FetchRequest,
  { reason, message, startedAt, endedAt = Date.now() }: GivenFailure,
): FetchFailure {
  return {
    status: 'failed',
    url,
    startedAt: startedAt ?? endedAt,
    endedAt,
    reason: signal?.aborted ? 'aborted' : reason,
    message,
  };
}

const OF_CODING = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function pairsOf(headers: NonNullable<GivenResponse['headers']>): (readonly [string, string])[] {
  if (Symbol.iterator in headers)
    return [...(headers as Iterable<readonly [string, string]>)].map(([name, value]) => [name, value]);
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map((one): [string, string] => [name, one]),
  );
}

/** The request without the values of secret headers. Its body is as it was. */
function archivedRequest(request: Buffer, headers: FetchRequest['headers']): Buffer {
  const end = request.indexOf('\r\n\r\n');
  const head = end < 0 ? request : request.subarray(0, end);
  return Buffer.concat([
    Buffer.from(withoutSecrets(head.toString('latin1'), headers), 'latin1'),
    request.subarray(head.length),
  ]);
}

function requestBytesOf({ url, method = 'GET', headers = {}, body = '' }: FetchRequest): Buffer {
  const { host, pathname, search } = new URL(url);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/**
 * Bytes a second that a crawl takes of a host (`maxBytesPerSecondPerHost`). A body is read as fast as it comes; then the
 * host rests until it would have come at that rate. Pure.
 */
import type { CrawlConfig } from '../crawl/crawl-options.ts';
import type { FetchOutcome } from '../outcome/fetch-outcome.ts';
import { MAX_SITEMAP_BYTES } from '../parser/xml-links.ts';

/** Settings that say how long a host rests for its bytes. */
export type ByteRates = Pick<CrawlConfig, 'maxBodyBytes' | 'maxHeaderBytes'> &
  Partial<Pick<CrawlConfig, 'maxBytesPerSecond' | 'maxBytesPerSecondPerHost' | 'perHost'>>;

/** A host rests no longer for its bytes. */
export const MAX_BYTES_REST_MS = 6 * 3_600_000;
/** The handshake of TLS, and what a server has sent before we notice that it is more than is wanted. */
const MORE_BYTES = 1_000_000;

/** Bytes a second that a host may send: no more than all hosts together; undefined: as many as it likes. */
export function hostRate({
  maxBytesPerSecondPerHost = Number.POSITIVE_INFINITY,
  maxBytesPerSecond = Number.POSITIVE_INFINITY,
}: Partial<ByteRates>): number | undefined {
  const rate = Math.min(maxBytesPerSecondPerHost, maxBytesPerSecond);
  return rate === Number.POSITIVE_INFINITY ? undefined : rate;
}

/** Bytes that came for an exchange: those on the wire where they are known, or else those of the body. */
export const receivedBytesOf = (outcome: FetchOutcome): number =>
  outcome.receivedBytes ?? (outcome.status === 'response' ? outcome.body.size : 0);

/**
 * Returns until when the bytes of all requests to a host, the last of which has ended, would have come at its rate (ms since
 * the epoch). `before`: the same without the last one. Requests side by side add up.
 */
export function paidUntil(
  before: number,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
  bytes: number,
  bytesPerSecond: number,
): number {
  const until = Math.max(before, startedAt) + Math.ceil((bytes * 1000) / bytesPerSecond);
  return Math.min(until, endedAt + MAX_BYTES_REST_MS);
}

/**
 * How long a host may rest for its bytes at most, from the start of a request on. `bodyBytes`: of a body at most. Default: of any.
 */
export function maxBytesRestMs(config: ByteRates, bodyBytes?: number): number {
  const rate = hostRate(config);
  if (rate === undefined) return 0;
  const { perHost = 1, maxBodyBytes, maxHeaderBytes } = config;
  const most = bodyBytes ?? Math.max(maxBodyBytes, MAX_SITEMAP_BYTES);
  const bytes = perHost * (most + maxHeaderBytes + MORE_BYTES);
  return Math.min(MAX_BYTES_REST_MS, Math.ceil((bytes * 1000) / rate));
}

import type { Body } from './body.ts';
import type { FailureCode, FailureReason } from './failure-codes.ts';
import type { ResponseHead } from './response-head.ts';

/** How a cache served a request. */
type CacheUse =
  /** The response is that of an earlier crawl; no request was made. `recordId`: WARC-Record-ID of its record there. */
  | { readonly kind: 'hit'; readonly recordId: string }
  /** The cache has no response for the request, so it went to the site. */
  | { readonly kind: 'miss' }
  /** As above, because the response in the cache is damaged. */
  | { readonly kind: 'unreadable' }
  /** The cache has no response, and the request was for the cache only: it was not made. */
  | { readonly kind: 'withoutRequest' }
  /** The page of a route behind `#`, which the visit to the host has fetched for another one. */
  | { readonly kind: 'kept' };

interface ExchangeTimes {
  readonly url: string;
  /** When the request was begun; when the last byte (or the failure) came. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Undefined if the crawl has no cache. */
  readonly cache?: CacheUse;
  /**
   * Bytes that were sent for it, with the handshakes of a new connection, without the headers of TCP and IP. Undefined
   * if there was no connection.
   */
  readonly sentBytes?: number;
  /** Bytes that came for it, head and handshake included, without the headers of TCP and IP. Undefined if unknown. */
  readonly receivedBytes?: number;
}

export interface FetchedResponse extends ExchangeTimes, ResponseHead {
  readonly status: 'response';
  readonly body: Body;
  /**
   * The request as sent: its head with the final empty line, and its body. Values of secret headers
   * (`Authorization`, `Cookie`, those that the operator has set) are `[removed]`.
   */
  readonly requestHead: Uint8Array;
  /** Empty if only a proxy knows it. */
  readonly ipAddress: string;
  /** As in WARC-Protocol: `http/1.1`, `tls/1.3`. */
  readonly protocols?: readonly string[];
  /** As in WARC-Cipher-Suite: the name that IANA has registered. */
  readonly cipherSuite?: string;
  /** The certificate was bad, and the connection was made without verification (`tls: 'record'`). */
  readonly tlsError?: FailureCode;
  /** Why the body is not whole, as a value of WARC-Truncated. */
  readonly truncated?: 'length' | 'time' | 'disconnect';
  /** The failure by which the body broke off. The crawler's own fetcher always says it. */
  readonly bodyFailure?: Pick<FetchFailure, 'code' | 'message'>;
}

export interface FetchFailure extends ExchangeTimes {
  readonly status: 'failed';
  readonly reason: FailureReason;
  /** Why, exactly. The crawler's own fetcher always says it. */
  readonly code?: FailureCode;
  /** A plain sentence for people, without the URL: `connection refused by example.org:80 (192.0.2.1)`. */
  readonly message: string;
  /**
   * The request went out on a kept connection, which the server closed without an answer: it had perhaps
   * closed it before the request came (RFC 9112, section 9.3.1), and so did further ones. To be tried again, at the
   * host's pace like any request.
   */
  readonly isStaleConnection?: boolean;
  /** Too little time was left for the request: it was not made, and is not counted. */
  readonly isNotSent?: boolean;
}

/** Whether a request was sent to the site. */
export const sentRequest = ({ cache }: Pick<FetchOutcome, 'cache'>): boolean =>
  cache === undefined || cache.kind === 'miss' || cache.kind === 'unreadable';

/** Whether the site may have noticed the exchange, so that it rests before the next one. It sees no connection to an address or port that is not allowed. */
export const mayHaveReached = (outcome: FetchOutcome): boolean =>
  sentRequest(outcome) &&
  !(outcome.status === 'failed' && (outcome.reason === 'blockedAddress' || outcome.reason === 'blockedPort'));

/** The outcome of a request to the web. Never thrown: a 404, a time-out and a bad certificate are outcomes. */
export type FetchOutcome = FetchedResponse | FetchFailure;

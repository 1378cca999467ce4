import type { ResponseHead } from './response-head.ts';

/** The pieces of a body up to this size stay as they are: {@link FetchRequest.onHead}. */
export const STEADY_BODY_BYTES = 32 * 1024;

/** A request, as a fetcher takes it. */
export interface FetchRequest {
  /** Absolute http(s) URL in canonical form. */
  readonly url: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The exchange ends after this time, and what has come of the body is kept. Default, and at most: the fetcher's own limit. */
  readonly totalTimeoutMs?: number;
  /** Cut the body here instead of at the fetcher's own limit. */
  readonly maxBodyBytes?: number;
  /**
   * Called when the response's head is there. The function that it returns receives each piece of the body as
   * it arrives. While the body is no longer than {@link STEADY_BODY_BYTES}, the pieces stay as they are until it is disposed of;
   * the memory of all pieces of a longer one may be freed when a call is over, so what is kept of them is copied.
   */
  readonly onHead?: (head: ResponseHead) => ((chunk: Uint8Array) => void) | undefined;
  readonly signal?: AbortSignal;
  /** Whether it is sent again at once if a server closes a kept connection instead of an answer. Default: no. */
  readonly repeatsStale?: boolean | undefined;
  /**
   * If the crawl has a cache: `only`: if that has no response, the request is not made; `bypass`: the request is sent
   * anyway. Default: the request is sent if the cache has no response.
   */
  readonly cache?: 'only' | 'bypass' | undefined;
}

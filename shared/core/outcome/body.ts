/**
 * An HTTP message body as received: de-chunked, content coding kept. Read once from the network, re-read at
 * will.
 */
export interface Body {
  /** Bytes kept (a larger body was cut at the limit). */
  readonly size: number;
  /** SHA-1 (20 bytes) of the kept bytes, made while they arrived: the WARC payload digest. */
  readonly sha1: Uint8Array;
  /** The whole body at once. For bodies known to be small. */
  bytes(): Promise<Uint8Array>;
  /** The body from its start, again at each call. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Frees the memory or the temporary file. Safe to repeat. */
  dispose(): Promise<void>;
}

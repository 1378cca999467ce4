/** Types that the readers of archives return. */
import type { CheckedWarc, WarcFault } from '../shared/core/archive/check-warc.ts';

export type { CheckedWarc, WarcFault } from '../shared/core/archive/check-warc.ts';
export type { IndexedCapture } from '../shared/core/archive/parse-cdxj-line.ts';

/** A WARC record (ISO 28500), without its content. */
export interface WarcRecordInfo {
  /** WARC-Type: `response`, `revisit`, `request`, `metadata`, `warcinfo`, ... */
  readonly type: string;
  /** WARC-Target-URI. */
  readonly url?: string;
  /** WARC-Date, as written. */
  readonly date?: string;
  /** WARC-Record-ID. */
  readonly id?: string;
  /** Named fields in their order, names as written. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Size of the content in bytes. */
  readonly contentLength: number;
}

/** A WARC record with its content. */
export interface StoredRecord extends WarcRecordInfo {
  /** The record's content as stored: of a `response`, the HTTP message. */
  readonly content: Uint8Array;
  /** The HTTP response, if the record holds one. */
  readonly http?: StoredHttp;
}

/** An HTTP response as stored. */
export interface StoredHttp {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as stored: without transfer coding, its content coding (gzip, br) kept. */
  readonly body: Uint8Array;
  /**
   * Returns the body with its content coding undone. Throws if that is not possible, or gives more than
   * `maxBytes` (default: 64 MiB).
   */
  decode(maxBytes?: number): Uint8Array;
}

export interface ReadRecordOptions {
  /**
   * A larger record is refused.
   * @default 67108864
   */
  readonly maxBytes?: number;
}

/** A record of a WARC file. */
export interface ScannedRecord extends WarcRecordInfo {
  /** Where its gzip member begins in the file, and its length in bytes. */
  readonly offset: number;
  readonly length: number;
  /**
   * Reads the content, while the file is being iterated. Throws `RangeError` if it is larger than `maxBytes`.
   */
  read(options?: ReadRecordOptions): Promise<StoredRecord>;
}

export interface CheckedFile extends CheckedWarc {
  readonly errors: number;
  readonly warnings: number;
  /** The first thousand. */
  readonly faults: readonly WarcFault[];
}

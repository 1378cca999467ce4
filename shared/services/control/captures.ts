/** Requests for pages of the captures of a crawl's archive, and their answers. */
import { type KeyRange, MATCH_TYPES } from '../../core/archive/capture-query.ts';
import type { IndexedCapture } from '../../core/archive/parse-cdxj-line.ts';

/** How the URL of a request matches (`capture-query.ts`); a domain is several requests, one for each host. */
export const CAPTURE_MATCHES = MATCH_TYPES.filter((type) => type !== 'domain');

export interface CapturePageRequest {
  readonly url: string;
  /** Default: `exact`. */
  readonly matchType?: (typeof CAPTURE_MATCHES)[number] | undefined;
  /** Times as `YYYYMMDDhhmmss`, or the beginning of that, or ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Captures on a page at most. Default: 100. */
  readonly limit?: number | undefined;
}

export const CAPTURE_KINDS = ['response', 'identicalPayload', 'notModified'] as const;

export interface CaptureEntry {
  readonly url: string;
  /** ISO 8601, UTC, to the second. */
  readonly time: string;
  /** `identicalPayload`, `notModified`: a revisit record, which refers to a response with the same content. */
  readonly kind: (typeof CAPTURE_KINDS)[number];
  /** 304 for `notModified`. */
  readonly httpStatus?: number | undefined;
  /** Undefined for a revisit. */
  readonly contentType?: string | undefined;
  /** Payload digest: `sha1:` and Base32. */
  readonly digest?: string | undefined;
  /** Where its WARC record stands now; offset and length in bytes. */
  readonly warcFile: string;
  readonly warcOffset: number;
  readonly warcLength: number;
}

export interface CapturePage {
  /** Sorted by URL and time. */
  readonly captures: readonly CaptureEntry[];
  /** Damaged files: their captures before the damage are found. */
  readonly damaged: readonly string[];
  /** For the next page; none on the last. */
  readonly cursor?: string | undefined;
}

/** The request for a page to an engine. */
export interface CapturesAsked extends KeyRange {
  /** The first and the last second, `YYYYMMDDhhmmss`. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  readonly limit: number;
  /** The `next` of the page before. */
  readonly place?: CapturePlace | undefined;
}

/** The cursor after a page: in a file without an index, or in an index. */
export interface CapturePlace {
  readonly file: string;
  /** Offset in bytes. */
  readonly at: number;
  /** When the index was made, in ms. Absent: a file without an index. */
  readonly madeAt?: number | undefined;
}

export interface CapturesFound {
  /** Sorted by key and time. */
  readonly captures: readonly IndexedCapture[];
  readonly damaged: readonly string[];
  /** Absent: this page is the last one. */
  readonly next?: CapturePlace | undefined;
}

import type { RecordLocation } from '../archive/record-location.ts';
import { type Cause, isRefusal } from '../causes/cause.ts';
import type { UrlKind } from '../url/url-kind.ts';

/** The outcome of a URL. All except `waiting` are final until the URL is fetched again ({@link isRefetch}). */
export const URL_STATES = [
  'waiting',
  'fetched',
  'redirect',
  'gone',
  'deniedByRobots',
  'skipped',
  'failed',
] as const;
export type UrlState = (typeof URL_STATES)[number];

/** How many URLs there are, whatever their outcome. */
export function countUrls(counts: Readonly<Record<UrlState, number>>): number {
  return URL_STATES.reduce((sum, state) => sum + counts[state], 0);
}

/** The result of the last fetch of a URL. */
export interface FetchResult {
  readonly fetchedAt: number;
  /** Undefined if no response came. */
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** Payload digest: SHA-1, 20 bytes. */
  readonly digest?: Uint8Array;
  readonly location?: RecordLocation;
  /** The size of the body as received. */
  readonly bodyBytes?: number;
  /** From the request to the body's end. */
  readonly tookMs?: number;
  /** Why it failed, was denied or skipped; of a redirect, where to. */
  readonly cause?: Cause;
  /** For a page that counts as a copy: the URL that it names as canonical. */
  readonly duplicateOf?: string;
}

/** The knowledge of a crawl that recrawls about a URL, besides its last result. */
export interface RecrawlState {
  /** The changes that its fetches found, packed (`recrawl/change-history.ts`): 24 bits. */
  readonly history: number;
  /** The change rate by which the URL's next fetch was planned, as a code (`recrawl/change-rate.ts`). */
  readonly rate: number;
  /** When a change was last seen; the first fetch counts as one. */
  readonly changedAt: number;
  /** Its last change was that it came back after it was gone. */
  readonly isBack?: boolean | undefined;
  /** Answers in a row by which the page is not there (404, 410). */
  readonly misses: number;
  /**
   * WARC-Date of the record that holds the payload and to which revisits refer. Later fetches may have shown the same
   * content. {@link UNKNOWN_CAPTURE}: not known; the next response is archived as that of a new URL.
   */
  readonly capturedAt: number;
  /** The URL of the response that holds the payload, if that is another one's. */
  readonly capturedUrl?: string | undefined;
  /** Digest of the text by which changes are seen: 8 bytes. */
  readonly textDigest?: Uint8Array | undefined;
  /** Whether that was the text of the rendered page. */
  readonly isRendered?: boolean | undefined;
  /** Hints since the last fetch that the page has changed (`recrawl/hints.ts`), and the newest time that one gave. */
  readonly hints?: number | undefined;
  readonly hintedAt?: number | undefined;
  /** Links to new URLs that a change of the page has brought, as a code (`recrawl/page-importance.ts`). */
  readonly newLinks?: number | undefined;
  /** The factor of its importance that the project's hook has set, as a code (`recrawl/page-importance.ts`). */
  readonly factor?: number | undefined;
  /** A sketch of the text that last changed, by which the next change is measured: 16 bytes (`recrawl/text-sketch.ts`). */
  readonly textSketch?: Uint8Array | undefined;
  /** About the share of its text that the last change was, 0 to 1, in hundredths. Only with a sketch. */
  readonly changedShare?: number | undefined;
  /** ETag as the server sent it (RFC 9110, section 8.8.3). */
  readonly etag?: string | undefined;
  /** Last-Modified as the server sent it; kept if there is no ETag. */
  readonly lastModified?: string | undefined;
}

/** The crawl did not recrawl when the URL was fetched: its record may be a revisit itself, of another URL. */
export const UNKNOWN_CAPTURE = 0;

/**
 * All that a ledger knows of one URL. Replaced as a whole: the newest record of a URL counts. Made with all
 * fields in this order, those it lacks undefined: what V8 compiles for records then meets one shape of
 * object.
 */
export interface UrlRecord {
  /** Canonical. */
  readonly url: string;
  readonly state: UrlState;
  /** Absent: a page. */
  readonly kind?: UrlKind;
  /** Hops from a seed. */
  readonly depth: number;
  /** About log2 of the number of pages that link here (see `rank.ts`). */
  readonly level: number;
  /** The page it was first found on (of a URL that rose in rank since: the page that raised it). */
  readonly via?: string;
  /** When it was first found; kept to the second. */
  readonly seenAt: number;
  /** How many redirects in a row led here. */
  readonly redirects: number;
  /** Tries that ended without a final outcome. */
  readonly attempts: number;
  /** While waiting: not before this time; 0: at once. After that: when it is fetched again; 0: never. */
  readonly dueAt: number;
  readonly result?: FetchResult;
  readonly recrawl?: RecrawlState | undefined;
}

/** Whether a response other than a redirect or a refusal is archived for the URL, whatever its status. */
export const isAnswered = ({ state, result }: Pick<UrlRecord, 'state' | 'result'>): boolean =>
  result?.location !== undefined && state !== 'redirect' && !isRefusal(result.cause);

/**
 * Whether the URL was fetched, and waits to be fetched once more, since it is not a copy after all
 * (`turn/copies/restored-duplicates.ts`).
 */
export const isRestoredDuplicate = ({ state, result }: Pick<UrlRecord, 'state' | 'result'>): boolean =>
  state === 'waiting' && result?.duplicateOf !== undefined;

/** Whether the URL has been fetched, and will be again. */
export const isRefetch = ({ state, dueAt }: Pick<UrlRecord, 'state' | 'dueAt'>): boolean =>
  state !== 'waiting' && dueAt > 0;

import type { RecordLocation } from '../archive/record-location.ts';
import type { Cause } from '../causes/cause.ts';
import type { UrlKind } from '../url/url-kind.ts';

/** The outcome of a URL. All except `waiting` are final until a recrawl. */
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
  /** None when no response came. */
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

/**
 * All that a ledger knows of one URL. Replaced as a whole: the newest record of a URL counts. Made with all
 * fields in this order, those it lacks undefined: what V8 compiles for records then meets one shape of
 * object.
 */
export interface UrlRecord {
  /** Canonical. */
  readonly url: string;
  readonly state: UrlState;
  /** None: a page. */
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
  /** While waiting: not before this time; 0: at once. */
  readonly dueAt: number;
  readonly result?: FetchResult;
}

/** The changes of pages that a crawl which recrawls has seen. */
import { sha1Label } from '../archive/digest.ts';
import { causeText } from '../causes/cause-text.ts';
import { unpackHistory } from '../recrawl/change-history.ts';
import { pageUrl } from '../url/request-url.ts';
import type { RecrawlState, UrlRecord } from './url-record.ts';

/**
 * `new`: the page was found and fetched. `changed`: its text is another one. `gone`: it answers 404 or 410. `moved`: it
 * redirects. `back`: it is there again after it was gone.
 */
export const URL_CHANGES = ['new', 'changed', 'gone', 'moved', 'back'] as const;
export type UrlChangeKind = (typeof URL_CHANGES)[number];

/** A change of a page. */
export interface UrlChange {
  /** Equal for equal changes, so that a reader can drop repetitions. */
  readonly id: string;
  readonly change: UrlChangeKind;
  readonly url: string;
  /** When the fetch that showed it was begun. ISO 8601, UTC. */
  readonly at: string;
  /**
   * About the share of its own text that has changed, 0 to 1, if the change is `changed`. Undefined for other media
   * types, and for very short texts.
   */
  readonly changedShare?: number | undefined;
  readonly httpStatus?: number | undefined;
  readonly contentType?: string | undefined;
  readonly digest?: string | undefined;
  /** Where its WARC record stands; offset and length in bytes. */
  readonly warcFile?: string | undefined;
  readonly warcOffset?: number | undefined;
  readonly warcLength?: number | undefined;
  /** Why the page is gone, or where it has moved to, for people. */
  readonly cause?: string | undefined;
}

export const changeId = ({ at, change, url }: Pick<UrlChange, 'at' | 'change' | 'url'>): string =>
  `${at} ${change} ${url}`;

/**
 * Undefined if a page was missing at its first fetch, or led elsewhere, and still does. Fetches that found no change leave a
 * page new: its history counts them, and no change. (A change is forgotten after 350 fetches without one, about.)
 */
export function lastChangeOf(
  { state }: Pick<UrlRecord, 'state'>,
  { history, isBack }: Pick<RecrawlState, 'history' | 'isBack'>,
): UrlChangeKind | undefined {
  if (unpackHistory(history).changes === 0) return state === 'fetched' ? 'new' : undefined;
  if (state === 'gone') return 'gone';
  if (state === 'redirect') return 'moved';
  return isBack ? 'back' : 'changed';
}

/** Returns the change from one record to the next; undefined if there was none. */
export function changeBetween(before: UrlRecord | undefined, after: UrlRecord): UrlChange | undefined {
  const { recrawl, result, kind } = after;
  if (!recrawl || !result || kind !== undefined || recrawl.changedAt !== result.fetchedAt) return undefined;
  if (before?.recrawl?.changedAt === recrawl.changedAt) return undefined;
  const change = lastChangeOf(after, recrawl);
  if (change === undefined) return undefined;
  const { cause, location, digest } = result;
  const url = pageUrl(after.url);
  const at = new Date(recrawl.changedAt).toISOString();
  return {
    id: changeId({ at, change, url }),
    change,
    url,
    at,
    changedShare: change === 'changed' ? recrawl.changedShare : undefined,
    httpStatus: result.httpStatus,
    contentType: result.contentType,
    digest: digest && sha1Label(digest),
    warcFile: location?.file,
    warcOffset: location?.offset,
    warcLength: location?.length,
    cause: cause && causeText(cause),
  };
}

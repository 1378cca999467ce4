import type { UrlChangeKind } from './url-change-kind.ts';
import type { UrlDetail } from './url-detail.ts';

/** The last change of a page since some time. */
export interface UrlChange {
  /** The same for the same change: to drop what was read before. */
  readonly id: string;
  readonly change: UrlChangeKind;
  readonly url: string;
  /** When the fetch that showed it was begun. ISO 8601, UTC. */
  readonly at: string;
  readonly httpStatus?: number | undefined;
  readonly contentType?: string | undefined;
  readonly digest?: string | undefined;
  /** Where its WARC record stands; offset and length in bytes. */
  readonly warcFile?: string | undefined;
  readonly warcOffset?: number | undefined;
  readonly warcLength?: number | undefined;
  /** Why it is gone, or where it has moved to, in words. */
  readonly cause?: string | undefined;
}

/**
 * Returns how a page has changed since a time (ms since the epoch); undefined if it has not, and for what is no page. A
 * page that was found since then is new, whatever it did afterwards; one that was gone before it was ever fetched is
 * nothing.
 */
export function changeOf(page: UrlDetail, since: number): UrlChange | undefined {
  const { url, kind, seenAt, changedAt, fetchedAt } = page;
  const at = changedAt ?? fetchedAt;
  if (kind !== undefined || at === undefined || Date.parse(at) < since) return undefined;
  const isNew = seenAt !== undefined && Date.parse(seenAt) >= since;
  const change = isNew || changedAt === undefined ? firstSight(page) : page.lastChange;
  if (change === undefined) return undefined;
  const { httpStatus, contentType, digest, warcFile, warcOffset, warcLength, cause } = page;
  const place = { warcFile, warcOffset, warcLength };
  return { id: `${at} ${change} ${url}`, change, url, at, httpStatus, contentType, digest, ...place, cause };
}

const firstSight = ({ status }: UrlDetail): UrlChangeKind | undefined =>
  status === 'fetched' ? 'new' : undefined;

/** The changes of many pages. */
export async function* changesOf(pages: AsyncIterable<UrlDetail>, since: number): AsyncGenerator<UrlChange> {
  for await (const page of pages) {
    const change = changeOf(page, since);
    if (change) yield change;
  }
}

import { changeId, type UrlChange, type UrlChangeKind } from '../../core/frontier/url-change.ts';
import type { UrlDetail } from './url-detail.ts';

/**
 * Returns how a page has changed since a time (ms since the epoch); undefined if it has not, or if the URL is not a
 * page. A page that was found since then is new, whatever happened afterwards; a page that was gone before its first
 * fetch is left out.
 */
export function changeOf(page: UrlDetail, since: number): UrlChange | undefined {
  const { url, kind, seenAt, changedAt, fetchedAt } = page;
  const at = changedAt ?? fetchedAt;
  if (kind !== undefined || at === undefined || Date.parse(at) < since) return undefined;
  const isNew = seenAt !== undefined && Date.parse(seenAt) >= since;
  const change = isNew || changedAt === undefined ? firstSight(page) : page.lastChange;
  if (change === undefined) return undefined;
  const { httpStatus, contentType, digest, warcFile, warcOffset, warcLength, cause } = page;
  const changedShare = change === 'changed' ? page.changedShare : undefined;
  const place = { warcFile, warcOffset, warcLength };
  const id = changeId({ at, change, url });
  return { id, change, url, at, changedShare, httpStatus, contentType, digest, ...place, cause };
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

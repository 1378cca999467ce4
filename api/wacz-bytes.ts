/** A WACZ file of a crawl, from the WARC files of a folder or of a stack. */
import { findTitle } from '../shared/core/archive/find-title.ts';
import type { RecordLocation } from '../shared/core/archive/record-location.ts';
import type { ReadAt } from '../shared/core/archive/scan-members.ts';
import { type WaczWarc, writeWacz } from '../shared/core/archive/wacz.ts';
import type { WaczPage } from '../shared/core/archive/wacz-pages.ts';
import { version } from '../shared/core/base/version.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { UrlRecord } from '../shared/core/frontier/url-record.ts';
import { fetchedUrl, ownRequest } from '../shared/core/url/request-url.ts';
import type { CrawlRecord } from '../shared/crawler/ports/crawl-registry.ts';

/** The crawl has no WARC file yet. */
export class NothingArchived extends Error {
  override name = 'NothingArchived';

  constructor(place: string) {
    super(`Nothing is archived yet in ${place}`);
  }
}

export interface WaczSource {
  readonly crawl: CrawlId;
  readonly record: Pick<CrawlRecord, 'scopeSeeds'>;
  readonly warcs: readonly WaczWarc[];
  /** Lines of the index, sorted, all of them about `warcs`. */
  readonly cdxj: AsyncIterable<string>;
  readonly pages: AsyncIterable<WaczPage>;
}

/** Yields the bytes of the file. */
export const waczOf = ({ crawl, record, warcs, cdxj, pages }: WaczSource): AsyncIterable<Uint8Array> =>
  writeWacz({
    title: crawl,
    createdAt: Date.now(),
    software: `Strand ${version}`,
    warcs,
    cdxj,
    pages,
    mainUrl: record.scopeSeeds[0],
  });

/** Returns the URL's entry in the list of pages; undefined if its record is broken. */
export async function waczPage(
  { url, depth, via }: UrlRecord,
  read: ReadAt,
  location: RecordLocation,
): Promise<WaczPage | undefined> {
  const found = await findTitle(read, fetchedUrl(url), location);
  return found && { url: fetchedUrl(url), ...found, isSeed: depth === 0 && !via };
}

/**
 * Returns where a page is archived; undefined for other types, responses other than 200, page requisites, and responses
 * to a POST, which have no URL.
 */
export function pageLocation({ url, state, kind, result }: UrlRecord): RecordLocation | undefined {
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(result?.contentType ?? '');
  const isGet = ownRequest(url)?.method === undefined;
  return isGet && state === 'fetched' && kind === undefined && result?.httpStatus === 200 && isHtml
    ? result.location
    : undefined;
}

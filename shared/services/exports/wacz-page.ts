/** The pages that a WACZ lists. */

import { findTitle } from '../../core/archive/find-title.ts';
import type { RecordLocation } from '../../core/archive/record-location.ts';
import type { ReadAt } from '../../core/archive/scan-members.ts';
import type { WaczPage } from '../../core/archive/wacz-pages.ts';
import { createLimit } from '../../core/base/create-limit.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { isPageStatus } from '../../core/outcome/page-status.ts';
import { ownRequest, pageUrl } from '../../core/url/request-url.ts';
import type { RowSource } from '../report/url-rows.ts';
import type { ArchiveFiles } from './export-archive.ts';

/** Returns the URL's entry in the list of pages; undefined if its record is broken. */
async function waczPage(
  { url, depth, via }: UrlRecord,
  read: ReadAt,
  location: RecordLocation,
): Promise<WaczPage | undefined> {
  const found = await findTitle(read, pageUrl(url), location);
  return found && { url: pageUrl(url), ...found, isSeed: depth === 0 && !via };
}

/**
 * Returns where a page is archived; undefined for other types, responses without a page, page requisites, and responses
 * to a POST, which have no URL.
 */
export function pageLocation({ url, state, kind, result }: UrlRecord): RecordLocation | undefined {
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(result?.contentType ?? '');
  const isGet = ownRequest(url)?.method === undefined;
  return isGet && state === 'fetched' && kind === undefined && isPageStatus(result?.httpStatus) && isHtml
    ? result.location
    : undefined;
}

/** Requests at once for titles of pages. */
const MAX_READS = 32;

/** The pages of the records. Pages in files that are newer than the list are left out. */
export async function pagesIn(
  { rows, crawl }: { readonly rows: RowSource; readonly crawl: CrawlId },
  files: ArchiveFiles,
  records: readonly UrlRecord[],
): Promise<readonly WaczPage[]> {
  const written = records.map((record) => pageLocation(record)!);
  // A file that was joined after the list was taken is in the WACZ by its first name.
  const now = (await rows.locateAll?.(crawl, written)) ?? written;
  const limit = createLimit(MAX_READS);
  const pages = records.map((record, i) => {
    const place = [written[i]!, now[i]!].find((one) => files.has(one));
    return place && limit(() => waczPage(record, files.reader(place.file), place));
  });
  return (await Promise.all(pages)).filter((page) => page !== undefined);
}

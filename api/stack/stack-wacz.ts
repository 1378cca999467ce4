/** A WACZ file of a stack's crawl. */
import { type ExportWarning, withCodingWarnings } from '../../shared/core/archive/replay-codings.ts';
import type { WaczPage } from '../../shared/core/archive/wacz-pages.ts';
import { createLimit } from '../../shared/core/base/create-limit.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { allRecords, type RowSource } from '../url-rows.ts';
import { NothingArchived, pageLocation, waczOf, waczPage } from '../wacz-bytes.ts';
import type { ArchiveFiles, StackArchive } from './stack-archive.ts';

/** Pages whose titles are looked up together, and the requests at once for it. */
const BATCH = 500;
const MAX_READS = 32;

export interface StackWacz {
  readonly rows: RowSource;
  readonly archive: StackArchive;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  readonly warn?: ExportWarning | undefined;
}

/**
 * Yields the bytes of a WACZ file of the WARC files that are in the bucket when this begins. Holds some megabytes,
 * whatever the size of the archive. Throws {@link NothingArchived} before the first byte.
 */
export async function* stackWacz(options: StackWacz): AsyncGenerator<Uint8Array, void, undefined> {
  const { archive, crawl, record, warn } = options;
  const files = await archive.list();
  if (files.warcs.length === 0) throw new NothingArchived(`the crawl ${crawl}`);
  const pages = pagesOf(options, files);
  const cdxj = withCodingWarnings(files.cdxj(warn), warn);
  yield* waczOf({ crawl, record, warcs: files.warcs, cdxj, pages });
}

async function* pagesOf(options: StackWacz, files: ArchiveFiles): AsyncGenerator<WaczPage> {
  let batch: UrlRecord[] = [];
  for await (const record of allRecords(options.rows, options.crawl)) {
    if (pageLocation(record) === undefined || batch.push(record) < BATCH) continue;
    yield* await pagesIn(options, files, batch);
    batch = [];
  }
  yield* await pagesIn(options, files, batch);
}

/** The pages of the records. Pages in files that are newer than the list are left out. */
export async function pagesIn(
  { rows, crawl }: Pick<StackWacz, 'rows' | 'crawl'>,
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

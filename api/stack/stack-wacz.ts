/** A WACZ file of a stack's crawl. */
import { type ExportWarning, withCodingWarnings } from '../../shared/core/archive/replay-codings.ts';
import type { WaczPage } from '../../shared/core/archive/wacz-pages.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import type { StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import type { ArchiveFiles } from '../../shared/services/exports/export-archive.ts';
import { NothingArchived, pageLocation, pagesIn, waczOf } from '../../shared/services/exports/wacz-bytes.ts';
import { allRecords, type RowSource } from '../../shared/services/report/url-rows.ts';

/** Pages whose titles are looked up together. */
const BATCH = 500;

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

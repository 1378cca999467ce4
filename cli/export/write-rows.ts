/** Exports whose rows are lines of JSON or CSV. */
import { itemsCsv } from '../../api/items-csv.ts';
import { SKIPPED_COLUMNS } from '../../api/skipped-urls.ts';
import type { SkippedUrl, StoredCrawl } from '../../api/stored-crawl.ts';
import { type RowFormat, rowHeader, rowLine } from '../../shared/services/report/url-line.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import { formatCount } from '../format.ts';
import { gathered, type RowStream, writerTo } from './row-stream.ts';

/** Writes every known URL of the crawl, host by host, and then the seeds that no ledger knows yet. */
export async function writeUrls(
  crawl: Pick<StoredCrawl, 'urls'>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(exportHeader(format));
  for await (const text of gathered(crawl.urls(), (row) => exportRow(row, format))) await write(text);
}

/** Reads the items twice for CSV, whose header has the keys of all items. */
export async function writeItems(
  crawl: Pick<StoredCrawl, 'items'>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  const lines =
    format === 'csv'
      ? gathered(
          itemsCsv(() => crawl.items()),
          (line) => line,
        )
      : gathered(crawl.items(), (item) => `${JSON.stringify(item)}\n`);
  for await (const text of lines) await write(text);
}

/**
 * Writes the links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason.
 */
export async function writeSkips(
  crawl: Pick<StoredCrawl, 'skipped' | 'skippedBeyond'>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  await writeSkipped(crawl.skipped(), format, out);
  const beyond = crawl.skippedBeyond();
  if (beyond > 0)
    process.stderr.write(
      `strand: the log of links left out was full; ${formatCount(beyond)} more are only counted, some more than once\n`,
    );
}

export async function writeSkipped(
  skipped: AsyncIterable<SkippedUrl>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(rowHeader(SKIPPED_COLUMNS, format));
  for await (const skip of skipped) await write(rowLine(skip, SKIPPED_COLUMNS, format));
}

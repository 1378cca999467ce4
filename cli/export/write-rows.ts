/** Exports whose rows are lines of JSON or CSV. */

import type { SkippedUrl, StoredCrawl } from '../../api/stored-crawl.ts';
import { itemsCsv } from '../../shared/services/outputs/items-csv.ts';
import { SKIPPED_COLUMNS } from '../../shared/services/report/skipped-urls.ts';
import { type RowFormat, rowHeader, rowLine } from '../../shared/services/report/url-line.ts';
import { exportHeader, exportRow } from '../export-rows.ts';
import { formatCount } from '../format.ts';
import { jsonRow, type RowStream, streamRows } from './row-stream.ts';

/** Writes every known URL of the crawl, host by host, and then the seeds that no ledger knows yet. */
export async function writeUrls(
  crawl: Pick<StoredCrawl, 'urls'>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  await streamRows(out, crawl.urls(), (row) => exportRow(row, format), exportHeader(format));
}

/** Reads the items twice for CSV, whose header has the keys of all items. */
export async function writeItems(
  crawl: Pick<StoredCrawl, 'items'>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  if (format === 'jsonl') return streamRows(out, crawl.items(), jsonRow);
  const lines = itemsCsv(() => crawl.items());
  await streamRows(out, lines, (line) => line);
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
  const head = rowHeader(SKIPPED_COLUMNS, format);
  await streamRows(out, skipped, (skip) => rowLine(skip, SKIPPED_COLUMNS, format), head);
}

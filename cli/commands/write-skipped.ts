import { SKIPPED_COLUMNS } from '../../api/skipped-urls.ts';
import type { SkippedUrl } from '../../api/stored-crawl.ts';
import { type RowFormat, rowHeader, rowLine } from '../../shared/services/report/url-line.ts';
import { type RowStream, writerTo } from './write-rows.ts';

/**
 * Writes the links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason.
 */
export async function writeSkipped(
  skipped: AsyncIterable<SkippedUrl>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(rowHeader(SKIPPED_COLUMNS, format));
  for await (const skip of skipped) await write(rowLine(skip, SKIPPED_COLUMNS, format));
}

import type { SkippedUrl } from '../../api/stored-crawl.ts';
import { exportHeader, rowLine } from '../export-rows.ts';
import type { RowFormat } from '../option-spec.ts';
import { type RowStream, writerTo } from './write-rows.ts';

const COLUMNS = ['url', 'reason', 'via', 'cause', 'causeCode'] as const;

/**
 * Writes the links that a crawl left out, and the URLs that it knows and did not fetch, each with the reason.
 */
export async function writeSkipped(
  skipped: AsyncIterable<SkippedUrl>,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(exportHeader(format, COLUMNS));
  for await (const skip of skipped) await write(rowLine(skip, COLUMNS, format));
}

import { once } from 'node:events';
import { type RowSource, urlRows } from '../../api/url-rows.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { RowFormat } from '../../shared/services/report/url-line.ts';
import { exportHeader, exportRow } from '../export-rows.ts';

/** The methods of `process.stdout` that are used. */
export type RowStream = Pick<NodeJS.WritableStream, 'write' | 'once'>;

/** Writes every known URL of the crawl, host by host, and then the seeds that no ledger knows yet. */
export async function writeRows(
  source: RowSource,
  crawl: CrawlId,
  format: RowFormat,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  await write(exportHeader(format));
  for await (const rows of urlRows(source, crawl))
    await write(rows.map((row) => exportRow(row, format)).join(''));
}

/** Writes, and waits while the reader is slower. */
export function writerTo(out: RowStream): (text: string) => Promise<void> {
  return async (text) => {
    if (text !== '' && !out.write(text)) await once(out as NodeJS.WriteStream, 'drain');
  };
}

import type { StoredCrawl, TableName } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { intoFolder } from './into-folder.ts';

/** Parts of the archive that cannot be read and are named on standard error. */
const MAX_NAMED = 10;

/** `strand export CRAWL --format parquet --out FOLDER`. Ends with 1 if a part of the archive could not be read. */
export async function exportParquet(
  crawl: Pick<StoredCrawl, 'exportParquet'>,
  out: string,
  tables?: readonly TableName[],
): Promise<ExitCode> {
  let damaged = 0;
  const warn = (message: string) => {
    if (damaged++ < MAX_NAMED) process.stderr.write(`strand: ${printable(message)}\n`);
  };
  const skip = (url: string, reason: string) => warn(`${url} has no document: ${reason}`);
  const counts = await intoFolder(() => crawl.exportParquet(out, { ...(tables && { tables }), warn, skip }));
  const written = Object.entries(counts).flatMap(([table, rows]) =>
    rows > 0 ? `${table}: ${formatCounted(rows, 'row')}` : [],
  );
  process.stderr.write(`${written.join(', ') || 'nothing'} in ${out}\n`);
  if (damaged > 0) process.stderr.write(`${formatCounted(damaged, 'record')} could not be read\n`);
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

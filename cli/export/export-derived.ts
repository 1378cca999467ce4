import type { DerivedFormat, StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { intoFolder } from './into-folder.ts';

/** Records without a result that are named on standard error. */
const MAX_NAMED = 10;

/** `strand export CRAWL --format wet|wat --out FOLDER`. Ends with 1 if a record could not be read. */
export async function exportDerived(
  crawl: Pick<StoredCrawl, 'exportDerived'>,
  format: DerivedFormat,
  out: string,
): Promise<ExitCode> {
  let damaged = 0;
  const warn = (message: string) => {
    if (damaged++ < MAX_NAMED) process.stderr.write(`strand: ${printable(message)}\n`);
  };
  const { files, records, revisits } = await intoFolder(() => crawl.exportDerived(format, out, { warn }));
  process.stderr.write(`${formatCounted(records, 'record')} in ${formatCounted(files, 'file')} in ${out}\n`);
  if (revisits > 0)
    process.stderr.write(
      `${formatCounted(revisits, 'revisit')} without text and links, which stand in the records that they refer to\n`,
    );
  if (damaged > 0) process.stderr.write(`${formatCounted(damaged, 'record')} could not be read\n`);
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

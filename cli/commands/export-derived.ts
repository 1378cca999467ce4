import { openCrawl } from '../../api/open-crawl.ts';
import type { DerivedFormat } from '../../api/stored-crawl.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { intoFolder } from './into-folder.ts';

/** Records without a result that are named on standard error. */
const MAX_NAMED = 10;

/** `strand export DIR --format wet|wat --out FOLDER`. Ends with 1 if a record could not be read. */
export async function exportDerived({
  dir,
  format,
  out,
}: LocalCommandOf<'export'> & { readonly format: DerivedFormat }): Promise<number> {
  await using crawl = await openCrawl(dir);
  let damaged = 0;
  const warn = (message: string) => {
    if (damaged++ < MAX_NAMED) process.stderr.write(`strand: ${message}\n`);
  };
  const { files, records } = await intoFolder(() => crawl.exportDerived(format, out!, { warn }));
  process.stderr.write(`${formatCounted(records, 'record')} in ${formatCounted(files, 'file')} in ${out}\n`);
  if (damaged > 0) process.stderr.write(`${formatCounted(damaged, 'record')} could not be read\n`);
  return damaged > 0 ? exitCodes.unexpected : exitCodes.finished;
}

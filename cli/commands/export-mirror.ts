import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { intoFolder } from './into-folder.ts';

/** Responses that cannot be read and are named on standard error. */
const MAX_NAMED = 10;

/**
 * `strand export DIR --format mirror --out FOLDER`, and `strand crawl --save FOLDER`. Ends with 1 if a response
 * was left out.
 */
export async function exportMirror(crawl: Pick<StoredCrawl, 'exportMirror'>, out: string): Promise<ExitCode> {
  let named = 0;
  const skip = (url: string, reason: string) => {
    if (named++ < MAX_NAMED)
      process.stderr.write(`strand: ${printable(url)} is not in the mirror: ${printable(reason)}\n`);
  };
  const { files, pages, skipped } = await intoFolder(() => crawl.exportMirror(out, { skip }));
  const left = skipped > 0 ? `; ${formatCounted(skipped, 'response')} left out` : '';
  process.stderr.write(
    `${formatCounted(files, 'file')}, ${formatCounted(pages, 'page')} among them, in ${out}${left}\n`,
  );
  return skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
}

import type { StoredCrawl } from '../../api/stored-crawl.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { createSkips } from '../skips.ts';
import { intoFolder } from './into-folder.ts';

/**
 * `strand export DIR --format mirror --out FOLDER`, and `strand crawl --mirror FOLDER`. Ends with 1 if a response
 * was left out.
 */
export async function exportMirror(crawl: Pick<StoredCrawl, 'exportMirror'>, out: string): Promise<ExitCode> {
  const { skip } = createSkips((url) => `${url} is not in the mirror`);
  const { files, pages, skipped } = await intoFolder(() => crawl.exportMirror(out, { skip }));
  const left = skipped > 0 ? `; ${formatCounted(skipped, 'response')} left out` : '';
  process.stderr.write(
    `${formatCounted(files, 'file')}, ${formatCounted(pages, 'page')} among them, in ${out}${left}\n`,
  );
  return skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
}

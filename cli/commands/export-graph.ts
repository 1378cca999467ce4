import type { GraphSize, StoredCrawl } from '../../api/stored-crawl.ts';
import { printable } from '../../shared/core/text/printable.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { intoFolder } from './into-folder.ts';

/** Pages that cannot be read and are named on standard error. */
const MAX_NAMED = 10;

/** `strand export CRAWL --format graph --out FOLDER`. Ends with 1 if a page could not be read. */
export async function exportGraph(crawl: Pick<StoredCrawl, 'exportGraph'>, out: string): Promise<ExitCode> {
  let named = 0;
  const skip = (url: string, reason: string) => {
    if (named++ < MAX_NAMED)
      process.stderr.write(`strand: the links of ${printable(url)} are left out: ${printable(reason)}\n`);
  };
  const { hosts, pages, skipped } = await intoFolder(() => crawl.exportGraph(out, { skip }));
  process.stderr.write(`${sizeText('host', hosts)}; ${sizeText('page', pages)} in ${out}\n`);
  if (skipped > 0) process.stderr.write(`${formatCounted(skipped, 'page')} could not be read\n`);
  return skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
}

const sizeText = (name: string, { vertices, edges }: GraphSize): string =>
  `${formatCounted(vertices, name)} with ${formatCounted(edges, 'link')}`;

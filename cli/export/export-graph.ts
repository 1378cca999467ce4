import type { GraphSize, StoredCrawl } from '../../api/stored-crawl.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { createSkips } from '../skips.ts';
import { intoFolder } from './into-folder.ts';

/** `strand export CRAWL --format graph --out FOLDER`. Ends with 1 if a page could not be read. */
export async function exportGraph(crawl: Pick<StoredCrawl, 'exportGraph'>, out: string): Promise<ExitCode> {
  const { skip } = createSkips((url) => `the links of ${url} are left out`);
  const { hosts, pages, skipped } = await intoFolder(() => crawl.exportGraph(out, { skip }));
  process.stderr.write(`${sizeText('host', hosts)}; ${sizeText('page', pages)} in ${out}\n`);
  if (skipped > 0) process.stderr.write(`${formatCounted(skipped, 'page')} could not be read\n`);
  return skipped > 0 ? exitCodes.unexpected : exitCodes.finished;
}

const sizeText = (name: string, { vertices, edges }: GraphSize): string =>
  `${formatCounted(vertices, name)} with ${formatCounted(edges, 'link')}`;

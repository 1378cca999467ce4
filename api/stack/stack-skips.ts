/** The links that a stack's crawl left out, as its workers have stored them in S3. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Skip, SkipLine } from '../../shared/crawler/ports/skip-log.ts';
import { skipsPrefix } from '../../shared/engines/aws/archive/item-folders.ts';
import { jsonObjects, type StoredLines } from '../../shared/engines/aws/archive/stack-items.ts';
import { createLineSorter } from '../../shared/engines/line-sorter.ts';
import { distinctSkips, sortedLineOf } from '../../shared/services/exports/distinct-skips.ts';

/**
 * Yields each link once, by reason and URL. Sorts them in files of the temporary folder, and holds some megabytes.
 * `onBeyond`: called with the number of links that were only counted.
 */
export async function* stackSkips(
  stored: StoredLines,
  onBeyond: (links: number) => void,
): AsyncGenerator<Skip, void, undefined> {
  const temporary = await mkdtemp(join(tmpdir(), 'strand-skips-'));
  const sorter = createLineSorter((n) => join(temporary, `run-${n}`));
  try {
    for await (const line of jsonObjects<SkipLine>(stored, skipsPrefix(stored.crawl))) {
      if ('beyond' in line) onBeyond(line.beyond);
      else await sorter.add(sortedLineOf(line));
    }
    for await (const { skip } of distinctSkips(sorter.sorted())) yield skip;
  } finally {
    await sorter.dispose();
    await rm(temporary, { recursive: true, force: true });
  }
}

import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Head } from '../../../core/frontier/head.ts';
import { NO_SUMS, replaceHead, type Sums } from '../sums.ts';
import type { BlockOf } from './host-blocks.ts';

/**
 * Returns the sums over the heads of each block's hosts. Reads every head of the crawl: at the start, and
 * after the death of a thread, whose work nothing else knows.
 */
export function sumBlocks(database: DatabaseSync, crawl: CrawlId, blocks: number, blockOf: BlockOf): Sums[] {
  const sums = Array.from({ length: blocks }, () => NO_SUMS);
  const select = database.prepare('SELECT host, head FROM heads WHERE crawl = ?');
  for (const { host, head } of select.iterate(crawl)) {
    const block = blockOf(host as string);
    sums[block] = replaceHead(sums[block]!, undefined, JSON.parse(head as string) as Head);
  }
  return sums;
}

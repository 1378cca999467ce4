import type { DatabaseSync } from 'node:sqlite';
import type { Head } from '../../../frontier/head.ts';
import type { CrawlId } from '../../../ports.ts';
import { NO_SUMS, replaceHead, type Sums } from '../sums.ts';
import { blockOf } from './block-of.ts';

/** What the heads of a block's hosts come to. */
export interface BlockHeads {
  readonly sums: Sums;
  /** Of all versions: it grows with each commit. */
  readonly versions: number;
}

/** Reads every head of the crawl: for the begin, and for when a thread has died and nobody else knows what it did. */
export function readBlockHeads(database: DatabaseSync, crawl: CrawlId, blocks: number): BlockHeads[] {
  const found = Array.from({ length: blocks }, () => ({ sums: NO_SUMS, versions: 0 }));
  const select = database.prepare('SELECT host, head FROM heads WHERE crawl = ?');
  for (const { host, head: text } of select.iterate(crawl)) {
    const head = JSON.parse(text as string) as Head;
    const block = found[blockOf(host as string, blocks)]!;
    block.sums = replaceHead(block.sums, undefined, head);
    block.versions += head.version;
  }
  return found;
}

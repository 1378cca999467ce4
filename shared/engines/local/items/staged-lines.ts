import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { ItemStore } from '../../../crawler/ports/item-store.ts';
import { inTransaction } from '../database.ts';

/** Stores lines of a turn as rows of its table. */
export type InsertLines = (crawl: CrawlId, host: HostKey, version: number, lines: readonly string[]) => void;

/**
 * Stages lines of a turn in a table beside the heads: they count once the head of their version is there. A turn
 * without lines costs one query: an earlier one that was discarded may have staged some for the same version.
 */
export function createLineStage(
  database: DatabaseSync,
  table: 'staged_items' | 'staged_changes',
  insert: InsertLines,
): ItemStore['stage'] {
  const selectHead = database.prepare('SELECT version FROM heads WHERE crawl = ? AND host = ?');
  const ofTurn = 'crawl = ? AND host = ? AND version = ?';
  const isStaged = database.prepare(`SELECT 1 FROM ${table} WHERE ${ofTurn} LIMIT 1`);
  const unstage = database.prepare(`DELETE FROM ${table} WHERE ${ofTurn}`);
  return async (crawl, host, version, lines) => {
    if (lines.length === 0 && isStaged.get(crawl, host, version) === undefined) return undefined;
    inTransaction(database, () => {
      const head = selectHead.get(crawl, host);
      // A caller that comes so late has lost its turn. The lines of that version are another's, and perhaps half published.
      if (head !== undefined && (head.version as number) >= version) return;
      unstage.run(crawl, host, version);
      insert(crawl, host, version, lines);
    });
    return undefined;
  };
}

/** Changes of pages that are to be sent to the operator's programs, in the database until they were received. */
import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { ItemStore } from '../../../crawler/ports/item-store.ts';
import { changeGroups, MAX_CHANGES } from '../../../services/webhook/change-events.ts';
import { inTransaction } from '../database.ts';
import { createLineStage } from './staged-lines.ts';

/** Beside the heads, which decide which of the staged changes count. */
export const CHANGES_SCHEMA = `
CREATE TABLE IF NOT EXISTS staged_changes (
  id INTEGER PRIMARY KEY, crawl TEXT NOT NULL, host TEXT NOT NULL, version INTEGER NOT NULL, lines TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS staged_changes_of_host ON staged_changes (crawl, host, version);
`;

/** Changes that are committed, the oldest first. */
export interface PendingChanges {
  readonly ids: readonly number[];
  /** Lines of JSON, as many as one event may have. */
  readonly lines: readonly string[];
}

export interface ChangeOutbox {
  /** Undefined: there are none. */
  next(crawl: CrawlId): PendingChanges | undefined;
  /** They were received. */
  remove(changes: PendingChanges): void;
}

/** The port for any number of threads, each with its own connection. A change counts once its turn is committed. */
export function createChangeStage(database: DatabaseSync): ItemStore {
  const insert = database.prepare(
    'INSERT INTO staged_changes (crawl, host, version, lines) VALUES (?, ?, ?, ?)',
  );
  return {
    stage: createLineStage(database, 'staged_changes', (crawl, host, version, lines) => {
      for (const group of changeGroups(lines)) insert.run(crawl, host, version, group.join('\n'));
    }),
    async publish() {},
  };
}

export function openChangeOutbox(database: DatabaseSync): ChangeOutbox {
  const select = database.prepare(
    `SELECT s.id, s.lines FROM staged_changes s JOIN heads h
       ON h.crawl = s.crawl AND h.host = s.host AND h.version >= s.version
     WHERE s.crawl = ? ORDER BY s.id LIMIT ${MAX_CHANGES}`,
  );
  const remove = database.prepare('DELETE FROM staged_changes WHERE id = ?');
  return {
    next(crawl) {
      const rows = select.all(crawl) as { id: number; lines: string }[];
      const lines = rows.flatMap((row) => row.lines.split('\n'));
      const group = changeGroups(lines)[0];
      if (!group) return undefined;
      // Whole rows; the first one always fits.
      const ids: number[] = [];
      let count = 0;
      for (const row of rows) {
        const next = count + row.lines.split('\n').length;
        if (next > group.length && ids.length > 0) break;
        count = next;
        ids.push(row.id);
      }
      return { ids, lines: lines.slice(0, count) };
    },
    remove({ ids }) {
      inTransaction(database, () => {
        for (const id of ids) remove.run(id);
      });
    },
  };
}

/** Drops changes staged by turns that were never committed. No process may crawl meanwhile. */
export function dropUncommitted(database: DatabaseSync): void {
  database.exec(`DELETE FROM staged_changes WHERE NOT EXISTS (
    SELECT 1 FROM heads WHERE heads.crawl = staged_changes.crawl AND heads.host = staged_changes.host
    AND heads.version >= staged_changes.version)`);
}

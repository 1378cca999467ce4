/** The documents that each destination has, in a file of SQLite: the cursor of each. */

import { inTransaction } from '../../shared/engines/local/database.ts';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';

const TIMEOUT_MS = 60_000;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sent (
    id INTEGER PRIMARY KEY, sink TEXT NOT NULL, url TEXT NOT NULL, capture TEXT NOT NULL, version INTEGER NOT NULL,
    UNIQUE (sink, url)
  );
`;
/** Rows that are read together. */
const PAGE = 1000;

type CapturedPage = Pick<DocumentRow, 'url' | 'location'>;

interface SentDocument {
  readonly url: string;
  readonly version: number;
}

export interface SentDocuments {
  /** Whether this capture of the page was sent. Then the page is one that is kept. */
  has(page: CapturedPage): boolean;
  /** The page stays at the destination, in any version that was sent. */
  keep(url: string): void;
  add(documents: readonly (CapturedPage & { readonly version: number })[]): void;
  remove(urls: readonly string[]): void;
  /** The destination has none of them any more. */
  clear(): void;
  /** Yields those that were neither kept nor added since the file was opened. May be removed meanwhile. */
  others(): Generator<SentDocument>;
  close(): void;
}

const captureOf = ({ location }: CapturedPage): string => JSON.stringify([location?.file, location?.offset]);

/** `sink`: the address of the destination. */
export function openSentDocuments(path: string, sink: string): SentDocuments {
  const database = openSqlite(path, { timeout: TIMEOUT_MS });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
  const find = database.prepare('SELECT id, capture FROM sent WHERE sink = ? AND url = ?');
  const insert = database.prepare(
    `INSERT INTO sent (sink, url, capture, version) VALUES (?, ?, ?, ?)
     ON CONFLICT (sink, url) DO UPDATE SET capture = excluded.capture, version = excluded.version RETURNING id`,
  );
  const drop = database.prepare('DELETE FROM sent WHERE sink = ? AND url = ?');
  const dropAll = database.prepare('DELETE FROM sent WHERE sink = ?');
  const page = database.prepare(
    `SELECT id, url, version FROM sent WHERE sink = ? AND id > ? ORDER BY id LIMIT ${PAGE}`,
  );
  const kept = new Set<number>();

  return {
    has(asked) {
      const row = find.get(sink, asked.url) as { id: number; capture: string } | undefined;
      if (row?.capture !== captureOf(asked)) return false;
      kept.add(row.id);
      return true;
    },
    keep(url) {
      const row = find.get(sink, url) as { id: number } | undefined;
      if (row) kept.add(row.id);
    },
    add(documents) {
      inTransaction(database, () => {
        for (const document of documents) {
          const row = insert.get(sink, document.url, captureOf(document), document.version);
          kept.add((row as { id: number }).id);
        }
      });
    },
    remove(urls) {
      inTransaction(database, () => {
        for (const url of urls) drop.run(sink, url);
      });
    },
    clear: () => void dropAll.run(sink),
    *others() {
      let last = 0;
      for (;;) {
        const rows = page.all(sink, last) as unknown as (SentDocument & { id: number })[];
        if (rows.length === 0) return;
        last = rows.at(-1)!.id;
        for (const { id, url, version } of rows) if (!kept.has(id)) yield { url, version };
      }
    },
    close: () => database.close(),
  };
}

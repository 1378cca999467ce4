/** State of hooks in a file of SQLite, which all threads of a crawl write. */
import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { orStorageFailed } from '../../../core/base/storage-failed.ts';
import { MAX_STATE_KEYS } from '../../../crawler/ports/shared-state.ts';
import { type StateStore, TooManyKeys } from '../../../services/hooks/crawl-state.ts';
import { openSqlite } from '../open-sqlite.ts';

export interface StateFile extends StateStore {
  close(): void;
}

/** How long a statement waits for another thread's. */
const TIMEOUT_MS = 10_000;

/**
 * Each call is one statement: hooks may be cut off at any time, and no transaction is left open then. What is
 * written outlives the process; after a loss of power, the last changes may be gone.
 */
const SCHEMA = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID`;

/** The file is made when something is kept. */
export function openStateFile(path: string): StateFile {
  let database: DatabaseSync | undefined;
  const statements = new Map<string, StatementSync>();

  function statement(sql: string): StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    database ??= orStorageFailed(path, () => openDatabase(path));
    const made = database.prepare(sql);
    statements.set(sql, made);
    return made;
  }

  const isThere = () => database !== undefined || existsSync(path);
  const change = (sql: string, ...values: (string | number)[]): boolean =>
    orStorageFailed(path, () => statement(sql).run(...values).changes) === 1;

  return {
    get(key) {
      if (!isThere()) return undefined;
      const row = orStorageFailed(path, () => statement('SELECT value FROM state WHERE key = ?').get(key));
      return row?.value as string | undefined;
    },
    swap(key, before, after) {
      if (before !== undefined)
        return change('UPDATE state SET value = ? WHERE key = ? AND value = ?', after, key, before);
      const isAdded = change(
        'INSERT INTO state SELECT ?, ? WHERE (SELECT count(*) FROM state) < ? ON CONFLICT DO NOTHING',
        key,
        after,
        MAX_STATE_KEYS,
      );
      if (!isAdded && this.get(key) === undefined) throw new TooManyKeys();
      return isAdded;
    },
    delete(key) {
      if (isThere()) change('DELETE FROM state WHERE key = ?', key);
    },
    entries() {
      if (!isThere()) return [];
      const rows = orStorageFailed(path, () => statement('SELECT key, value FROM state ORDER BY key').all());
      return rows.map(({ key, value }) => [key as string, value as string] as const);
    },
    close() {
      statements.clear();
      database?.close();
      database = undefined;
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  const database = openSqlite(path, { timeout: TIMEOUT_MS });
  try {
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

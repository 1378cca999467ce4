import { DatabaseSync } from 'node:sqlite';

/** `join`: to write beside others of this process; the database is there already. */
export type DatabaseMode = 'write' | 'join' | 'read';

/**
 * The crawl folder's database. Journalled ahead of writing (WAL): a killed process loses nothing that was committed,
 * and `status` and `export` may read while a crawl writes. `synchronous = NORMAL`: after a loss of power the last
 * commits may be gone, but only from the end, so no head ever names what is not there.
 */
export function openDatabase(path: string, mode: DatabaseMode): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 10_000 });
  if (mode === 'read') return database;
  if (mode === 'join') {
    database.exec(TUNING);
    return database;
  }
  database.exec(`PRAGMA journal_mode = WAL; ${TUNING}`);
  const version = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version.user_version > SCHEMA_VERSION)
    throw new Error(`${path} was written by a newer version of Strand (schema ${version.user_version})`);
  if (version.user_version === 1) database.exec(FROM_1);
  database.exec(SCHEMA);
  return database;
}

/**
 * Of each connection. What statements put aside is small, and no file need be made for it. What is committed is copied from
 * the journal each 16 MB, as most of it is written again soon.
 */
const TUNING = `PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;
PRAGMA wal_autocheckpoint = 4000`;

const SCHEMA_VERSION = 2;

const FROM_1 = 'ALTER TABLE messages ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0';

const SCHEMA = `
PRAGMA user_version = ${SCHEMA_VERSION};
CREATE TABLE IF NOT EXISTS crawls (
  crawl TEXT PRIMARY KEY, record TEXT NOT NULL, started_at INTEGER NOT NULL, active_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS heads (
  crawl TEXT NOT NULL, host TEXT NOT NULL, version INTEGER NOT NULL, due_at INTEGER, head TEXT NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due ON heads (crawl, due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS parts (
  crawl TEXT NOT NULL, host TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB, file TEXT,
  PRIMARY KEY (crawl, host, name)
) STRICT;
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, host TEXT NOT NULL, body BLOB NOT NULL, receive_count INTEGER NOT NULL DEFAULT 0,
  in_flight INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS message_groups ON messages (host, id);
CREATE TABLE IF NOT EXISTS parcels (id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS warc_files (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
`;

/** From how many bytes on a message is compressed here, where none is paid for by its size: never. It would be 2.4 times smaller. */
export const PLAIN = Number.POSITIVE_INFINITY;

/** Runs `work` in one transaction: all of it or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

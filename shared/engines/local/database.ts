import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { orStorageFailed } from '../../core/base/storage-failed.ts';
import { InvalidConfig } from '../../core/crawl/config.ts';
import { openSqlite } from './open-sqlite.ts';

/** How long a statement waits for another connection's lock. */
const TIMEOUT_MS = 10_000;

/** `join`: to write beside others of this process; the database is there already. */
export type DatabaseMode = 'write' | 'join' | 'read';

/**
 * The crawl folder's database. Journalled ahead of writing (WAL): a killed process loses no committed data, and
 * `status` and `export` may read while a crawl writes. `synchronous = NORMAL`: after a loss of power the last commits
 * may be gone, but only from the end, so no head ever names a missing part.
 */
export function openDatabase(path: string, mode: DatabaseMode): DatabaseSync {
  return orStorageFailed(path, () => {
    const database = openSqlite(path, { readOnly: mode === 'read', timeout: TIMEOUT_MS });
    try {
      if (mode !== 'read') database.exec(TUNING);
      if (mode === 'write') prepareSchema(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** A database with the tables of a crawl's folder that is in memory, and gone when it is closed. */
export function openMemoryDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  return database;
}

/** All of it or nothing: a process that is killed meanwhile leaves what can be opened again. */
function prepareSchema(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA journal_mode = WAL');
  inTransaction(database, () => {
    const version = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version.user_version > SCHEMA_VERSION)
      throw new InvalidConfig(
        `${path} was written by a newer version of Strand (schema ${version.user_version}): use that one`,
      );
    database.exec(SCHEMA);
  });
}

/**
 * SQLite's result code for a transaction that only a connection which may write can undo
 * (https://www.sqlite.org/rescode.html).
 */
const READONLY_ROLLBACK = 776;

/**
 * Whether the database at `path` holds a crawl. A database whose first commit failed holds none, and is created again.
 * If a process was killed while it created the database, its writes are undone.
 */
export function holdsCrawl(path: string): boolean {
  if (!existsSync(path)) return false;
  return orStorageFailed(path, () => {
    try {
      return hasCrawl(path, 'read');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== READONLY_ROLLBACK) throw error;
      return hasCrawl(path, 'join');
    }
  });
}

/** Whether a file is there that was made for a crawl, though none may have begun, and its tables may not be there yet. */
export const isCrawlDatabase = (path: string): boolean =>
  existsSync(path) && orStorageFailed(path, () => inDatabase(path, 'read', isOfCrawl));

/** As above, and true for a database that cannot be read, such as on a full disk. */
export function mayHoldCrawl(path: string): boolean {
  try {
    return holdsCrawl(path);
  } catch {
    return true;
  }
}

const hasCrawl = (path: string, mode: 'read' | 'join'): boolean =>
  inDatabase(
    path,
    mode,
    (database) => hasTable(database) && database.prepare('SELECT 1 FROM crawls LIMIT 1').get() !== undefined,
  );

const hasTable = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'crawls'").get() !== undefined;

function isOfCrawl(database: DatabaseSync): boolean {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.length === 0 || tables.some(({ name }) => SCHEMA.includes(`EXISTS ${name} (`));
}

function inDatabase<T>(path: string, mode: 'read' | 'join', use: (database: DatabaseSync) => T): T {
  const database = openSqlite(path, { readOnly: mode === 'read', timeout: TIMEOUT_MS });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/**
 * Settings of each connection. What statements put aside is small, and no file need be made for it. What is committed
 * is copied from the journal each 16 MB, as most of it is written again soon.
 */
const TUNING = `PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;
PRAGMA wal_autocheckpoint = 4000`;

const SCHEMA_VERSION = 1;

const SCHEMA = `
PRAGMA user_version = ${SCHEMA_VERSION};
CREATE TABLE IF NOT EXISTS crawls (
  crawl TEXT PRIMARY KEY, record TEXT NOT NULL, started_at INTEGER NOT NULL, active_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS site_lists (
  crawl TEXT NOT NULL, id TEXT NOT NULL, sites TEXT NOT NULL, PRIMARY KEY (crawl, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS heads (
  crawl TEXT NOT NULL, host TEXT NOT NULL, version INTEGER NOT NULL, due_at INTEGER, head TEXT NOT NULL,
  PRIMARY KEY (crawl, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due ON heads (crawl, due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS parts (
  crawl TEXT NOT NULL, host TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB, file TEXT,
  PRIMARY KEY (crawl, host, name)
) STRICT;
CREATE INDEX IF NOT EXISTS part_files ON parts (file) WHERE file IS NOT NULL;
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, host TEXT NOT NULL, body BLOB NOT NULL, receive_count INTEGER NOT NULL DEFAULT 0,
  in_flight INTEGER NOT NULL DEFAULT 0, seeds INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS message_groups ON messages (host, id);
CREATE INDEX IF NOT EXISTS message_seeds ON messages (receive_count, in_flight, seeds) WHERE seeds > 0;
CREATE TABLE IF NOT EXISTS parcels (
  id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL, seeds INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS parcel_seeds ON parcels (seeds) WHERE seeds > 0;
CREATE TABLE IF NOT EXISTS jars (
  crawl TEXT NOT NULL, domain TEXT NOT NULL, account TEXT NOT NULL, version INTEGER NOT NULL, jar TEXT NOT NULL,
  cookies BLOB NOT NULL, PRIMARY KEY (crawl, domain, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS warc_files (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
`;

/**
 * From how many bytes on a message is compressed here, where none is paid for by its size: never. It would be
 * 2.4 times smaller.
 */
export const PLAIN = Number.POSITIVE_INFINITY;

/** Runs `work` in one transaction: all of it or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A full or broken disk has made SQLite roll back by itself.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

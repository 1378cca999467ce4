/** Opens an SQLite file of a crawl's folder, which somebody else may have made. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { NO_FOLLOW, refuseLink, refuseOtherNames } from './folder-guard.ts';

const BESIDE = ['', '-wal', '-shm', '-journal'];

/** Tables that hold rows, and their indexes. */
const PLAIN = /^CREATE (?:TABLE|INDEX|UNIQUE INDEX) /i;
const FULL_TEXT = /^CREATE VIRTUAL TABLE \w{1,64} USING fts5 ?\(/i;

interface SqliteOptions extends DatabaseSyncOptions {
  /** Whether full-text indexes may be in it, too. Default: false. */
  readonly hasFullText?: boolean;
}

/** SQLITE_CANTOPEN, and SQLITE_READONLY_DIRECTORY in a folder of somebody else. */
const NOT_WRITTEN = [14, 1544];

/**
 * Throws `InvalidConfig` for a link, and for a schema that runs something when a table is read or written: a view, which may
 * never end, a trigger, a virtual table or a generated column. Strand makes none.
 */
export function openSqlite(
  path: string,
  { hasFullText = false, ...options }: SqliteOptions = {},
): DatabaseSync {
  checkFiles(path, options);
  try {
    return openChecked(new DatabaseSync(path, options), path, hasFullText);
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    if (!options.readOnly || !NOT_WRITTEN.includes(errcode) || !isUnchanging(path)) throw error;
    const immutable = pathToFileURL(path);
    immutable.search = '?immutable=1';
    return openChecked(new DatabaseSync(immutable, options), path, hasFullText);
  }
}

/**
 * Whether the database is complete in its file, and nobody can write to it: on a read-only medium SQLite cannot make the index
 * of the write-ahead log, without which it opens only an immutable file (https://www.sqlite.org/wal.html#readonly).
 */
function isUnchanging(path: string): boolean {
  const sizeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (!existsSync(path) || sizeOf(`${path}-wal`) > 0 || sizeOf(`${path}-journal`) > 0) return false;
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function openChecked(database: DatabaseSync, path: string, hasFullText: boolean): DatabaseSync {
  try {
    // From Node 24.12 on; https://www.sqlite.org/security.html names both.
    database.enableDefensive?.(true);
    database.exec('PRAGMA trusted_schema = OFF');
    checkSchema(database, path, hasFullText);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function checkSchema(database: DatabaseSync, path: string, hasFullText: boolean): void {
  const entries = database.prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  for (const { type, name, sql } of entries) {
    const text = String(sql);
    if (!PLAIN.test(text) && !(hasFullText && FULL_TEXT.test(text)))
      throw forged(path, `${type} ${JSON.stringify(name)}`);
  }
  const generated = database
    .prepare(
      `SELECT t.name AS name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%' AND c.hidden <> 0 LIMIT 1`,
    )
    .get();
  if (generated) throw forged(path, `generated column of ${JSON.stringify(generated.name)}`);
}

const forged = (path: string, what: string): InvalidConfig =>
  new InvalidConfig(
    `${path} has the ${what.replaceAll(/[^\x20-\x7e]/g, '?')}, which Strand never makes: the file was changed or forged, and is not opened`,
  );

/**
 * Throws `InvalidConfig` for a database that is a link, that is written and has another name, or whose journal names another
 * file.
 */
export function checkFiles(
  path: string,
  { readOnly = false }: Pick<DatabaseSyncOptions, 'readOnly'> = {},
): void {
  for (const suffix of BESIDE) {
    refuseLinkAt(path + suffix);
    // Who only reads writes the index of the write-ahead log, too, which loses nothing if it is one.
    const isOnlyRead = readOnly && (suffix !== '-shm' || isWalIndex(path + suffix));
    if (!isOnlyRead) refuseOtherNames(path + suffix);
  }
  const journal = `${path}-journal`;
  if (!existsSync(journal) || !namesSuperJournal(journal)) return;
  throw new InvalidConfig(
    `${journal} names another file, which SQLite would delete when it is done with it: Strand writes no such journal, and it is not used`,
  );
}

/** The version of the format, which begins the file (https://www.sqlite.org/walformat.html#the_wal_index_file_format). */
const WAL_INDEX_VERSION = 3_007_000;

function isWalIndex(path: string): boolean {
  if (!existsSync(path)) return true;
  const start = new Uint32Array(1);
  const file = openSync(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    return readSync(file, start) === start.byteLength && start[0] === WAL_INDEX_VERSION;
  } finally {
    closeSync(file);
  }
}

/** The last bytes of a journal that ends with the name of a super-journal (https://www.sqlite.org/fileformat2.html#the_rollback_journal). */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/** A transaction over several databases has one; Strand has none. SQLite deletes the file of that name after a rollback. */
function namesSuperJournal(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const end = Buffer.alloc(JOURNAL_MAGIC.length);
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length));
    return end.equals(JOURNAL_MAGIC) && fstatSync(file).size > 2 * end.length;
  } finally {
    closeSync(file);
  }
}

/** Throws `InvalidConfig` if a link is at the path, or a pipe. */
function refuseLinkAt(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found) refuseLink(found, path);
}

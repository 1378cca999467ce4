/** Opens an SQLite file of a crawl's folder, which somebody else may have made. */
import { lstatSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { InvalidConfig } from '../../crawl/invalid-config.ts';
import { refuseLink } from './folder-guard.ts';

const BESIDE = ['', '-wal', '-shm', '-journal'];

/** Tables that hold rows, and their indexes. */
const PLAIN = /^CREATE (?:TABLE|INDEX|UNIQUE INDEX) /i;
const FULL_TEXT = /^CREATE VIRTUAL TABLE \w{1,64} USING fts5 ?\(/i;

interface SqliteOptions extends DatabaseSyncOptions {
  /** Whether full-text indexes may be in it, too. Default: false. */
  readonly hasFullText?: boolean;
}

/**
 * Throws `InvalidConfig` for a link, and for a schema that runs something when a table is read or written: a view, which may
 * never end, a trigger, a virtual table or a generated column. Strand makes none.
 */
export function openSqlite(
  path: string,
  { hasFullText = false, ...options }: SqliteOptions = {},
): DatabaseSync {
  for (const suffix of BESIDE) refuseLinkAt(path + suffix);
  const database = new DatabaseSync(path, options);
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

/** Throws `InvalidConfig` if a link is at the path, or a pipe. */
export function refuseLinkAt(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found) refuseLink(found, path);
}

/**
 * WARC files of a crawl that came from a stack, where they were joined into larger ones. Ledgers name records by the file
 * that they were written to.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type JoinedSource, placeInJoined } from '../../../core/archive/joined-source.ts';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import { holdsCrawl, inTransaction, openDatabase } from '../database.ts';

export type JoinedFiles = ReadonlyMap<string, JoinedSource>;

const SCHEMA = `CREATE TABLE IF NOT EXISTS joined_files (
  file TEXT PRIMARY KEY, joined TEXT NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL
) STRICT`;

/** Safe to repeat. */
export function saveJoinedFiles(database: DatabaseSync, joined: JoinedFiles): void {
  if (joined.size === 0) return;
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT OR REPLACE INTO joined_files VALUES (?, ?, ?, ?)');
  inTransaction(database, () => {
    for (const [source, { file, offset, bytes }] of joined) insert.run(source, file, offset, bytes);
  });
}

/** By the name of the file that was joined. */
export function loadJoinedFiles(database: DatabaseSync): JoinedFiles {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'joined_files'").get()) return new Map();
  const rows = database
    .prepare('SELECT file AS source, joined AS file, offset, bytes FROM joined_files')
    .all();
  return new Map(
    (rows as unknown as ({ source: string } & JoinedSource)[]).map(({ source, ...place }) => [source, place]),
  );
}

/** As above, for the database at `path`. */
export function readJoinedFiles(path: string): JoinedFiles {
  if (!holdsCrawl(path)) return new Map();
  const database = openDatabase(path, 'read');
  try {
    return loadJoinedFiles(database);
  } finally {
    database.close();
  }
}

/** Where the record stands. */
export function locateIn(joined: JoinedFiles, location: RecordLocation): RecordLocation {
  const source = joined.get(location.file);
  return source ? placeInJoined(location, source) : location;
}

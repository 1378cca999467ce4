import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../database.ts';

/** How many bytes of each file being written are durable, and announced by nothing that came later. */
export interface FileArchiveJournal {
  load(): { file: string; bytes: number }[];
  /** Durable when it returns. */
  save(file: string, bytes: number): void;
  /** The file has its final name: forget it. */
  close(file: string): void;
}

interface Row {
  readonly file: string;
  readonly bytes: number;
}

const loadFrom = (database: DatabaseSync): Row[] =>
  database.prepare('SELECT file, bytes FROM warc_files').all() as unknown as Row[];

/**
 * How many bytes of each open WARC file are good, beside the heads that name their records. `pattern`: of
 * which files.
 */
export function createWarcJournal(database: DatabaseSync, pattern = /^/): FileArchiveJournal {
  const save = database.prepare('INSERT OR REPLACE INTO warc_files (file, bytes) VALUES (?, ?)');
  const close = database.prepare('DELETE FROM warc_files WHERE file = ?');
  return {
    load: () => loadFrom(database).filter(({ file }) => pattern.test(file)),
    save: (file, bytes) => save.run(file, bytes),
    close: (file) => close.run(file),
  };
}

/**
 * For each WARC file that is being written, how many bytes survive a crash, by the crawl's database at
 * `path`.
 */
export function durableBytes(path: string): ReadonlyMap<string, number> {
  if (!existsSync(path)) return new Map();
  const database = openDatabase(path, 'read');
  try {
    return new Map(loadFrom(database).map(({ file, bytes }) => [file, bytes]));
  } finally {
    database.close();
  }
}

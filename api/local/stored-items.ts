import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { readItems } from './readers.ts';

/**
 * How much of the items' file is good, while a process may be appending to it; undefined for an older crawl.
 */
export function goodItemBytes(folder: string): number | undefined {
  const { items, database: path } = foldersOf(folder);
  const database = openDatabase(path, 'read');
  try {
    const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'item_files'").get();
    const row =
      hasTable && database.prepare('SELECT bytes FROM item_files WHERE file = ?').get(basename(items));
    return row?.bytes as number | undefined;
  } finally {
    database.close();
  }
}

/** The items of the crawl in the folder, up to `bytes` of their file; none if no hook has returned one. */
export async function* storedItems<T>(
  folder: string,
  bytes = goodItemBytes(folder),
): AsyncGenerator<T, void, undefined> {
  const { items } = foldersOf(folder);
  if (existsSync(items)) yield* readItems<T>(items, bytes);
}

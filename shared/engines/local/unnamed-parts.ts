import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/**
 * Removes the files of ledgers' parts that the database does not name: a process or a thread died after it had written a
 * part and before the database knew, or after the database had forgotten a part. Nobody may write parts
 * meanwhile. `folder`: the ledgers'.
 */
export async function removeUnnamedParts(database: DatabaseSync, folder: string): Promise<void> {
  const isNamed = database.prepare('SELECT 1 FROM parts WHERE file = ?');
  for (const host of await namesIn(folder))
    for (const name of await namesIn(join(folder, host)))
      if (!isNamed.get(join(host, name))) await rm(join(folder, host, name), { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isPartFolder, isPartName } from '../../core/text/stored-names.ts';
import { entriesOf } from './folder-guard.ts';

/**
 * Removes the files of ledgers' parts that the database does not name: a process or a thread died after it had written a
 * part and before the database knew, or after the database had forgotten a part. Nobody may write parts
 * meanwhile. `folder`: the ledgers'. Files that are named otherwise are somebody else's, and stay.
 */
export async function removeUnnamedParts(database: DatabaseSync, folder: string): Promise<void> {
  const isNamed = database.prepare('SELECT 1 FROM parts WHERE file = ?');
  for (const [host, name] of partFiles(folder))
    if (!isNamed.get(join(host, name))) await rm(join(folder, host, name), { force: true });
}

/** The files of large parts: their folders, and their names. Follows no link. */
export function* partFiles(folder: string): Generator<[host: string, name: string]> {
  for (const host of entriesOf(folder)) {
    if (!host.isDirectory() || !isPartFolder(host.name)) continue;
    for (const file of entriesOf(join(folder, host.name)))
      if (file.isFile() && isPartName(file.name)) yield [host.name, file.name];
  }
}

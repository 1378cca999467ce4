/** Deletes a crawl from its folder. */
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NoCrawl } from '../../shared/crawl/crawl-errors.ts';
import { mayHoldCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf, makerOf, unfinishedOutputs } from '../../shared/engines/local/folders.ts';
import { lockFolder } from '../../shared/engines/local/lock.ts';
import type { DeletedCrawl, DeleteOptions } from '../folder-types.ts';

/** Suffixes of the files that SQLite keeps next to a database. */
const BESIDE_DATABASE = ['-wal', '-shm', '-journal'];

/** Also a crawl whose database cannot be read. Throws `NoCrawl`, and `FolderInUse` while a process crawls in the folder. */
export function deleteFolder(folder: string, { keepArchive = false }: DeleteOptions = {}): DeletedCrawl {
  const paths = foldersOf(folder);
  if (!mayHoldCrawl(paths.database)) throw new NoCrawl(folder);
  const kept: readonly string[] = keepArchive ? [paths.archive, paths.indexes, paths.items] : [];
  const lock = lockFolder(folder);
  try {
    for (const path of Object.values(paths))
      if (path !== paths.database && !kept.includes(path)) remove(path);
    // Last: as long as it is there, deleting can be tried again.
    remove(paths.database);
  } finally {
    lock.release();
  }
  for (const name of ['lock', 'lock.pid']) remove(join(folder, name));
  // Left by processes that were killed.
  remove(unfinishedOutputs(paths));
  for (const name of readdirSync(folder)) if (makerOf(name) !== undefined) remove(join(folder, name));
  const left = readdirSync(folder).sort();
  if (left.length === 0) rmdirSync(folder);
  return { left };
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
  if (path.endsWith('.sqlite')) for (const ending of BESIDE_DATABASE) rmSync(path + ending, { force: true });
}

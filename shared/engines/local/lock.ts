import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process works on the crawl's folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse';
}

/**
 * Takes the folder for this process, or throws {@link FolderInUse}. The lock is one of the operating system's, held
 * through an SQLite file, so it ends with the process, however that ends.
 */
export function lockFolder(folder: string, isOwner = true): { release(): void } {
  const owner = join(folder, 'lock.pid');
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new FolderInUse(
      `${folder} is in use by another process${ownerOf(owner)}. Stop it first, or use another folder`,
      {
        cause,
      },
    );
  }
  if (isOwner) writeFileSync(owner, `${process.pid}\n`);
  return { release: () => lock.close() };
}

/** Whether a process works on the folder just now. */
export function isFolderInUse(folder: string): boolean {
  try {
    lockFolder(folder, false).release();
    return false;
  } catch (error) {
    if (error instanceof FolderInUse) return true;
    throw error;
  }
}

function ownerOf(path: string): string {
  try {
    return ` (process ${readFileSync(path, 'utf8').trim()})`;
  } catch {
    return '';
  }
}

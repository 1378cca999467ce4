import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderInUse } from '../../core/crawl/crawl-errors.ts';

import { NO_FOLLOW, refuseOtherNames } from './folder-guard.ts';
import { checkFiles } from './open-sqlite.ts';

export { FolderInUse };

/** A look at the lock by {@link isFolderInUse} holds it for a moment. */
const PATIENCE_MS = 250;
/** SQLite's result code for a lock that somebody else has (https://www.sqlite.org/rescode.html#busy). */
const BUSY = 5;

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

const lockFile = (folder: string): string => join(folder, 'lock');

export interface FolderLock {
  /**
   * Takes the lock again where its file was deleted or replaced. Throws {@link FolderInUse} if another
   * process was faster.
   */
  renew(): void;
  release(): void;
}

/**
 * Takes the folder for this process, or throws {@link FolderInUse}. The lock is one of the operating
 * system's, held through an SQLite file, so it ends with the process, however that ends. Needs no room on the
 * disk.
 */
export function lockFolder(folder: string): FolderLock {
  let lock = takeLock(folder);
  let identity = identityOf(lockFile(folder));
  return {
    renew() {
      if (identity !== undefined && identityOf(lockFile(folder)) === identity) return;
      const next = takeLock(folder);
      lock.close();
      lock = next;
      identity = identityOf(lockFile(folder));
    },
    release: () => lock.close(),
  };
}

function takeLock(folder: string): DatabaseSync {
  checkFiles(lockFile(folder));
  refuseOtherNames(ownerFile(folder));
  const lock = new DatabaseSync(lockFile(folder), { timeout: PATIENCE_MS });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? folderInUse(folder, error) : error;
  }
  try {
    const owner = openSync(ownerFile(folder), O_WRONLY | O_CREAT | O_TRUNC | NO_FOLLOW, 0o666);
    writeFileSync(owner, `${process.pid}\n`);
    closeSync(owner);
  } catch {
    // It is for messages only. A full disk is reported by the writes that fail.
  }
  return lock;
}

/** Distinguishes a file or folder from another one that has its name later; undefined if there is none. */
export function identityOf(path: string): string | undefined {
  const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Whether a process works on the folder just now. Writes nothing. */
export function isFolderInUse(folder: string): boolean {
  const path = lockFile(folder);
  if (!existsSync(path)) return false;
  checkFiles(path, { readOnly: true });
  const lock = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    lock.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

export function folderInUse(folder: string, cause?: unknown): FolderInUse {
  const message = `${folder} is in use by another process${ownerOf(folder)}. Stop it first, or use another folder`;
  return new FolderInUse(message, { cause });
}

const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;

const ownerFile = (folder: string): string => join(folder, 'lock.pid');

function ownerOf(folder: string): string {
  try {
    return ` (process ${readFileSync(ownerFile(folder), 'utf8').trim()})`;
  } catch {
    return '';
  }
}

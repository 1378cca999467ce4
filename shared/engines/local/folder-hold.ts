import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageFailed } from '../../core/base/storage-failed.ts';
import { foldersOf } from './folders.ts';
import { FolderInUse, type FolderLock, folderInUse, identityOf } from './lock.ts';

/** A process's hold on a crawl's folder, besides the lock: that is a file, which can be deleted. */
export interface FolderHold {
  /** For how long at least the process has been dead that held the folder before, and did not release it; in ms. */
  readonly deadForMs?: number | undefined;
  /**
   * Shows other processes that this one is alive, takes the lock again if its file was deleted, and throws
   * {@link StorageFailed} if the database, the archive's folder or the file of the items was removed or replaced, or another process
   * has claimed the crawl. Call it about each second.
   */
  keep(): void;
  release(): void;
}

interface Owner {
  readonly pid: number;
  /** Grows with each {@link FolderHold.keep}. */
  readonly beat: number;
  /** When it kept its hold last, in ms since the epoch. */
  readonly at: number;
}

/** A living owner has kept its hold again within this time. */
const BEAT_MS = 3000;

/**
 * Claims the folder in its database. Throws `FolderInUse` if the process that has claimed it is alive, though
 * the lock was free: somebody deleted the lock. The archive's folder must be there.
 */
export async function holdFolder(
  folder: string,
  database: DatabaseSync,
  lock: Pick<FolderLock, 'renew'>,
  { beatMs = BEAT_MS, pid = process.pid, now = Date.now } = {},
): Promise<FolderHold> {
  const select = database.prepare("SELECT value FROM sessions WHERE name = 'owner'");
  const replace = database.prepare("INSERT OR REPLACE INTO sessions VALUES ('owner', ?)");
  const remove = database.prepare("DELETE FROM sessions WHERE name = 'owner'");
  const owner = (): Owner | undefined => {
    const row = select.get() as { value: string } | undefined;
    return row && (JSON.parse(row.value) as Owner);
  };
  const before = owner();
  if (before && before.pid !== pid && isAlive(before.pid)) {
    // Perhaps a process that was killed, whose number is another one's now.
    await sleep(beatMs);
    const after = owner();
    if (after && (after.pid !== before.pid || after.beat !== before.beat)) throw folderInUse(folder);
  }
  // A thread of this process may have died a moment ago, long after it kept the hold last.
  const deadForMs =
    before === undefined || before.pid === pid ? undefined : Math.max(0, now() - before.at - beatMs);
  const { database: databasePath, archive, items } = foldersOf(folder);
  // The file of the items is made with the first one.
  const held = [databasePath, archive, items].map((path) => ({ path, identity: identityOf(path) }));
  let beat = 1;
  const write = () => replace.run(JSON.stringify({ pid, beat, at: now() } satisfies Owner));
  write();
  return {
    deadForMs,
    keep() {
      for (const one of held) {
        const found = identityOf(one.path);
        if (found !== one.identity && one.identity !== undefined)
          throw new StorageFailed(
            `${one.path} was removed or replaced while the crawl ran. Put back what was there, or begin in another folder`,
          );
        one.identity = found;
      }
      if (owner()?.pid !== pid) throw new StorageFailed(`Another process has begun to crawl into ${folder}`);
      beat++;
      write();
      try {
        lock.renew();
      } catch (error) {
        // The lock is briefly held by another process, which sees by the beat that the folder is in use, and leaves.
        if (!(error instanceof FolderInUse)) throw error;
      }
    },
    release: () => remove.run(),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

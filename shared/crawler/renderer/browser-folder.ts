import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'strand-browser-';

/**
 * Makes a folder for the profile and the temporary files of a browser, named after this process. Removes folders of
 * processes that were killed before they could.
 */
export function makeBrowserFolder(parent: string): string {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (pid > 0 && !isRunning(pid)) removeIfOwn(join(parent, name));
  }
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

/** Processes of the browser that end may still write for a moment. Never rejects: a rest is removed by the next one. */
export const removeBrowserFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {});

function removeIfOwn(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, who removes it.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

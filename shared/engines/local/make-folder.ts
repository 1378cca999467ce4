import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InvalidConfig } from '../../core/crawl/config.ts';
import { makeFolders } from './make-folders.ts';

/**
 * Makes the crawl's folder, so that it is found after a power loss. Throws `InvalidConfig` where there can be none
 * that is written to. `sync`: makes the names in a folder durable.
 */
export function makeFolder(folder: string, sync = syncNames): void {
  let firstMade: string | undefined;
  try {
    firstMade = makeFolders(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    let place = resolve(folder);
    while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
    const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder)
      throw new InvalidConfig(`${folder} cannot be the crawl's folder: ${place} is not a folder`, { cause });
    if (!isAllowed(place, constants.W_OK))
      throw new InvalidConfig(
        `${folder} cannot be the crawl's folder: ${place} may not be written to. Allow it, or choose another folder`,
        { cause },
      );
    throw cause;
  }
  // Also where the folder was there: a process that died may have made it and synced nothing.
  for (const parent of parentsOf(resolve(folder), firstMade)) sync(parent);
}

/** The folder that holds `folder`, and those that hold the folders above it down from `firstMade`. */
function parentsOf(folder: string, firstMade = folder): string[] {
  const parent = dirname(folder);
  const isLast = folder === resolve(firstMade) || dirname(parent) === parent;
  return isLast ? [parent] : [parent, ...parentsOf(parent, firstMade)];
}

/** A folder that may not be read cannot be synced. */
function syncNames(folder: string): void {
  if (process.platform === 'win32' || !isAllowed(folder, constants.R_OK)) return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

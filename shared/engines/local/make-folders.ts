import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the folder and those above it that are missing; returns the first that was made. By itself, since Node's recursive
 * `mkdir` tries for ever where a folder accepts no other one (`/proc`). For folders that a user names, by `HOME` too.
 */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  const path = resolve(folder);
  const parent = dirname(path);
  const made = existsSync(parent) ? undefined : makeFolders(parent, mode);
  try {
    mkdirSync(path, mode);
    return made ?? path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return made;
    throw error;
  }
}

/**
 * Programs that tests need and npm does not have. They are installed once into the user's cache, under a name that
 * represents all that they are made of.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';

export const INSTALL_TIMEOUT_MS = 900_000;

/** Where the program `name`, made of `ingredients`, is or belongs. */
export function cachedFolder(name: string, ingredients: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const ingredient of ingredients) hash.update(ingredient);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'strand-crawler', `${name}-${hash.digest('hex').slice(0, 16)}`);
}

export const exists = (path: string): Promise<boolean> => stat(path).then(Boolean, () => false);

/**
 * Has `make` fill an empty folder, which then becomes `folder`, unless that is there. Two at once do the work
 * twice, and one of the results is kept: an installation appears as a whole, under its name, or not at all.
 */
export async function installOnce(folder: string, make: (partial: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  const partial = `${folder}.${process.pid}`;
  await removeLeftOvers(dirname(folder));
  try {
    await mkdir(partial, { recursive: true });
    await make(partial);
    await rename(partial, folder).catch(async (error) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** The jars of the artifacts in the file `pom`, and those that they need, into the folder `jars`. */
export async function installJars(pom: string, jars: string): Promise<void> {
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
  await runCommand('mvn', ['--quiet', '--batch-mode', '--file', pom, ...goal], {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
}

/** Removes the files of installations that were interrupted. */
async function removeLeftOvers(cache: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const pid = /^[a-z]+-[0-9a-f]+\.(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Other sources in the place of some of the program's, without a change on the disk. A process that is
 * started with {@link overlayEnvironment} loads them, and so do its children and threads (`overlay-hook.ts`)
 * and test files (`vitest.config.ts`).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { threadId } from 'node:worker_threads';
import { ROOT } from './scope.ts';

/** The folder of the sources that take the place of others. */
const OVERLAY = 'STRAND_OVERLAY';
/** Where each process puts which statements it ran. */
export const SITES_FOLDER = 'STRAND_SITES_FOLDER';
/** The unit that ran them: a part of the names of those files. */
export const SITES_OF = 'STRAND_SITES_OF';

/** Writes sources, by their paths from the root, into an empty folder. */
export function writeOverlay(folder: string, sources: Iterable<readonly [file: string, text: string]>): void {
  for (const [file, text] of sources) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

export function overlayEnvironment(folder: string): NodeJS.ProcessEnv {
  const hook = new URL('overlay-hook.ts', import.meta.url).href;
  return {
    ...process.env,
    [OVERLAY]: folder,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${hook}`].filter(Boolean).join(' '),
  };
}

/** The source that takes the place of the file's, if any. `path`: absolute. */
export function overlaid(path: string): string | undefined {
  const folder = process.env[OVERLAY];
  const file = relative(ROOT, path);
  if (folder === undefined || file.startsWith('..') || file.startsWith('node_modules')) return undefined;
  const other = join(folder, file);
  return existsSync(other) ? readFileSync(other, 'utf8') : undefined;
}

type Noted = { mutantSites?: Record<string, Uint8Array> };

/** Which statements of each file ran in this process, if they are noted (`sites.ts`). */
export function sitesRun(): Record<string, number[]> | undefined {
  const { mutantSites } = globalThis as Noted;
  if (!mutantSites) return undefined;
  const lists = Object.entries(mutantSites);
  return Object.fromEntries(lists.map(([file, list]) => [file, [...list.keys()].filter((i) => list[i])]));
}

export function forgetSites(): void {
  for (const list of Object.values((globalThis as Noted).mutantSites ?? {})) list.fill(0);
}

/** Writes them to a file, if that is wanted. */
export function noteSites(): void {
  const { [SITES_FOLDER]: folder, [SITES_OF]: name } = process.env;
  const sites = sitesRun();
  if (folder === undefined || name === undefined || !sites) return;
  writeFileSync(
    join(folder, `${encodeURIComponent(name)}.${process.pid}-${threadId}`),
    JSON.stringify(sites),
  );
}

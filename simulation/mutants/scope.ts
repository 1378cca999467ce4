/** The scope of mutation: the code whose failures the simulation and the tests of the core must notice. */
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coveredFiles, FOLDERS } from '../coverage/covered-files.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root, sorted; of those that match one of `only`, if any are given. */
export function mutatedFiles(only: readonly string[] = []): string[] {
  return coveredFiles().filter((file) => only.length === 0 || only.some((glob) => matchesGlob(file, glob)));
}

export const readSource = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The folder of a file, by which scores are summed. */
export const folderOf = (file: string): string =>
  FOLDERS.find((folder) => file.startsWith(`${folder}/`)) ?? 'other';

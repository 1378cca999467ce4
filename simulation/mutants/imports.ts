/**
 * Which files a file imports, itself or by others; and whether it starts processes, which may load anything.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './scope.ts';

export const isTestCode = (file: string): boolean => /^(?:test|simulation)\//.test(file);

const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
const URL_OF_FILE = /new URL\(\s*['"](\.[^'"]+\.[jt]s)['"]/g;

/**
 * How many imports lead from a test file to the nearest of those files: none if it is undefined. One that
 * starts processes may run any of them, at a distance.
 */
export function distanceTo(testFile: string, files: ReadonlySet<string>): number | undefined {
  const seen = new Set<string>();
  let startsProcesses = false;
  let level = [testFile];
  for (let distance = 0; level.length > 0; distance++) {
    if (level.some((file) => files.has(file))) return distance;
    const next = new Set<string>();
    for (const file of level) {
      seen.add(file);
      for (const name of namesIn(file)) {
        if (name.startsWith('.')) next.add(join(dirname(file), name));
        startsProcesses ||= name === 'node:child_process' && isTestCode(file);
      }
    }
    level = [...next].filter((file) => !seen.has(file) && existsSync(join(ROOT, file)));
  }
  return startsProcesses ? Number.POSITIVE_INFINITY : undefined;
}

/** The files of the program and its tests that a file imports. Paths from the root. */
export const importsOf = (file: string): string[] =>
  namesIn(file).flatMap((name) => (name.startsWith('.') ? [join(dirname(file), name)] : []));

function namesIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT), ...text.matchAll(URL_OF_FILE)].map(([, name]) => name as string);
}

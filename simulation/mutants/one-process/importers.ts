/** Which files load a file, and which tests are a module's own. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { importsOf, isTestCode } from '../imports.ts';
import { ROOT } from '../scope.ts';

const FILES = '{api,bench,cdk,cli,functions,shared,simulation,test}/**/*.ts';
const isTestFile = (file: string): boolean => file.endsWith('.test.ts');
/** They are about mutants, run worlds, start an emulator, or run for minutes by design. */
const LEFT_OUT =
  /^(?:simulation\/test\/(?:mutants|command|capacity|coverage|worlds)|test\/(?:localstack|fuzz|regexps|docs|bench))\//;

let importers: ReadonlyMap<string, readonly string[]> | undefined;

/** By file, the files that import it. Paths from the root. */
function importersByFile(): ReadonlyMap<string, readonly string[]> {
  if (importers) return importers;
  const found = new Map<string, string[]>();
  for (const file of globSync(FILES, { cwd: ROOT }))
    for (const imported of importsOf(file)) {
      const list = found.get(imported);
      if (list) list.push(file);
      else found.set(imported, [file]);
    }
  importers = found;
  return found;
}

/** The file itself and all that import it, directly or by others. */
export function loadersOf(file: string): Set<string> {
  return reach(file, () => true);
}

/**
 * The test files that import a module directly, or by the helpers of tests alone; and those of its name, if
 * they import it at all. A part of a larger module that has none: those of the modules that import it. Sorted.
 */
export function ownTestsOf(file: string): string[] {
  const seen = new Set([file]);
  let files = [file];
  while (files.length > 0) {
    const tests = new Set(files.flatMap(directTestsOf));
    if (tests.size > 0) return [...tests].sort();
    files = files.flatMap((one) => [...(importersByFile().get(one) ?? [])]).filter((one) => !seen.has(one));
    for (const one of files) seen.add(one);
  }
  return [];
}

function directTestsOf(file: string): string[] {
  const tests = reach(file, isTestCode);
  const named = `${basename(file, '.ts')}.test.ts`;
  for (const one of loadersOf(file)) if (basename(one) === named) tests.add(one);
  return [...tests].filter((one) => isTestFile(one) && !LEFT_OUT.test(one));
}

function reach(file: string, isFollowed: (importer: string) => boolean): Set<string> {
  const known = importersByFile();
  const found = new Set([file]);
  for (const one of found)
    for (const importer of known.get(one) ?? []) if (isFollowed(importer)) found.add(importer);
  return found;
}

export const absolute = (file: string): string => join(ROOT, file);

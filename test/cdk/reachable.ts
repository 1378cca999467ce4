import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Import, importsOf } from '../structure/read-imports.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Every module that runs where `entry` does, by its path from the root, with its imports. */
export function reachable(entry: string): ReadonlyMap<string, readonly Import[]> {
  const modules = new Map<string, readonly Import[]>();
  const rest = [entry];
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (modules.has(path)) continue;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const imports = importsOf(path, text).filter(({ isType }) => !isType);
    modules.set(path, imports);
    rest.push(...imports.map(({ from }) => from).filter((from) => from.endsWith('.ts')));
  }
  return modules;
}

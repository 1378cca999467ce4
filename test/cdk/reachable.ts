import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What a module takes from another, or from a package. */
export interface Import {
  /** A path from the repository's root, or a package's name. */
  readonly from: string;
  /** Values only: types are gone when the code runs. */
  readonly names: readonly string[];
}

const CLAUSE = String.raw`(?:\w+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)?`;
const STATIC = new RegExp(String.raw`^(?:import|export)\s+(type\s+)?(${CLAUSE})\s*from\s+'([^']+)'`, 'gm');
const BARE = /^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Every module that runs where `entry` does, by its path from the root, with its imports. */
export function reachable(entry: string): ReadonlyMap<string, readonly Import[]> {
  const modules = new Map<string, readonly Import[]>();
  const rest = [entry];
  for (let path = rest.pop(); path !== undefined; path = rest.pop()) {
    if (modules.has(path)) continue;
    const imports = importsOf(path);
    modules.set(path, imports);
    rest.push(...imports.map(({ from }) => from).filter((from) => from.endsWith('.ts')));
  }
  return modules;
}

function importsOf(path: string): Import[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const found = [...text.matchAll(STATIC)];
  // Whatever this small parser does not understand is not to go unseen.
  const written = text.match(/\bfrom\s+'\.{0,2}[#@\w/]/g)?.length ?? 0;
  if (found.length !== written)
    throw new Error(`Expected to read ${written} imports in ${path}, got ${found.length}`);
  const taken = found.flatMap(([, type, clause = '', from = '']) =>
    type === undefined ? [{ from: resolved(path, from), names: namesIn(clause) }] : [],
  );
  const bare = [...text.matchAll(BARE)].map(([, from, lazy]) => ({
    from: resolved(path, (from ?? lazy) as string),
    names: [],
  }));
  return [...taken, ...bare];
}

/** The exported names within the braces, types left out. */
function namesIn(clause: string): string[] {
  const [, inner = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
  return inner
    .split(',')
    .map((name) => name.trim().replace(/\s+as\s+\w+$/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function resolved(path: string, from: string): string {
  if (from === '#strand-config') return 'shared/crawl/no-config.ts';
  return from.startsWith('.') ? normalize(join(dirname(path), from)) : from;
}

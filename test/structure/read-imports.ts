import { dirname, join, normalize } from 'node:path';

/** One `import` or `export ... from` of a module. */
export interface Import {
  /** The path of a file of the project, from its root; or the name of a package. */
  readonly from: string;
  /** All that is imported exists for the type checker only. */
  readonly isType: boolean;
  /** The exported names within the braces, those of types left out. */
  readonly names: readonly string[];
}

const CLAUSE = String.raw`(?:\w+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)?`;
const STATIC = new RegExp(String.raw`^(?:import|export)\s+(type\s+)?(${CLAUSE})\s*from\s+'([^']+)'`, 'gm');
/** Matches imports at run time, also by a function that loads the module: the names, then the module. */
const LAZY = /\bconst\s+(\{[^{}]*\})\s*=\s*await\s+(?:\w+\(\s*)?import\('([^']+)'\)/g;
const BARE = /^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/**
 * Returns the imports of the module `text` at `path` (from the project's root), those of types and those made
 * while it runs among them. Throws for a form that it does not know, so that no import goes unseen.
 */
export function importsOf(path: string, text: string): Import[] {
  const found = [...text.matchAll(STATIC)];
  const written = text.match(/(?<=^(?:import|export)\b[^;]*?)\bfrom\s+'\.{0,2}[#@\w/]/gm)?.length ?? 0;
  if (found.length !== written)
    throw new Error(`Expected to read ${written} imports in ${path}, got ${found.length}`);
  const fixed = found.map(([, type, clause = '', from = '']) => ({
    from: resolved(path, from),
    isType: type !== undefined,
    names: namesIn(clause),
  }));
  const lazyNames = new Map(
    [...text.matchAll(LAZY)].map(([, clause = '', from = '']) => [from, namesIn(clause)]),
  );
  const bare = [...text.matchAll(BARE)].map(([, from, lazy]) => ({
    from: resolved(path, (from ?? lazy) as string),
    isType: false,
    names: lazyNames.get((from ?? lazy) as string) ?? [],
  }));
  return [...fixed, ...bare];
}

function namesIn(clause: string): string[] {
  const [, inner = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
  return inner
    .split(',')
    .map((name) => name.trim().replace(/\s+as\s+\w+$/, ''))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function resolved(path: string, from: string): string {
  if (from === '#strand-config') return 'shared/services/project/no-config.ts';
  return from.startsWith('.') ? normalize(join(dirname(path), from)) : from;
}

/**
 * `npm run check:structure`: fails on import cycles (of types, too), on imports of a higher folder, and on
 * what pure folders must not do.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findCycles } from './find-cycles.ts';
import { roomCycles, upwardImports } from './layers.ts';
import { impurities, isPure } from './purity.ts';
import { importsOf } from './read-imports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const isOurs = (path: string): boolean =>
  !/(?:^|\/)(?:node_modules|dist|cdk\.out|\.mutants|crawls)(?:\/|$)/.test(path);

const files = globSync('**/*.ts', { cwd: ROOT, exclude: (path) => !isOurs(path) })
  .filter(isOurs)
  .sort();
const texts = new Map(files.map((file) => [file, readFileSync(`${ROOT}${file}`, 'utf8')]));
const graph = new Map(
  [...texts].map(([file, text]) => [
    file,
    importsOf(file, text)
      .map(({ from }) => from)
      .filter((from) => texts.has(from)),
  ]),
);
const faults = [
  ...findCycles(graph).map((group) => `These files import one another: ${group.join(', ')}`),
  ...upwardImports(graph),
  ...roomCycles(graph),
  ...[...texts].flatMap(([file, text]) => (isPure(file) ? impurities(file, text) : [])),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findCycles } from './find-cycles.ts';
import { roomCycles, upwardImports } from './layers.ts';
import { impurities, isPure } from './purity.ts';
import { importsOf } from './read-imports.ts';

const graphOf = (imports: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(imports));

describe('imports', () => {
  test('are found in every form, of types and at run time, too', () => {
    const text = [
      "import a, { b, type C } from '../b/a.ts';",
      "import type { D } from './d.ts';",
      "export * from './e.ts';",
      "import './f.ts';",
      "const g = await import('../g.ts');",
      "import { readFileSync } from 'node:fs';",
      "/** An example: import { x } from 'strand-crawler'; */",
    ].join('\n');
    expect(importsOf('shared/a/x.ts', text).map(({ from, isType }) => [from, isType])).toEqual([
      ['shared/b/a.ts', false],
      ['shared/a/d.ts', true],
      ['shared/a/e.ts', false],
      ['node:fs', false],
      ['shared/a/f.ts', false],
      ['shared/g.ts', false],
    ]);
  });

  test('that cannot be read are an error, not passed over', () => {
    expect(() => importsOf('shared/a/x.ts', "import a, b from './a.ts';")).toThrow(
      'Expected to read 1 imports',
    );
  });
});

describe('cycles', () => {
  test('of any length are found, each once', () => {
    const graph = graphOf({ a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [], f: ['g'], g: ['f', 'a'] });
    expect(findCycles(graph).sort()).toEqual([
      ['a', 'b', 'c'],
      ['f', 'g'],
    ]);
  });

  test('two paths to one module are none', () => {
    expect(findCycles(graphOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });
});

describe('layers', () => {
  const faultsOf = (file: string, imported: string) =>
    upwardImports(graphOf({ [file]: [imported], [imported]: [] }));

  test('a file may import its own folder and what is below', () => {
    expect(faultsOf('shared/core/frontier/head.ts', 'shared/core/frontier/ledger.ts')).toEqual([]);
    expect(faultsOf('cli/strand.ts', 'shared/core/url/canonical.ts')).toEqual([]);
    expect(faultsOf('test/web/site.ts', 'bench/harness/web/site.ts')).toEqual([]);
  });

  test('it may not import what is above', () => {
    expect(faultsOf('shared/core/url/url-rules.ts', 'shared/crawler/turn/turn.ts')).toEqual([
      'shared/core/url/url-rules.ts imports shared/crawler/turn/turn.ts: shared/crawler is above it',
    ]);
    expect(faultsOf('shared/services/report/report.ts', 'shared/engines/local/engine.ts')).toHaveLength(1);
    expect(faultsOf('shared/engines/aws/engine.ts', 'functions/worker.ts')).toHaveLength(1);
  });

  test('nor what stands beside it: one engine does not import another', () => {
    expect(faultsOf('shared/engines/aws/engine.ts', 'shared/engines/local/database.ts')).toEqual([
      'shared/engines/aws/engine.ts imports shared/engines/local/database.ts: they are of folders that do not know each other',
    ]);
  });

  test('two rooms of one folder do not import one another, also through others', () => {
    const graph = graphOf({
      'shared/core/a/x.ts': ['shared/core/b/x.ts'],
      'shared/core/b/x.ts': [],
      'shared/core/b/y.ts': ['shared/core/c/x.ts'],
      'shared/core/c/x.ts': ['shared/core/a/y.ts', 'shared/core/c/inner/y.ts'],
      'shared/core/c/inner/y.ts': ['shared/core/c/x.ts'],
      'shared/core/a/y.ts': [],
    });
    expect(roomCycles(graph)).toEqual([
      'These rooms import one another: shared/core/a, shared/core/b, shared/core/c',
    ]);
  });

  test('a function imports services and an engine, and not the library', () => {
    expect(faultsOf('functions/exporter.ts', 'shared/engines/aws/engine.ts')).toEqual([]);
    expect(faultsOf('functions/exporter.ts', 'api/index.ts')).toEqual([
      'functions/exporter.ts imports api/index.ts: they are of folders that do not know each other',
    ]);
  });

  test('a folder that is in no row is an error', () => {
    expect(upwardImports(graphOf({ 'shared/misc/a.ts': [] }))).toEqual([
      'shared/misc/a.ts: its folder is in no row of test/structure/layers.ts',
    ]);
  });
});

describe('pure folders', () => {
  const faultsOf = (text: string) =>
    impurities('shared/core/url/x.ts', text).map((fault) =>
      fault.replace(/^shared\/core\/url\/x\.ts (.*), and its folder is pure.*$/, '$1'),
    );

  test('are those of the crawler that decide, and no others', () => {
    expect(isPure('shared/core/archive/warc-record.ts')).toBe(true);
    expect(isPure('shared/core/outcome/body.ts')).toBe(true);
    expect(isPure('shared/crawler/fetcher/fetcher.ts')).toBe(false);
  });

  test.each([
    ["import { randomUUID } from 'node:crypto';", ['imports randomUUID', 'asks for randomness']],
    ["import { setFlagsFromString } from 'node:v8';", ['imports node:v8', 'asks for a flag of V8']],
    ["import { readFile } from 'node:fs/promises';", ['imports node:fs/promises']],
    ["import { Agent } from 'undici';", ['imports undici']],
    ['const at = () => Date.now();', ['asks for the current time']],
    ['const at = () => new Date();', ['asks for the current time']],
    ['const one = () => Math.random();', ['asks for randomness']],
    ['const wait = () => setTimeout(go, 1);', ['asks for a clock']],
    ['const home = () => process.env.HOME;', ['asks for the process']],
    ['let last = 0;', ['keeps state in the module: last']],
    ['const known = new Map<string, number>();', ['keeps state in the module: known']],
    ['const known: Map<string, number> = new Map();', ['keeps state in the module: known']],
    ['const found: string[] = [];', ['keeps state in the module: found']],
    ['export const reading = createLimit(4);', ['keeps state in the module: reading']],
  ])('%s', (text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test.each([
    "import { createHash, hash } from 'node:crypto';",
    "import type { Socket } from 'node:net';",
    'const date = (at: number) => new Date(at).toISOString();',
    "const NAMES = new Set(['a', 'b']);",
    'function f() {\n  let a = 0;\n  const b = new Map();\n}',
    '/** Not Date.now(). */ // nor Math.random()',
    'const table = lazy(() => new Uint8Array(10));',
  ])('may say %j', (text) => {
    expect(faultsOf(text)).toEqual([]);
  });
});

/** The folder's projects are compiled with the package that they install (`test/packaging`). */
const COMPILED_APART = 'templates';

test('the compiler checks every folder with TypeScript, also files that nothing imports', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { include } = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8'));
  const folders = globSync('*/**/*.ts', { cwd: root, exclude: ['node_modules/**', 'dist/**', 'cdk.out/**'] })
    .map((file) => file.split('/')[0]!)
    .filter((folder) => !folder.startsWith('.') && folder !== COMPILED_APART);
  expect(include.filter((folder: string) => folder !== '*.ts')).toEqual([...new Set(folders)].sort());
});

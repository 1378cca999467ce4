import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../cli/usage-error.ts';
import { readOptions, runMutants } from './mutate.ts';
import { MUTANTS_FOLDER, mutantNames, patchFault, verdictOf } from './mutate-bench.ts';

const names = mutantNames();
const patchOf = (name: string) => readFileSync(join(MUTANTS_FOLDER, `${name}.patch`), 'utf8');
const filesIn = (patch: string) =>
  [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file]) => file as string);

describe('the mutants', () => {
  test('are at least 28', () => expect(names.length).toBeGreaterThanOrEqual(28));

  test.each(names)('%s fits the program as it is', (name) => expect(patchFault(name)).toBeUndefined());

  test('are bugs of the core: of nothing that judges it', () => {
    for (const file of names.flatMap((name) => filesIn(patchOf(name)))) {
      expect(file).toMatch(/^(shared|functions)\//);
      expect(file).not.toMatch(/^shared\/engines\/(sim|local)\//);
    }
  });

  test('are each a row of the list, which has no others', () => {
    const list = readFileSync(join(MUTANTS_FOLDER, 'README.md'), 'utf8');
    const rows = [...list.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(names);
  });
});

describe('a verdict', () => {
  const report = (...violations: { invariant: string; message: string }[]) =>
    `{"seeds":7,"broken":[{"seed":7,"violations":${JSON.stringify(violations)}}]}\n`;

  test('is that the mutant is caught, where an invariant broke', () => {
    const out = report({ invariant: 'counted', message: 'a' }, { invariant: 'ends', message: 'b' });
    expect(verdictOf(1, out)).toEqual({ kind: 'caught', seed: 7, invariants: ['counted', 'ends'] });
  });

  test('is that it survived, where all held', () => {
    expect(verdictOf(0, '{"seeds":300,"broken":[]}\n')).toEqual({ kind: 'survived' });
  });

  test.each([
    'The simulator died at this seed: SyntaxError',
    'The simulator hung at this seed',
    'The simulation threw: TypeError',
  ])('is no catch where the simulator itself fell over: %s', (message) => {
    expect(verdictOf(1, report({ invariant: 'noCrash', message }))).toEqual({ kind: 'broken', why: message });
  });

  test('is none where the simulation could not run, or took too long', () => {
    expect(verdictOf(2, '', 'simulate: no such file\nmore')).toEqual({
      kind: 'broken',
      why: 'simulate: no such file',
    });
    expect(verdictOf(null, '')).toMatchObject({ kind: 'broken' });
  });
});

describe('the options', () => {
  test('have defaults', () => expect(readOptions([])).toEqual({ seeds: 300, only: [], jobs: 2 }));

  test('name mutants with commas between them, or one by one', () => {
    expect(readOptions(['--only', 'a,b', '--only', 'c', '--seeds', '5', '--jobs', '1'])).toEqual({
      seeds: 5,
      only: ['a', 'b', 'c'],
      jobs: 1,
    });
  });

  test.each([[['--seeds', '0']], [['--jobs', 'two']], [['--fast']], [['more']]])('%j are refused', (args) =>
    expect(() => readOptions(args)).toThrow(UsageError),
  );

  test('a mutant that is not there is refused before anything runs', () =>
    expect(runMutants(['--only', 'nobody'])).rejects.toThrow(UsageError));
});

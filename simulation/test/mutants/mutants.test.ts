import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../cli/usage-error.ts';
import { applyEdits, diffOf } from '../../mutants/edit.ts';
import { type Mutant, mutantsOf, mutantsOfAll } from '../../mutants/mutants.ts';
import { GROUPS } from '../../mutants/operators/operator.ts';
import { readOptions } from '../../mutants/options.ts';
import { editsOf } from '../../mutants/promise-mutant.ts';
import { PROMISE_MUTANTS } from '../../mutants/promised.ts';
import { describeMutant, type Judged, report, scoreOf } from '../../mutants/report.ts';
import { EQUIVALENT, equivalentsAmong, loadEquivalents } from '../../mutants/results.ts';
import { sample } from '../../mutants/sample.ts';
import { mutatedFiles, ROOT, readSource } from '../../mutants/scope.ts';
import type { Verdict } from '../../mutants/verdict.ts';

const all = mutantsOfAll(mutatedFiles());

describe('the mutants of the program', () => {
  test('are many, of each folder and of each kind of bug', () => {
    expect(all.length).toBeGreaterThan(400);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(all.map(({ group }) => group))).toEqual(new Set(Object.keys(GROUPS)));
    for (const folder of [
      'shared/crawler/turn/',
      'shared/crawler/worker/',
      'shared/core/frontier/',
      'shared/engines/aws/',
      'functions/',
    ])
      expect(all.some(({ file }) => file.startsWith(folder))).toBe(true);
  });

  const text = 'export function f(a: number) { if (a > 1) return a; return g(a); }\n';
  const keysOf = (file: string, source: string) => mutantsOf(file, source).map(({ key }) => key);

  test('keep their ids when code around their function changes', () => {
    const idsOf = (source: string) =>
      mutantsOf('shared/a.ts', source).flatMap(({ id }) => (id.includes('#f:') ? [id] : []));
    expect(idsOf(`/** New. */\nconst x = 5 > 4;\n${text}`)).toEqual(idsOf(text));
  });

  test('keep their keys when their function moves, or has other types and comments', () => {
    expect(keysOf('functions/b.ts', text)).toEqual(keysOf('shared/a.ts', text));
    expect(keysOf('shared/a.ts', text.replace(': number', ': bigint /* large */'))).toEqual(
      keysOf('shared/a.ts', text),
    );
  });

  test('have other keys when their function changes', () => {
    const changed = new Set(keysOf('shared/a.ts', text.replace('g(a)', 'h(a)')));
    expect(keysOf('shared/a.ts', text).filter((key) => changed.has(key))).toEqual([]);
  });

  test('of a constant are run by the statements that name it', () => {
    const source =
      'const LIMIT = 5;\nexport const f = (a: number) => a < LIMIT;\nexport const g = (a: number) => a;\n';
    const [mutant] = mutantsOf('shared/a.ts', source).filter(({ functionName }) => functionName === 'LIMIT');
    expect(mutant?.sites).toHaveLength(1);
    expect(mutant?.sites[0]).toMatch(/^f@/);
  });
});

describe('a sample', () => {
  test('follows from its seed, and has as many mutants of each kind of bug', () => {
    const drawn = sample(all, 50, 3);
    expect(sample(all, 50, 3)).toEqual(drawn);
    expect(sample(all, 50, 4)).not.toEqual(drawn);
    for (const list of Map.groupBy(drawn, ({ group }) => group).values()) expect(list).toHaveLength(5);
    expect(new Set(drawn).size).toBe(50);
  });

  test('of more than there are is all', () => expect(sample(all.slice(0, 30), 100, 1)).toHaveLength(30));
});

describe('the score', () => {
  const killed: Verdict = { kind: 'killed', stage: 'unit', by: 'a test', why: 'it failed' };
  const refused: Verdict = { kind: 'killed', stage: 'check', by: 'tsc', why: 'no such type' };
  const hung: Verdict = { kind: 'hung', stage: 'simulation', by: 'world 3', why: 'silent' };
  const survived: Verdict = { kind: 'survived', testFiles: 0, worlds: 0 };
  const judged = (verdict: Verdict, equivalent?: string): Judged => ({
    mutant: all[0] as Mutant,
    verdict,
    ...(equivalent !== undefined && { equivalent }),
  });

  test('leaves out what does not compile and what is equivalent', () => {
    const list = [
      judged(killed),
      judged(hung),
      judged(refused),
      judged(survived),
      judged(survived, 'a cache'),
    ];
    expect(scoreOf(list)).toEqual({
      mutants: 5,
      refused: 1,
      equivalent: 1,
      noticed: 2,
      survived: 1,
      share: 2 / 3,
    });
  });

  test('is reported with what noticed the mutants, and what did not', () => {
    const text = report([judged(killed), judged(hung), judged(survived)]);
    expect(text).toContain('simulation, by a time limit');
    expect(text).toContain('2 of 3 mutants are noticed, 66.7 %');
    expect(describeMutant(judged(survived))).toContain('no test file and no world runs this statement');
  });
});

test('a mutant is shown as the lines that it changes', () => {
  const [mutant] = mutantsOf('shared/a.ts', 'const a = 1;\nconst f = () => b > 2;\n').filter(
    ({ operator }) => operator === 'boundary',
  );
  expect(diffOf('const a = 1;\nconst f = () => b > 2;\n', mutant?.edits ?? [])).toBe(
    '  line 2\n  - const f = () => b > 2;\n  + const f = () => b >= 2;',
  );
});

test('mutants that are made for a promise change the program as it is, and something must notice each', () => {
  for (const mutant of PROMISE_MUTANTS) {
    const source = readSource(mutant.file);
    expect(applyEdits(source, editsOf(mutant, source)), mutant.what).not.toBe(source);
    expect([...(mutant.breaks ?? []), ...(mutant.tests ?? [])], mutant.what).not.toEqual([]);
    for (const file of mutant.tests ?? []) expect(existsSync(join(ROOT, file)), file).toBe(true);
  }
});

test('equivalent mutants have an argument, and none is listed twice', () => {
  const known = loadEquivalents();
  expect(new Set(known.map(({ key }) => key)).size).toBe(known.length);
  for (const { id, why } of known) expect(why.length, id).toBeGreaterThan(20);
  const [mutant] = all as [Mutant];
  expect(equivalentsAmong([mutant], [{ id: 'moved', key: mutant.key, why: 'a reason' }]).get(mutant)).toBe(
    'a reason',
  );
});

/** `STRAND_GOLDEN=write` removes the others from the file, and gives those of functions that have moved their new ids. */
test('equivalent mutants are of functions as they are now', () => {
  const idsOf = new Map<string, string[]>();
  for (const { key, id } of all) idsOf.set(key, [...(idsOf.get(key) ?? []), id]);
  const known = loadEquivalents();
  const present = known.flatMap((one) => {
    const ids = idsOf.get(one.key) ?? [];
    return ids.includes(one.id) ? one : ids.slice(0, 1).map((id) => ({ ...one, id }));
  });
  if (process.env.STRAND_GOLDEN === 'write')
    writeFileSync(EQUIVALENT, `${JSON.stringify(present, undefined, 2)}\n`);
  const isPresent = ({ id, key }: (typeof known)[number]) => idsOf.get(key)?.includes(id);
  expect(loadEquivalents().filter((one) => !isPresent(one))).toEqual([]);
});

describe('the options', () => {
  test('have defaults', () =>
    expect(readOptions([])).toMatchObject({ verb: 'run', seed: 1, isResumed: false }));

  test.each([[['--sample', '0']], [['--jobs', 'two']], [['--fast']], [['more']]])('%j are refused', (args) =>
    expect(() => readOptions(args)).toThrow(UsageError),
  );
});

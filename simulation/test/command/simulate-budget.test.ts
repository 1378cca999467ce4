import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planBudget, sumText } from '../../command/budget.ts';
import { corpusLine, readCorpus } from '../../command/corpus.ts';
import { addRun, stateOf, sumOf } from '../../command/ledger.ts';
import { readCommand } from '../../command/options.ts';
import { runSeeds } from '../../command/run-seeds.ts';
import { simulateSeeds } from '../../command/seeds.ts';
import { outcomeWithout } from '../../command/serve.ts';
import { FAULT_NAMES } from '../../models/faults.ts';
import type { Outcome, Violation, WorldSpec } from '../../worlds/spec.ts';

const SPEC: WorldSpec = { seed: 1, faults: FAULT_NAMES };
const HURRIED: Violation = { invariant: 'unhurried', message: 'too early' };
const CORPUS = [
  { seed: 900, date: '2026-11-01', found: 'a' },
  { seed: 7, date: '2026-11-01', found: 'b' },
];
const outcomeOf = (spec: WorldSpec, violations: readonly Violation[] = []): Outcome => ({
  ...outcomeWithout(spec, HURRIED),
  violations,
});

let folder: string;
let ledger: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulate-'));
  ledger = join(folder, 'runs', 'runs.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs worlds of 1 s each, by a clock that continues with each. Returns their seeds. */
async function seedsIn(
  budgetMs: number,
  options: { from?: number; random?: () => number; breaks?: number } = {},
) {
  let now = 0;
  const budget = planBudget({ spec: SPEC, budgetMs, corpus: CORPUS, ledger, now: () => now, ...options });
  const seeds: number[] = [];
  await runSeeds(
    { spec: SPEC, jobs: 1, ...budget },
    async (spec) => {
      now += 1000;
      return outcomeOf(spec, spec.seed === options.breaks ? [HURRIED] : []);
    },
    (outcome) => {
      budget.take(outcome);
      return seeds.push(outcome.spec.seed) > 0;
    },
  );
  return { seeds, budget, sum: budget.end() };
}

describe('a run by budget', () => {
  test('has all worlds of the corpus first, then new seeds until its time is up', async () => {
    expect((await seedsIn(5000, { from: 100 })).seeds).toEqual([900, 7, 100, 101, 102]);
  });

  test('has all worlds of the corpus even if they take longer, and once on each state of the code', async () => {
    expect((await seedsIn(1, { breaks: 7 })).seeds).toEqual([900, 7]);
    expect((await seedsIn(1)).seeds).toEqual([7]);
    expect((await seedsIn(2000, { from: 50 })).seeds).toEqual([50, 51]);
  });

  test('begins at a seed by chance, and says which', async () => {
    const { seeds, budget } = await seedsIn(4000, { random: () => 0.5 });
    expect(seeds.slice(2)).toEqual([500_000_000, 500_000_001]);
    expect(budget.plan).toMatch(/^2 worlds of the corpus, then new seeds from 500000000 on \(state /);
  });

  test('continues behind the last one on the same code, and adds up', async () => {
    await seedsIn(5000, { from: 100 });
    const { seeds, sum } = await seedsIn(2000, { breaks: 104 });
    expect(seeds).toEqual([103, 104]);
    expect(sum).toMatchObject({ from: 103, count: 2, runs: 2, worlds: 5, broken: [104], next: 105 });
    expect(sumText(sum)).toBe(
      `Ran new seeds 103 to 104. On state ${sum.state} of the code: 5 worlds in 2 runs, 1 broke an invariant`,
    );
  });

  test('notes only seeds without a gap', () => {
    const budget = planBudget({ spec: SPEC, budgetMs: 1e9, corpus: [], ledger, from: 10 });
    for (const seed of [12, 10, 13]) budget.take(outcomeOf({ ...SPEC, seed }));
    expect(budget.end()).toMatchObject({ count: 1, worlds: 1, next: 11 });
  });

  test('names the entry of the corpus for a seed that broke something', async () => {
    const written: string[] = [];
    const stream = { isTTY: false, columns: 200, write: (text: string) => written.push(text) > 0 };
    const command = {
      verb: 'seeds' as const,
      spec: SPEC,
      count: 1,
      budget: { ms: 50, from: 4000, ledger },
      stopsAtFirst: true,
      isShrunk: false,
      json: false,
      quiet: true,
      jobs: 1,
    };
    const run = async (spec: WorldSpec) => outcomeOf(spec, [HURRIED]);
    const streams = { out: stream, err: stream, environment: {} } as unknown as Parameters<
      typeof simulateSeeds
    >[2];
    expect(await simulateSeeds(command, run, streams, new AbortController().signal)).toBe(1);
    expect(written.join('')).toMatch(
      /add to simulation\/command\/corpus\.json:\n +\{"seed":\d+,"date":"\d{4}-\d\d-\d\d","found":"unhurried: too early"\}\n/,
    );
  });
});

describe('the ledger', () => {
  test('distinguishes states of the code, and skips a truncated line', () => {
    const run = { from: 1, count: 10, broken: [], ms: 5, endedAt: '2026-11-22T00:00:00Z' };
    addRun(ledger, { ...run, state: 'a' });
    appendFileSync(ledger, '{"state":"a","fr\n');
    addRun(ledger, { ...run, state: 'b', from: 50 });
    expect(sumOf(ledger, 'a')).toEqual({ runs: 1, worlds: 10, broken: [], corpus: [], next: 11 });
    expect(sumOf(ledger, 'c')).toEqual({ runs: 0, worlds: 0, broken: [], corpus: [] });
    expect(sumOf(join(folder, 'none'), 'a').worlds).toBe(0);
  });

  test('a state follows from the code and from what worlds are besides their seeds', () => {
    expect(stateOf(SPEC)).toMatch(/^[0-9a-f]{12}$/);
    expect(stateOf({ ...SPEC, seed: 9 })).toBe(stateOf(SPEC));
    expect(stateOf({ ...SPEC, hosts: 2 })).not.toBe(stateOf(SPEC));
  });
});

describe('the corpus', () => {
  test('is a list of seeds, each with a day and what it found', () => {
    expect(readCorpus().length).toBeGreaterThan(15);
    expect(() => readCorpus('[{"seed":1,"date":"today","found":"x"}]')).toThrow(/Expected entries .* got/);
    const twice = '{"seed":1,"date":"2026-11-22","found":"x"}';
    expect(() => readCorpus(`[${twice},${twice}]`)).toThrow(/Seed 1 is in .* twice/);
  });

  test('takes the line that a broken seed gives', () => {
    const line = corpusLine(17, HURRIED, '2026-11-22');
    expect(readCorpus(`[${line}]`)).toEqual([
      { seed: 17, date: '2026-11-22', found: 'unhurried: too early' },
    ]);
  });
});

test.each([
  [['--budget', 'soon'], 'Expected --budget with a time such as 30s, 10m or 2h, got "soon"'],
  [['--budget', '0'], 'Expected --budget with a time such as 30s, 10m or 2h, got "0"'],
  [['--budget', '1m', '--seeds', '5'], '--budget says how many worlds run: give it without --seeds'],
  [['--budget', '1m', '--replay'], '--budget says how many worlds run: give it without --replay'],
  [['--ledger', 'x'], '--ledger says where --budget notes its runs: give both'],
])('%j is refused', (argv, message) => {
  expect(() => readCommand(argv)).toThrow(message);
});

test('a budget is a time, and the first new seed may be given', () => {
  expect(readCommand(['--budget', '10m'])).toMatchObject({
    verb: 'seeds',
    budget: { ms: 600_000, ledger: '.simulate/runs.jsonl' },
  });
  expect(readCommand(['--budget', '2h', '--seed', '5'])).toMatchObject({
    budget: { ms: 7_200_000, from: 5 },
  });
});

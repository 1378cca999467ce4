/**
 * The crawler's proof in small: worlds by the hundreds, by the command that also runs them by the millions.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCorpus } from '../../command/corpus.ts';
import { FAULT_NAMES } from '../../models/faults.ts';
import { EXCUSE_NAMES, EXCUSES, type ExcuseName } from '../../worlds/spec.ts';
import { hold, LIMIT_MS, simulate } from './run-simulate.ts';

/** None of the next hundred is among those that found something before, as some below are: each world runs once. */
const FIRST_SEED = '101';

/**
 * The highest count that is no finding, if `share` of the worlds is allowed. Each change of the program gives these seeds
 * other worlds, so counts up to three standard deviations above are chance: a share of 2 % gives 3 of 60 in one of 8 tries.
 */
const mostOf = (worlds: number, share: number) =>
  share * worlds + 3 * Math.sqrt(worlds * share * (1 - share));

test(
  '60 worlds with all faults, and those that found something before, break no invariant, and every fault strikes',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
    try {
      // No time is left for new seeds: they would be others at each run.
      const known = ['--budget', '1ms', '--ledger', join(folder, 'runs.jsonl')];
      const both = await Promise.all([hold('--seed', FIRST_SEED, '--seeds', '60'), hold(...known)]);
      expect(both.map(({ seeds }) => seeds)).toEqual([60, readCorpus().length]);
      // Those that found something are no sample: they are harsher than others.
      const [{ seeds, excuses }] = both;
      const worldsOf = (name: ExcuseName) => excuses[name]?.worlds ?? 0;
      const isTooOften = (name: ExcuseName) => worldsOf(name) > mostOf(seeds, EXCUSES[name].maxShare);
      expect(EXCUSE_NAMES.filter(isTooOften).map((name) => `${name}: ${worldsOf(name)}`)).toEqual([]);
      expect(FAULT_NAMES.filter((name) => both.every(({ strikes }) => !(strikes[name] > 0)))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  LIMIT_MS,
);

test(
  '10 worlds without faults break no invariant: counters are exact there',
  async () => {
    const { seeds, strikes, excuses } = await hold('--seed', FIRST_SEED, '--seeds', '10', '--faults', 'none');
    expect(seeds).toBe(10);
    expect(excuses).toEqual({});
    expect(FAULT_NAMES.filter((name) => strikes[name] > 0)).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'a world follows from its seed alone, in any process and after any other worlds',
  async () => {
    const worlds = ['--seed', '41', '--seeds', '2', '--quiet', '--json', '--no-shrink'];
    const [alone, beside] = await Promise.all([
      simulate(...worlds, '--jobs', '1'),
      simulate(...worlds, '--jobs', '2'),
    ]);
    const { digest, figures } = JSON.parse(alone.out);
    expect(figures.pages).toBeGreaterThan(0);
    expect(JSON.parse(beside.out)).toMatchObject({ digest, figures });
  },
  LIMIT_MS,
);

test(
  'two replays of a world print the same, event by event',
  async () => {
    const replay = () => simulate('--seed', '8', '--replay', '--all');
    const [first, second] = await Promise.all([replay(), replay()]);
    expect(first.err).toBe('');
    expect(first.out.split('\n').length).toBeGreaterThan(100);
    expect(second).toEqual(first);
  },
  LIMIT_MS,
);

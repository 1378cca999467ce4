import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../cli/usage-error.ts';
import type { SeedsCommand } from '../../command/options.ts';
import { progressParts } from '../../command/progress.ts';
import { replay, replayText } from '../../command/replay.ts';
import { type Finding, reportJson, reportText } from '../../command/report.ts';
import { simulateSeeds } from '../../command/seeds.ts';
import { outcomeWithout, type RunWorld } from '../../command/serve.ts';
import { createTally, digestOf, firstViolation } from '../../command/tally.ts';
import type { FaultName } from '../../models/faults.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { Outcome, Violation } from '../../worlds/spec.ts';

const FAULTS_ON: readonly FaultName[] = ['workerKilled', 'dnsFails'];
const HURRIED: Violation = {
  invariant: 'unhurried',
  message: '900 ms after the last',
  host: 'a.test',
  at: T0 + 4000,
};
const LOST: Violation = { invariant: 'nothingLost', message: 'http://a.test/x is not known', host: 'a.test' };

function outcomeOf(seed: number, violations: readonly Violation[] = [], kills = 2, realMs = 5): Outcome {
  const empty = outcomeWithout({ seed, faults: FAULTS_ON }, HURRIED);
  return {
    ...empty,
    violations,
    strikes: { ...empty.strikes, workerKilled: kills },
    figures: { ...empty.figures, hosts: 3, pages: 20, requests: 25, virtualMs: 60_000, realMs },
  };
}

function ranOf(outcomes: readonly Outcome[], findings?: readonly Finding[]) {
  const tally = createTally();
  for (const outcome of outcomes) tally.add(outcome);
  return {
    tally: tally.now(),
    findings: findings ?? tally.now().broken,
    faults: FAULTS_ON,
    ms: 41_000,
    left: 0,
  };
}

describe('the report', () => {
  test('of worlds that held: each fault with how often it struck, figures, and a last line that sums up', () => {
    expect(reportText(ranOf([outcomeOf(1), outcomeOf(2, [], 0)]), false).split('\n')).toEqual([
      'fault            struck  in worlds  what it is',
      'workerKilled          2          1  A process dies while it waits',
      'dnsFails              0          0  A host name does not resolve for a while',
      '',
      'Worlds  2 in 41s, 0.049 a second',
      'Pages   40 of 6 hosts, by 50 requests',
      'Time    2m passed in the worlds',
      '',
      '2 seeds, 2 kinds of faults struck 2 times: every invariant held (41s)',
    ]);
  });

  test('of a broken seed: what it broke, and one command that replays it', () => {
    const [broken] = ranOf([outcomeOf(17, [LOST, HURRIED])]).findings;
    const spec = { seed: 17, faults: ['workerKilled'], hosts: 2 } as const;
    const finding = { ...(broken as Finding), shrunk: { spec, runs: 31 } };
    const lines = reportText(ranOf([outcomeOf(17, [LOST, HURRIED])], [finding]), false).split('\n');
    expect(lines.slice(8, -1)).toEqual([
      'Seed 17 broke unhurried, nothingLost:',
      '  nothingLost: Every seed and every link of a fetched page is known, and no other URL',
      '    a.test: http://a.test/x is not known',
      '  unhurried: Two requests to a host are never closer together than its delay',
      '    a.test, at +4.000 s: 900 ms after the last',
      '  the smallest world found that breaks the same (31 runs):',
      '    npm run simulate -- --seed 17 --faults workerKilled --hosts 2 --replay',
      '',
    ]);
    expect(lines.at(-1)).toBe(
      '1 seed, 2 kinds of faults struck 2 times: 1 seed broke an invariant: 17 (unhurried) (41s)',
    );
  });

  test('of many broken seeds: ten of them', () => {
    const text = reportText(ranOf(Array.from({ length: 14 }, (_, i) => outcomeOf(i, [LOST]))), false);
    expect(text.match(/^Seed \d+ broke/gm)).toHaveLength(10);
    expect(text).toContain('and 4 more broken seeds: 4 nothingLost\n');
    expect(text).toMatch(
      /14 seeds broke an invariant: 0 \(nothingLost\), .*9 \(nothingLost\), \.\.\. \(41s\)$/,
    );
  });

  test('of a seed that broke nothing when run again: that something does not follow from it', () => {
    const [broken] = ranOf([outcomeOf(17, [LOST])]).findings;
    const finding: Finding = { ...(broken as Finding), shrunk: 'unrepeatable' };
    expect(reportText(ranOf([outcomeOf(17, [LOST])], [finding]), false)).toContain(
      'does not follow from the seed',
    );
    expect(JSON.parse(reportJson(ranOf([outcomeOf(17, [LOST])], [finding]))).broken).toMatchObject([
      { seed: 17, unrepeatable: true },
    ]);
  });

  test('as JSON: one line with the figures, the digest and each broken seed', () => {
    const json = reportJson(ranOf([outcomeOf(1), outcomeOf(17, [LOST, HURRIED])]));
    expect(json).not.toContain('\n');
    expect(JSON.parse(json)).toMatchObject({
      seeds: 2,
      held: false,
      strikes: { workerKilled: 4, dnsFails: 0 },
      worldsStruck: { workerKilled: 2 },
      figures: { pages: 40, hosts: 6, requests: 50, virtualMs: 120_000 },
      broken: [{ seed: 17, invariants: ['unhurried', 'nothingLost'], count: 2, violations: [LOST, HURRIED] }],
    });
  });
});

test('the digest is the same for the same worlds in any order and time, and differs for others', () => {
  const worlds = fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(worlds, fc.integer({ min: 0, max: 19 }), (seeds, which) => {
      const digest = ranOf(seeds.map((seed) => outcomeOf(seed))).tally.digest;
      expect(ranOf(seeds.map((seed) => outcomeOf(seed, [], 2, 9)).reverse()).tally.digest).toBe(digest);
      const other = seeds.map((seed, i) => outcomeOf(seed, [], i === which % seeds.length ? 3 : 2));
      expect(ranOf(other).tally.digest).not.toBe(digest);
    }),
  );
  expect(digestOf(outcomeOf(1))).toMatch(/^[0-9a-f]{16}$/);
});

test('the first violation is the earliest one whose time is known', () => {
  expect(firstViolation([LOST, HURRIED, { ...HURRIED, at: T0 }])?.at).toBe(T0);
  expect(firstViolation([LOST])).toBe(LOST);
  expect(firstViolation([])).toBeUndefined();
});

test('progress says how many worlds are done, whether all held, and how long it takes', () => {
  const texts = progressParts(ranOf([outcomeOf(1)]).tally, { worlds: 4 }, 2000).map(({ text }) => text);
  expect(texts).toEqual(['1 of 4 worlds', 'all held', '0.5/s', '20 pages', '2 strikes', '2s', '~6s left']);
});

function streams() {
  const written = { out: '', err: '' };
  const streamOf = (name: 'out' | 'err') => ({
    write(text: string) {
      written[name] += text;
    },
  });
  return { written, out: streamOf('out'), err: streamOf('err'), environment: {} };
}

const SEEDS: SeedsCommand = {
  verb: 'seeds',
  spec: { seed: 10, faults: FAULTS_ON },
  count: 20,
  isShrunk: true,
  stopsAtFirst: false,
  json: false,
  quiet: true,
  jobs: 2,
};
const never = new AbortController().signal;
/** Breaks at seed 17 while workers are killed. */
const run: RunWorld = async (spec) => {
  const isBroken = spec.seed === 17 && spec.faults.includes('workerKilled');
  return { ...outcomeOf(spec.seed, isBroken ? [HURRIED] : []), spec };
};

describe('the command', () => {
  test('ends with 0 where every invariant held', async () => {
    const { written, ...all } = streams();
    expect(await simulateSeeds({ ...SEEDS, count: 5 }, run, all, never)).toBe(0);
    expect(written.out).toMatch(/every invariant held \(\S+\)\n$/);
    expect(written.err).toBe('');
  });

  test('ends with 1 if a world was broken, reports it at once, and shrinks it at the end', async () => {
    const { written, ...all } = streams();
    expect(await simulateSeeds({ ...SEEDS, quiet: false }, run, all, never)).toBe(1);
    expect(written.err).toContain('Seed 17 broke unhurried: 900 ms after the last\n');
    expect(written.out).toContain(
      'npm run simulate -- --seed 17 --faults workerKilled --hosts 1 --pages 1 --max-strikes 0 --replay',
    );
  });

  test('makes worlds smaller that broke different invariants, and shows them first', async () => {
    const { written, ...all } = streams();
    const first = (seed: number) => (seed < 20 ? HURRIED : LOST);
    const bad: RunWorld = async (spec) => ({ ...outcomeOf(spec.seed, [first(spec.seed)], 0), spec });
    expect(await simulateSeeds(SEEDS, bad, all, never)).toBe(1);
    const seeds = [...written.out.matchAll(/^Seed (\d+) broke/gm)].map(([, seed]) => Number(seed));
    expect(seeds).toEqual([10, 11, 20, 12, 13, 14, 15, 16, 17, 18]);
    expect(written.out.match(/the smallest world found/g)).toHaveLength(3);
    expect(written.out).toContain('and 10 more broken seeds: 9 nothingLost, 1 unhurried\n');
  });

  test('starts no world after the first broken one, if asked to', async () => {
    const { written, ...all } = streams();
    const command = { ...SEEDS, stopsAtFirst: true, isShrunk: false, json: true, jobs: 1 };
    expect(await simulateSeeds(command, run, all, never)).toBe(1);
    expect(JSON.parse(written.out)).toMatchObject({ seeds: 8, left: 12, broken: [{ seed: 17 }] });
  });

  test('reports what is known so far when it is interrupted', async () => {
    const { written, ...all } = streams();
    const interrupt = new AbortController();
    const slow: RunWorld = (spec) => {
      if (spec.seed < 14) return run(spec);
      interrupt.abort();
      return new Promise(() => {});
    };
    expect(await simulateSeeds(SEEDS, slow, all, interrupt.signal)).toBe(130);
    expect(written.out).toContain('4 seeds (16 left out), ');
  });
});

describe('a replay', () => {
  const timeline = [
    { at: T0 + 10, process: 'worker-1', host: 'a.test', what: 'GET http://a.test/' },
    { at: T0 + 20, process: 'worker-1', host: 'b.test', what: 'GET http://b.test/' },
  ];
  const broken = { ...outcomeOf(17, [HURRIED]), timeline };

  test('shows what happened to the host concerned, then what was broken', () => {
    expect(replayText(broken, { isAll: false }).split('\n')).toEqual([
      'World of seed 17: 3 hosts, 20 pages, 25 requests, 1m of its time',
      'Faults struck: workerKilled 2',
      '',
      'What happened to a.test',
      '   +0.010 s  worker-1  GET http://a.test/',
      '>> +4.000 s            unhurried: 900 ms after the last',
      '',
      '  unhurried: Two requests to a host are never closer together than its delay',
      '    a.test, at +4.000 s: 900 ms after the last',
      '',
      '1 violation, the first one of unhurried',
    ]);
  });

  test('shows another host, or all', () => {
    expect(replayText(broken, { host: 'b.test', isAll: false })).toContain('GET http://b.test/');
    expect(replayText(broken, { isAll: true })).toMatch(/a\.test\/\n.*b\.test\/\n/);
  });

  test('of a world that held names hosts to look at', () => {
    const text = replayText({ ...outcomeOf(3), timeline }, { isAll: false });
    expect(text).toContain('--host NAME for one of its hosts (a.test, b.test)');
    expect(text).toMatch(/Every invariant held$/);
  });

  test('refuses a host that is not there, with one that is', () => {
    expect(() => replayText(broken, { host: 'c.test', isAll: false })).toThrow(UsageError);
    expect(() => replayText(broken, { host: 'c.test', isAll: false })).toThrow('There are: a.test, b.test');
  });

  test('asks for the timeline, and ends with 1 where an invariant was broken', async () => {
    const { written, ...all } = streams();
    const asked: unknown[] = [];
    const traced: RunWorld = (spec, options) => {
      asked.push(options);
      return run(spec);
    };
    const spec = { seed: 17, faults: FAULTS_ON };
    const command = { ...SEEDS, verb: 'replay', spec, isAll: false } as const;
    expect(await replay(command, traced, all)).toBe(1);
    expect(asked[0]).toEqual({ timeline: true });
    expect(written.out).toContain(
      'The smallest world found that breaks the same:\n  npm run simulate -- --seed 17 --faults workerKilled',
    );
    expect(await replay({ ...command, spec: { ...spec, seed: 1 } }, traced, all)).toBe(0);
  });
});

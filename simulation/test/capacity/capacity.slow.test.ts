import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCpu } from '../../capacity/cpu.ts';
import { createHistogram } from '../../capacity/histogram.ts';
import { limitUses } from '../../capacity/limits.ts';
import { parseCapacityArgs } from '../../capacity/options.ts';
import { drawPicture, ticks } from '../../capacity/picture.ts';
import { shareOfCrawler } from '../../capacity/profile.ts';
import { type Run, runWorld } from '../../capacity/run.ts';
import { summarize } from '../../capacity/summary.ts';
import { readUnitFigures } from '../../capacity/unit-figures.ts';
import { planOf } from '../../capacity/world.ts';
import { createVirtualTime, drive } from '../../models/virtual-time.ts';

describe("a worker's processor", () => {
  const elapsed = async (memoryMb: number, works: readonly number[]) => {
    const time = createVirtualTime(() => 0);
    const cpu = createCpu(time, memoryMb);
    const began = time.now();
    await drive(time, Promise.all(works.map((ms) => cpu.use(ms))));
    return time.now() - began;
  };

  test('works off what it is requested, one after the other', async () => {
    expect(await elapsed(1769, [100, 50, 25])).toBe(175);
  });

  test('is as slow as its memory makes it, and no faster than one CPU', async () => {
    expect(await elapsed(1769 / 4, [100])).toBe(400);
    expect(await elapsed(4 * 1769, [100])).toBe(100);
  });

  test('adds up fractions of a millisecond', async () => {
    expect(await elapsed(1769, Array(1000).fill(0.25))).toBe(250);
  });
});

test('a histogram knows any quantile within a twentieth', () => {
  const values = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, q) => {
      const histogram = createHistogram();
      for (const value of all) histogram.add(value);
      const exact = [...all].sort((a, b) => a - b)[Math.ceil(q * all.length) - 1]!;
      expect(histogram.quantile(q)).toBeLessThanOrEqual(exact * 1.0501);
      expect(histogram.quantile(q)).toBeGreaterThanOrEqual(exact / 1.0501);
      expect(histogram.max).toBe(Math.max(...all));
    }),
  );
});

test('what limits first stands first', () => {
  const uses = limitUses({
    inFlight: { used: 12_000, peak: 60_000 },
    stateWrites: { used: 20_000, peak: 21_000 },
    configuredWorkers: { used: 9, peak: 10, allowed: 10 },
  });
  expect(uses.map(({ id }) => id)).toEqual(['configuredWorkers', 'stateWrites', 'inFlight']);
  expect(uses[1]?.share).toBe(0.5);
});

describe('the command line', () => {
  test('takes numbers as people write them', () => {
    const options = parseCapacityArgs([
      '--hosts',
      '1e6',
      '--delay',
      '0.5',
      '--popular-host',
      '--slow-host',
      '1000000',
    ]);
    expect(options).toMatchObject({ hosts: 1_000_000, delayMs: 500, popularHost: true, slowHost: 1_000_000 });
  });

  test.each([
    [['--hosts', 'many'], 'Expected --hosts to be a whole number of at least 1, got many'],
    [['--hours', '0'], 'Expected --hours to be a number of at least 0.01, got 0'],
    [['--seed', '1.5'], 'Expected --seed to be a whole number of at least 0, got 1.5'],
    [['--speed', '1'], "Unknown option '--speed'"],
  ])('%j is refused by name', (args, message) => {
    expect(() => parseCapacityArgs(args)).toThrow(message);
  });
});

test('a smaller world has its share of hosts, workers and shared limits', () => {
  const options = parseCapacityArgs([
    '--hosts',
    '1e6',
    '--workers-max',
    '300',
    '--queues',
    '10',
    '--scale',
    '50',
  ]);
  expect(planOf(options)).toMatchObject({ hosts: 20_000, workers: 6, queues: 1, queueLimit: 24_000 });
  const whole = planOf({ ...options, scale: 1 });
  expect(whole).toMatchObject({ hosts: 1_000_000, workers: 300, queues: 10, queueLimit: 120_000 });
});

test('of a profile, the crawler has what it calls, the models what they call, and nobody the rest', () => {
  const node = (id: number, url: string, hitCount: number, children: number[] = [], functionName = 'f') => ({
    id,
    hitCount,
    children,
    callFrame: { url, functionName },
  });
  const share = shareOfCrawler({
    nodes: [
      node(1, '', 0, [2, 4, 6, 7], '(root)'),
      node(2, 'file:///x/shared/worker/turn.ts', 20, [3]),
      node(3, 'node:zlib', 10),
      node(4, 'file:///x/simulation/models/sqs.ts', 5, [5]),
      node(5, 'file:///x/node_modules/a/b.js', 5),
      node(6, '', 50, [], '(garbage collector)'),
      node(7, '', 900, [], '(idle)'),
    ],
  });
  expect(share).toBe(30 / 40);
});

describe('a picture', () => {
  test.each([
    [60, 8, [0, 10, 20, 30, 40, 50, 60]],
    [6510, 4, [0, 2000, 4000, 6000]],
    [0.9, 4, [0, 0.5]],
  ])('of up to %d has round steps', (most, count, steps) => {
    expect(ticks(most, count)).toEqual(steps);
  });

  test('names its axes, and is well formed whatever stands in its labels', () => {
    const svg = drawPicture({
      title: 'a < b & c',
      subtitle: '',
      minutes: [1, 2],
      panels: [{ title: 'Rate', unit: 'a second', lines: [{ label: 'pages', values: [0, 3] }] }],
    });
    expect(svg).toContain('a &lt; b &amp; c');
    expect(svg).toContain('minutes of virtual time');
    expect(svg).not.toContain('NaN');
  });
});

describe('a small world', () => {
  const args = [
    '--hosts',
    '10',
    '--pages-per-second',
    '5',
    '--scale',
    '1',
    '--hours',
    '0.034',
    '--queues',
    '1',
  ];
  const world = (...more: string[]): Promise<Run> =>
    runWorld(parseCapacityArgs([...args, ...more]), readUnitFigures());

  test('runs the crawler, and the same again', async () => {
    const [one, other] = [await world(), await world()];
    expect(one.samples).toEqual(other.samples);
    expect(one.failures).toEqual([]);
    const { full, dollarsPerMillion, limits } = summarize(one);
    expect(full.pagesPerSecond).toBeGreaterThan(1);
    expect(full.cpuMsPerPage).toBeGreaterThan(readUnitFigures().figures.cpuMsPerPageOutside.value);
    expect(dollarsPerMillion.all).toBeGreaterThan(0.1);
    for (const { share } of limits) expect(share).toBeGreaterThanOrEqual(0);
  });

  test('has a slow host of many pages and a popular one, for whom no other host waits', async () => {
    const run = await world('--slow-host', '200', '--popular-host');
    expect(Object.keys(run.specialPages).sort()).toEqual(['h10.sim.test', 'h11.sim.test']);
    expect(run.failures).toEqual([]);
    const { pagesPerHost, within } = summarize(run).waits;
    expect(pagesPerHost.mean).toBeGreaterThan(0.9 * summarize(await world()).waits.pagesPerHost.mean);
    expect(within.p50).toBeLessThan(100);
  });
});

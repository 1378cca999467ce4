import { expect, test } from 'vitest';
import type { Peer } from '../../bench/claims/peers/peer.ts';
import { report } from '../../bench/claims/peers/report.ts';
import { cpuMsOfTimes, runMeasured } from '../../bench/harness/run-measured.ts';
import type { CrawlCost } from '../../bench/harness/strand-run.ts';

const peer = (name: string, obeysRobots: boolean): Peer => ({
  name,
  does: 'all',
  obeysRobots,
  needs: [],
  install: () => {},
  command: () => ({ command: [] }),
});

const cost = (pages: number, spanMs: number, cpuMs: number): CrawlCost => ({
  wallMs: spanMs,
  cpuMs,
  peakBytes: 50e6,
  code: 0,
  output: '',
  counts: {
    requests: pages,
    pages,
    all: { there: 100, found: 90, again: 0 },
    allowed: { there: 80, found: 80 },
    disallowed: 0,
    false: 0,
    unknown: 0,
    spanMs,
  },
});

test('peers are compared by the medians of their rounds, and found pages by the truth that holds for them', () => {
  const own = peer('own', true);
  const other = peer('other', false);
  const costs = new Map([
    [own, [cost(100, 1000, 100), cost(100, 500, 50), cost(100, 9000, 900)]],
    [other, [cost(100, 2000, 400)]],
    [peer('broken', false), []],
  ]);
  const { figures, detail } = report(costs, own, ['broken: left out']);
  expect(figures).toEqual({
    pagesPerSecond: { value: 100, unit: 'pages/s on one core' },
    cpuMsPerPage: { value: 1, unit: 'ms of CPU a page' },
    'rateBy other': { value: 2, unit: 'x the pages/s of other' },
    'cpuBy other': { value: 0.25, unit: 'x its CPU a page' },
  });
  expect(detail).toContain('| own | 100 | 1.00 | 1.00 | 1.00 | 50 | 80 of 80 |');
  expect(detail).toContain('| other | 50 | 2.00 | 4.00 | 0.25 | 50 | 90 of 100 |');
  expect(detail).toContain('broken: left out');
});

test('the CPU of a process tree is read from what the shell says about it', () => {
  expect(cpuMsOfTimes('0m0.010s 0m0.020s\n1m2.500s 0m0.250s\n')).toBe(62_780);
  expect(cpuMsOfTimes('')).toBe(0);
});

test('a program is run with what it says last, its exit code and the CPU of its children', async () => {
  const busy = 'const end = process.cpuUsage().user + 1e5; while (process.cpuUsage().user < end);';
  const parent = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); console.log('done'); process.exit(3)`;
  const run = await runMeasured({ command: [process.execPath, '-e', parent], timeoutMs: 60_000 });
  expect(run).toMatchObject({ code: 3, output: 'done\n' });
  expect(run.cpuMs).toBeGreaterThanOrEqual(90);
});

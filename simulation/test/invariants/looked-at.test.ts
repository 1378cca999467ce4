import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../models/faults.ts';
import { T0 } from '../../models/virtual-time.ts';
import type { NeedyCrawl } from '../../worlds/crowd-needs.ts';
import { runWorld } from '../../worlds/world.ts';
import { excused, makeFacts, struck, violationsOf } from './made-facts.ts';

const MINUTE = 60_000;

describe('lookedAt', () => {
  const facts = (one: NeedyCrawl, more: object = {}) =>
    makeFacts({ now: T0 + 200 * MINUTE, crowd: { running: 1, needy: [one], ended: [] }, ...more });
  const needy = (need: NeedyCrawl['need'], minutes?: number): NeedyCrawl => ({
    crawl: 'a-1',
    need,
    at: T0,
    ...(minutes !== undefined && { doneAt: T0 + minutes * MINUTE }),
  });

  test.each([
    ['wake', 7, 8],
    ['limit', 2, 3],
    ['end', 11, 12],
  ] as const)(
    'of a crawl that needs its %s after %d minutes is right, and after %d it is late',
    (need, inTime, late) => {
      expect(violationsOf('lookedAt', facts(needy(need, inTime)))).toEqual([]);
      expect(violationsOf('lookedAt', facts(needy(need, late)))).toEqual([
        expect.stringContaining(`a-1 needed its ${need} T0+0.000 s, and got it ${late * 60}.000 s later`),
      ]);
    },
  );

  test('a crawl that waits still at the end of the world is found', () => {
    expect(violationsOf('lookedAt', facts(needy('end')))).toEqual([
      expect.stringContaining('a-1 needed its end T0+0.000 s, and waits still 12000.000 s later'),
    ]);
  });

  test('where wakers die it may be late while faults strike, and not after that', () => {
    const strikes = struck('workerKilled');
    expect(violationsOf('lookedAt', facts(needy('limit', 40), { strikes }))).toEqual([]);
    expect(violationsOf('lookedAt', facts(needy('limit', 60), { strikes }))).toHaveLength(1);
  });

  test('by a clock that is ahead it may be early by as much as clocks differ', () => {
    const early = (seconds: number, ...strikes: readonly FaultName[]) =>
      facts({ ...needy('limit'), doneAt: T0 - seconds * 1000 }, { strikes: struck(...strikes) });
    expect(violationsOf('lookedAt', early(1))).toEqual([
      expect.stringContaining('a-1 needed its limit T0+0.000 s, and got it 1.000 s earlier'),
    ]);
    expect(violationsOf('lookedAt', early(10, 'clockSkew'))).toEqual([]);
    expect(violationsOf('lookedAt', early(11, 'clockSkew'))).toHaveLength(1);
    expect(excused(early(3600, 'clockStepped'))).toEqual([
      expect.stringMatching(/^wrongClock: .*3600.000 s earlier$/),
    ]);
  });
});

test('a limit that a clock ahead finds 0.2 s before its time is found', async () => {
  const { violations } = await runWorld({ seed: 77_027, faults: ['clockSkew'] });
  expect(violations.filter(({ excuse }) => excuse === undefined)).toEqual([]);
});

test('a world with many crawls beside its own ones keeps all promises', async () => {
  const { violations } = await runWorld({ seed: 45_000_003, faults: [], hosts: 1, pages: 2, crowd: 30 });
  expect(violations).toEqual([]);
});

import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { budgetKept } from '../../invariants/budget-kept.ts';
import type { HostVisits } from '../../invariants/visits.ts';
import { T0 } from '../../models/virtual-time.ts';
import { crawlFacts, hostFacts, request, struck } from './made-facts.ts';

const HOUR = 3600;
const robots = { isOfRobots: () => false } as never;

interface Given {
  /** Seconds from the beginning at which the page is requested. */
  readonly seconds: readonly number[];
  readonly endHours?: number;
  readonly strikes?: ReturnType<typeof struck>;
  readonly lost?: number;
  readonly config?: object;
}

/** The first pass is complete after an hour, and a hundred pages a day may be fetched again. */
function found({ seconds, endHours = 25, strikes = struck(), lost = 0, config = {} }: Given): string[] {
  const crawl = {
    ...crawlFacts(),
    config: parseConfig({ recrawl: 'changes', recrawlPerDay: 100, ...config }),
    firstPassAt: T0 + HOUR * 1000,
    statuses: [{ at: T0 + endHours * HOUR * 1000, status: 'stopped' }] as never,
  };
  const requests = seconds.map((at) => request('http://a.test/', at, at + 1));
  const visits: HostVisits = { crawl, host: hostFacts('a.test', []), requests, visits: [], lost };
  return budgetKept({ strikes }, [visits], robots).map(({ message }) => message);
}

/** The first fetch, and as many again, from an hour on. */
const again = (count: number, from = HOUR) => [1, ...Array.from({ length: count }, (_, i) => from + i * 30)];

test('a budget is kept up to 5 %, what chance adds, and turns that were lost', () => {
  expect(found({ seconds: again(140) })).toEqual([]);
  expect(found({ seconds: again(141) })).toEqual([
    'crawl: 141 pages were fetched again from T0+3600.000 s to T0+90000.000 s, expected 100 and 140 at most',
  ]);
  expect(found({ seconds: again(141), lost: 1 })).toEqual([]);
  expect(found({ seconds: again(141), strikes: struck('clockStepped') })).toEqual([]);
  expect(
    found({ seconds: again(141), config: { recrawlEveryMs: 600_000, recrawlPerDay: undefined } }),
  ).toEqual([]);
});

test('each day counts, and a part of one by its length', () => {
  expect(found({ seconds: again(47), endHours: 7 })).toHaveLength(1);
  expect(found({ seconds: again(47), endHours: 13 })).toEqual([]);
  expect(found({ seconds: [...again(120), ...again(120, 26 * HOUR)], endHours: 49 })).toEqual([]);
  expect(found({ seconds: again(150, 26 * HOUR), endHours: 49 })).toHaveLength(1);
});

test('neither first fetches nor those before the first pass is complete count', () => {
  expect(found({ seconds: again(100, 60) })).toEqual([]);
  expect(found({ seconds: again(400, 60) })).toHaveLength(1);
});

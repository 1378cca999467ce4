import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import {
  type ChangeHistory,
  FORGET,
  NO_HISTORY,
  observe,
  observePacked,
  packHistory,
  unpackHistory,
} from '../../../shared/core/recrawl/change-history.ts';

const salt = (page: number, fetch: number) => mixHash(mixHash(page) + fetch);

test('sums of intervals with and without a change, older ones with less weight', () => {
  const history = observe(observe(NO_HISTORY, 3, true), 5, false);
  expect(history).toEqual({ changes: FORGET, changedDays: 3 * FORGET, unchangedDays: 5 });
});

test('no history is 0, and an observation is never lost', () => {
  expect(packHistory(NO_HISTORY, 1)).toBe(0);
  expect(unpackHistory(0)).toEqual(NO_HISTORY);
  for (let page = 0; page < 1000; page++) {
    expect(observePacked(0, 1e-6, page % 2 === 0, salt(page, 1))).toBeGreaterThan(0);
  }
});

test('24 bits are a history, and stay the same bits when they are packed again', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 24 - 1 }), fc.nat(), (packed, random) => {
      const history = unpackHistory(packed);
      for (const value of Object.values(history)) expect(value).toBeGreaterThanOrEqual(0);
      const hasDays = ((packed >>> 8) & 0xff) > 0;
      expect(packHistory(history, random)).toBe(hasDays ? packed : 0);
    }),
  );
});

test('a repeated turn stores the same bytes', () => {
  const packed = packHistory({ changes: 3.7, changedDays: 20.1, unchangedDays: 77.7 }, 5);
  expect(packHistory({ changes: 3.7, changedDays: 20.1, unchangedDays: 77.7 }, 5)).toBe(packed);
});

test('values beyond the scales are the largest that fit', () => {
  const most = unpackHistory(packHistory({ changes: 1e9, changedDays: 1e9, unchangedDays: 0 }, 5));
  expect(most.changes).toBeCloseTo(50);
  expect(most.changedDays).toBeGreaterThan(3650);
  expect(most.unchangedDays).toBe(0);
});

/** Exact and packed histories of many pages, after the same fetches. */
function histories(pages: number, fetches: number, changeEach: number, days: number) {
  const exact: ChangeHistory[] = [];
  const packed: ChangeHistory[] = [];
  for (let page = 0; page < pages; page++) {
    let sums = NO_HISTORY;
    let bits = 0;
    for (let fetch = 0; fetch < fetches; fetch++) {
      const hasChanged = salt(page + 1e6, fetch) < 2 ** 32 / changeEach;
      const interval = days * (0.5 + salt(page + 2e6, fetch) / 2 ** 32);
      sums = observe(sums, interval, hasChanged);
      bits = observePacked(bits, interval, hasChanged, salt(page, fetch));
    }
    exact.push(sums);
    packed.push(unpackHistory(bits));
  }
  return { exact, packed };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test.each([
  [5, 2, 1],
  [60, 2, 5],
  [300, 2, 5],
  [300, 20, 0.1],
  [300, 1.1, 0.02],
])(
  'after %i fetches with one change in %d, %d days apart, packed sums have the mean of exact ones',
  (...of) => {
    const { exact, packed } = histories(400, ...of);
    for (const sum of ['changes', 'changedDays', 'unchangedDays'] as const) {
      const [want, got] = [mean(exact.map((h) => h[sum])), mean(packed.map((h) => h[sum]))];
      expect(got / want, sum).toBeGreaterThan(0.95);
      expect(got / want, sum).toBeLessThan(1.05);
    }
  },
);

test('a page that stops changing is forgotten as fast in three bytes as in exact sums', () => {
  const { exact, packed } = histories(400, 200, 2, 1);
  const before = [mean(exact.map((h) => h.changes)), mean(packed.map((h) => h.changes))];
  const after = [exact, packed].map((list, which) =>
    mean(
      list.map((history, page) => {
        let sums = history;
        for (let fetch = 0; fetch < 68; fetch++) {
          sums = observe(sums, 1, false);
          if (which === 1) sums = unpackHistory(packHistory(sums, salt(page + 3e6, fetch)));
        }
        return sums.changes;
      }),
    ),
  );
  expect((after[0] as number) / (before[0] as number)).toBeCloseTo(0.25, 1);
  expect((after[1] as number) / (before[1] as number)).toBeCloseTo(0.25, 1);
});

import { describe, expect, test } from 'vitest';
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import {
  countHint,
  hintedDays,
  hintTrust,
  isBuildTime,
  isHint,
  NO_HINTS,
} from '../../../shared/core/recrawl/hints.ts';

/** A host's fetches: 30 % of pages have changed, and hints come with these probabilities. */
function measured(ifChanged: number, ifUnchanged: number) {
  let counts = NO_HINTS;
  for (let fetch = 0; fetch < 3000; fetch++) {
    const hasChanged = mixHash(2 * fetch) / 2 ** 32 < 0.3;
    const isHinted = mixHash(2 * fetch + 1) / 2 ** 32 < (hasChanged ? ifChanged : ifUnchanged);
    counts = countHint(counts, isHinted, hasChanged);
  }
  return hintTrust(counts);
}

test('hints of an unknown host count for nothing', () => {
  expect(hintTrust(NO_HINTS)).toEqual({ precision: 0, recall: 0 });
  expect(hintedDays(3, hintTrust(NO_HINTS), 0.1)).toBeCloseTo(0);
});

test.each([
  ['never', 0, 0],
  ['always', 1, 1],
  ['at random', 0.5, 0.5],
  ['for the wrong pages', 0.1, 0.9],
])('hints %s make a page hardly older', (_, ifChanged, ifUnchanged) => {
  const trust = measured(ifChanged, ifUnchanged);
  expect(hintedDays(1, trust, 0.1)).toBeLessThan(1);
});

test('a host whose hints are true no more loses its trust, and wins it again', () => {
  let counts = NO_HINTS;
  const fetches = (n: number, isTrue: boolean) => {
    for (let fetch = 0; fetch < n; fetch++) {
      const hasChanged = mixHash(fetch) / 2 ** 32 < 0.3;
      counts = countHint(counts, isTrue ? hasChanged : fetch % 2 === 0, hasChanged);
    }
    return hintTrust(counts).precision;
  };
  expect(fetches(300, true)).toBeGreaterThan(0.8);
  expect(fetches(3000, false)).toBeLessThan(0.15);
  expect(fetches(3000, true)).toBeGreaterThan(0.7);
});

describe('a time in a list', () => {
  const NOW = Date.UTC(2026, 10, 25, 15);
  const DAY = 86_400_000;
  const fetchedAt = NOW - DAY / 4;
  test.each([
    ['after the last fetch', NOW - 1000, undefined, true],
    ['before it', fetchedAt - 1, undefined, false],
    ['that is the day of the last fetch', NOW - 15 * 3_600_000, undefined, true],
    ['the same once more', NOW - 15 * 3_600_000, NOW - 15 * 3_600_000, false],
    ['the day before it', NOW - 39 * 3_600_000, undefined, false],
    ['in the future', NOW + 2 * DAY, undefined, false],
    ['that is newer than an earlier hint', NOW - 1000, NOW - 5000, true],
    ['that is none', Number.NaN, undefined, false],
  ])('%s', (_, modifiedAt, hintedAt, expected) => {
    expect(isHint(modifiedAt, { fetchedAt, hintedAt }, NOW)).toBe(expected);
  });

  test('that nearly all entries share is that of a build', () => {
    expect(isBuildTime(Array.from({ length: 100 }, (_, n) => (n < 95 ? NOW : NOW - n)))).toBe(true);
    expect(isBuildTime(Array.from({ length: 100 }, (_, n) => (n < 80 ? NOW : NOW - n)))).toBe(false);
    expect(isBuildTime([NOW, NOW, NOW])).toBe(false);
  });
});

test('a true hint makes a page older than its interval', () => {
  const trust = measured(0.9, 0.01);
  expect(trust.precision).toBeGreaterThan(0.9);
  expect(trust.recall).toBeGreaterThan(0.75);
  expect(hintedDays(1, trust, 0.1)).toBeGreaterThan(60);
  expect(hintedDays(0, trust, 0.1)).toBeCloseTo(0);
});

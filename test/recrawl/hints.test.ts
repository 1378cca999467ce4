import { expect, test } from 'vitest';
import { mixHash } from '../../shared/mix-hash.ts';
import { countHint, hintedDays, hintTrust, NO_HINTS } from '../../shared/recrawl/hints.ts';

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

test('a true hint makes a page older than its interval', () => {
  const trust = measured(0.9, 0.01);
  expect(trust.precision).toBeGreaterThan(0.9);
  expect(trust.recall).toBeGreaterThan(0.75);
  expect(hintedDays(1, trust, 0.1)).toBeGreaterThan(60);
  expect(hintedDays(0, trust, 0.1)).toBeCloseTo(0);
});

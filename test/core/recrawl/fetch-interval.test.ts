import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fetchIntervalDays,
  MIN_INTERVAL_DAYS,
  OBJECTIVES,
  type PageValue,
  type RecrawlObjective,
} from '../../../shared/core/recrawl/fetch-interval.ts';

const rates = fc.double({ min: 0.0005, max: 24, noNaN: true });
const importances = fc.double({ min: 0.01, max: 1e6, noNaN: true });
const prices = fc.double({ min: Math.log(1e-6), max: Math.log(1e7), noNaN: true }).map(Math.exp);

/** V of the module's comment: the highest price at which the page is worth a fetch, `days` after its last one. */
function fetchValue(
  objective: RecrawlObjective,
  { importance, changeRate }: PageValue,
  days: number,
): number {
  const x = changeRate * days;
  const share = objective === 'changes' ? x + Math.expm1(-x) : -Math.expm1(Math.log1p(x) - x);
  return (importance / changeRate) * share;
}

test.each(OBJECTIVES)('%s: at its interval a page is worth the price of a fetch', (objective) => {
  fc.assert(
    fc.property(rates, importances, prices, (changeRate, importance, price) => {
      const page = { changeRate, importance };
      const days = fetchIntervalDays(objective, page, price);
      expect(days).toBeGreaterThanOrEqual(MIN_INTERVAL_DAYS);
      const isGivenUp = objective === 'freshness' && (price >= importance / changeRate || days >= 60);
      if (days === MIN_INTERVAL_DAYS || isGivenUp) return;
      expect(fetchValue(objective, page, days) / price).toBeCloseTo(1, 4);
    }),
    { numRuns: 2000 },
  );
});

test.each(OBJECTIVES)('%s: the interval grows with the price and falls with the importance', (objective) => {
  fc.assert(
    fc.property(rates, importances, prices, (changeRate, importance, price) => {
      const days = fetchIntervalDays(objective, { changeRate, importance }, price);
      expect(days).toBeGreaterThan(0);
      expect(days).toBeLessThan(Number.POSITIVE_INFINITY);
      expect(fetchIntervalDays(objective, { changeRate, importance }, price * 2)).toBeGreaterThanOrEqual(
        days,
      );
      expect(
        fetchIntervalDays(objective, { changeRate, importance: importance * 2 }, price),
      ).toBeLessThanOrEqual(days);
    }),
  );
});

test('published examples: x - 1 + e^-x = 1 at x = 1.8414, 1 - (1 + x) e^-x = 1/2 at x = 1.6783', () => {
  const page = { changeRate: 1, importance: 1 };
  expect(fetchIntervalDays('changes', page, 1)).toBeCloseTo(1.8414, 4);
  expect(fetchIntervalDays('freshness', page, 0.5)).toBeCloseTo(1.6783, 4);
});

test('no fixed intervals at the same mean rate cost less: two pages, all splits of a budget', () => {
  // The expected harmonic cost per day of a page fetched each `days`, by its integral.
  const cost = (changeRate: number, days: number) => {
    let sum = 0;
    for (let k = 0; k < 1000; k++) {
      const x = (changeRate * days * (k + 0.5)) / 1000;
      let [term, ein] = [1, 0];
      for (let n = 1; n < 60; n++) {
        term *= -x / n;
        ein -= term / n;
      }
      sum += ein / 1000;
    }
    return sum;
  };
  const pages = [
    { changeRate: 0.2, importance: 1 },
    { changeRate: 2, importance: 3 },
  ] as const;
  const best = pages.map((page) => fetchIntervalDays('changes', page, 1.5));
  const budget = best.reduce((sum, days) => sum + 1 / days, 0);
  const total = (first: number) =>
    pages[0].importance * cost(pages[0].changeRate, 1 / first) +
    pages[1].importance * cost(pages[1].changeRate, 1 / (budget - first));
  const optimum = total(1 / (best[0] as number));
  for (const part of [0.5, 0.8, 0.95, 1.05, 1.2, 1.5]) {
    expect(total(part / (best[0] as number))).toBeGreaterThan(optimum);
  }
});

test('`changes` gives no page up; `freshness` gives up those that change too fast, and tries each 60 days', () => {
  const fast = { changeRate: 24, importance: 1 };
  expect(fetchIntervalDays('changes', fast, 2)).toBeCloseTo(2 + 1 / 24);
  expect(fetchIntervalDays('freshness', fast, 1 / 24)).toBe(60);
  expect(fetchIntervalDays('freshness', fast, 1 / 48)).toBeLessThan(0.1);
});

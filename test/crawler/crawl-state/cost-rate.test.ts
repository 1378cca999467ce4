import { expect, test } from 'vitest';
import { CostRate } from '../../../shared/crawler/crawl-state/cost-rate.ts';

const MINUTE = 60_000;
const rateOf = (...readings: (readonly [at: number, cost?: number])[]) => {
  const [[at, cost] = [0], ...more] = readings;
  const rate = new CostRate({ at, ...(cost !== undefined && { cost }) });
  for (const [time, next] of more) rate.add({ at: time, ...(next !== undefined && { cost: next }) });
  return rate.perMs() * MINUTE;
};

test('is nothing before two readings', () => {
  expect([rateOf([0]), rateOf([0], [5000]), rateOf([0, 7])]).toEqual([0, 0, 0]);
});

test('counts the first minute as a whole one', () => {
  expect(rateOf([0, 1], [1000, 3])).toBeCloseTo(2);
  expect(rateOf([0, 1], [MINUTE, 3])).toBeCloseTo(2);
  expect(rateOf([0, 1], [2 * MINUTE, 3])).toBeCloseTo(1);
});

test('is that of the last minute, from the last reading before it', () => {
  expect(rateOf([0, 0], [MINUTE, 100], [2 * MINUTE, 101])).toBeCloseTo(1);
  expect(rateOf([0, 0], [MINUTE + 1, 100], [2 * MINUTE, 101])).toBeCloseTo(101 / 2);
  expect(rateOf([0, 0], [30_000, 10], [90_000, 20], [100_000, 22])).toBeCloseTo((22 - 10) * (6 / 7));
});

test('takes no notice of readings without a cost, and is never negative', () => {
  expect(rateOf([0], [1000, 2], [2000], [1000 + MINUTE, 6])).toBeCloseTo(4);
  expect(rateOf([0, 5], [MINUTE, 2])).toBe(0);
});

import { expect, test } from 'vitest';
import { daysUntilDue, firstIntervalDays, MAX_WAIT_DAYS } from '../../../shared/core/recrawl/due-time.ts';

test('a page that was there is due after its interval, or looked at again after 60 days', () => {
  expect(daysUntilDue({ kind: 'fetched' }, 3.5)).toBe(3.5);
  expect(daysUntilDue({ kind: 'fetched' }, 1000)).toBe(MAX_WAIT_DAYS);
});

test('404: again after 1, 2, 4 and 8 weeks, then gone; 410: after a week and 60 days', () => {
  const days = (kind: 'missing' | 'gone', misses: number) => daysUntilDue({ kind, misses }, 3);
  expect([1, 2, 3, 4, 5].map((misses) => days('missing', misses))).toEqual([7, 14, 28, 56, undefined]);
  expect([1, 2, 3].map((misses) => days('gone', misses))).toEqual([7, 60, undefined]);
});

test('a failure hides no page: again after a day at the latest, then two, and a month at most', () => {
  const days = (failures: number, interval: number) => daysUntilDue({ kind: 'failed', failures }, interval);
  expect([1, 2, 3, 6, 100].map((failures) => days(failures, 40))).toEqual([1, 2, 4, 32, 32]);
  expect(days(1, 0.1)).toBe(0.1);
});

test('a URL that has moved permanently is checked each month', () => {
  expect(daysUntilDue({ kind: 'moved' }, 3)).toBe(30);
});

test('first intervals are spread evenly over 0.5 to 1.5 of the interval', () => {
  expect(firstIntervalDays(10, 0)).toBe(5);
  expect(firstIntervalDays(10, 2 ** 31)).toBe(10);
  expect(firstIntervalDays(10, -1)).toBeCloseTo(15, 5);
});

import { expect, test } from 'vitest';
import { beginningAt, gatherCrawlErrors } from '../../functions/crawl-errors.ts';

test('an error of one crawl is logged with it, and thrown in the end with all that failed', async () => {
  const logged: unknown[] = [];
  const errors = gatherCrawlErrors((level, fields) => logged.push([level, fields]));
  errors.throwAny();
  expect(await errors.attempt('a', async () => 7)).toBe(7);
  expect([errors.has('a'), logged]).toEqual([false, []]);
  const cause = new Error('no table');
  expect(await errors.attempt('b', () => Promise.reject(cause))).toBeUndefined();
  expect(await errors.attempt('c', () => Promise.reject(new Error('no queue')))).toBeUndefined();
  expect([errors.has('a'), errors.has('b'), errors.has('c')]).toEqual([false, true, true]);
  expect(logged).toMatchObject([
    ['error', { crawl: 'b', message: expect.stringContaining('no table') }],
    ['error', { crawl: 'c' }],
  ]);
  expect(() => errors.throwAny()).toThrow(expect.objectContaining({ message: 'It failed for: b, c', cause }));
});

test('another crawl is the first each time, and none is left out', () => {
  expect([0, 1, 2, 3, 7].map((turn) => beginningAt(['a', 'b', 'c'], turn).join(''))).toEqual([
    'abc',
    'bca',
    'cab',
    'abc',
    'bca',
  ]);
  expect(beginningAt([], 5)).toEqual([]);
});

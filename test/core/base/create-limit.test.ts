import { expect, test } from 'vitest';
import { createLimit } from '../../../shared/core/base/create-limit.ts';

test('runs a limited number at once, in the order of the calls, and continues after a failure', async () => {
  const limit = createLimit(2);
  const begun: number[] = [];
  let inside = 0;
  let most = 0;
  const work = (i: number) => async () => {
    begun.push(i);
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside--;
    if (i % 3 === 0) throw new Error(`${i}`);
    return i;
  };
  const ends = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((i) => limit(work(i))));
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([false, true, true, false, true, true]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(await limit(work(7))).toBe(7);
});

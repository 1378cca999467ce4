import { expect, test } from 'vitest';
import { lazy } from '../../../shared/core/base/lazy.ts';

test('what is made once is made again only where making it failed', () => {
  let calls = 0;
  const made = lazy(() => {
    if (++calls === 1) throw new Error('not yet');
    return calls;
  });
  expect(made).toThrow('not yet');
  expect([made(), made()]).toEqual([2, 2]);
});

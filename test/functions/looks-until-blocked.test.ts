/** How long a page may block its thread. Apart from the tests of the guard, which take seconds. */
import { expect, test } from 'vitest';
import { looksUntilBlocked } from '../../functions/block-guard.ts';

test.each([
  [200, undefined, 4],
  [201, undefined, 5],
  [5000, undefined, 100],
  [200, 10, 8],
  [1, 1, 1],
])(
  'a page that may block its thread for %i ms, at slowness %s, is blamed after %i looks',
  (ms, slowness, looks) => {
    expect(looksUntilBlocked(ms, slowness)).toBe(looks);
  },
);

/** A few worlds, which are none of those of `simulate.slow.test.ts`. */
import { expect, test } from 'vitest';
import { hold, LIMIT_MS } from './run-simulate.ts';

test(
  'four worlds with all faults break no invariant',
  async () => {
    const { seeds, strikes } = await hold('--seed', '161', '--seeds', '4');
    expect(seeds).toBe(4);
    expect(Object.values(strikes).filter((count) => count > 0).length).toBeGreaterThan(10);
  },
  LIMIT_MS,
);

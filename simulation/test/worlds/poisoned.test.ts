import { expect, test } from 'vitest';
import { runWorld } from '../../worlds/world.ts';

test('a page of a host that is larger than a turn kills six workers at most, and no crawl beside it waits long', async () => {
  const { violations, strikes } = await runWorld({
    seed: 45_000_105,
    faults: ['pageHarms'],
    poisoned: true,
    crowd: 10,
  });
  expect(violations).toEqual([]);
  expect(strikes.pageHarms).toBeGreaterThan(2);
});

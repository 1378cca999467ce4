import { expect, test } from 'vitest';
import { SIZES } from '../../../shared/core/base/sizes.ts';
import { runWorld } from '../../worlds/world.ts';

/** From a death to the next turn of the host, and in that to the page: by whole seconds, and with the start of a worker. */
const MOST_MS = SIZES.renewedMs + 20_000;

test('a page of a host that is larger than a turn kills six workers at most, no crawl beside it waits long, and hosts of a dead worker are served soon', async () => {
  const spec = { seed: 45_000_105, faults: ['pageHarms'], poisoned: true, crowd: 10 } as const;
  const { violations, strikes, timeline = [] } = await runWorld(spec, { timeline: true });
  expect(violations).toEqual([]);
  expect(strikes.pageHarms).toBeGreaterThan(2);
  const deaths = timeline.filter(({ what }) => what === 'dies: out of memory').map(({ at }) => at);
  const waits = deaths.slice(1).map((at, i) => at - (deaths[i] as number));
  expect(waits).toHaveLength(strikes.pageHarms - 1);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MOST_MS);
});

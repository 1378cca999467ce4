import { expect, test } from 'vitest';
import { progressOf } from '../../api/local/progress.ts';
import { parseConfig } from '../../shared/crawl/config.ts';
import { poolStats } from '../../shared/engines/local/session/pool-stats.ts';
import { NO_SUMS } from '../../shared/engines/local/sums.ts';
import { newStats } from '../../shared/turn/worker-stats.ts';

const NOTHING = { ...NO_SUMS.totals, hosts: 0, hostsWaiting: 0, urls: NO_SUMS.urls, activeMs: 0 };
const STATS = poolStats(newStats());

test('each look adds what turns have found to what is committed at that moment', async () => {
  const waiting = { ...NOTHING, urls: { ...NO_SUMS.urls, waiting: 1 } };
  const fetched = { ...NOTHING, urls: { ...NO_SUMS.urls, fetched: 1 } };
  let totals = waiting;
  const registry = { totals: async () => totals };
  const progress = await progressOf({ registry, clock: { now: () => 0 } }, 'a', parseConfig({}));
  expect(await progress(STATS)).toMatchObject({ urls: 1, waiting: 1 });
  // The seed is no longer on its way: its host's first turn has taken it in.
  totals = NOTHING;
  expect(await progress({ ...STATS, openUrls: 1, openWaiting: 1 })).toMatchObject({ urls: 1, waiting: 1 });
  totals = fetched;
  expect(await progress({ ...STATS, pages: 1 })).toMatchObject({ pages: 1, urls: 1, waiting: 0 });
});

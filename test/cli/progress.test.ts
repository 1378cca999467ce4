import { expect, test } from 'vitest';
import { progressOf } from '../../api/local/progress.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { type Head, NEW_HEAD } from '../../shared/core/frontier/head.ts';
import type { LedgerStore } from '../../shared/crawler/ports/ledger-store.ts';
import { newStats } from '../../shared/crawler/turn/worker-stats.ts';
import { poolStats } from '../../shared/engines/local/session/pool-stats.ts';
import { NO_SUMS } from '../../shared/engines/local/sums.ts';

const NOTHING = { ...NO_SUMS.totals, hosts: 0, hostsWaiting: 0, urls: NO_SUMS.urls, activeMs: 0 };
const STATS = poolStats(newStats());

const ledgersWith = (...heads: readonly Head[]): Pick<LedgerStore, 'hosts'> => ({
  async *hosts() {
    for (const [i, head] of heads.entries()) yield { host: `h${i}.test`, head };
  },
});

test('each look adds what turns have found to what is committed at that moment', async () => {
  const waiting = { ...NOTHING, urls: { ...NO_SUMS.urls, waiting: 1 } };
  const fetched = { ...NOTHING, urls: { ...NO_SUMS.urls, fetched: 1 } };
  let totals = waiting;
  const registry = { totals: async () => totals };
  const progress = await progressOf(
    { registry, clock: { now: () => 0 }, ledgers: ledgersWith() },
    'a',
    parseConfig({}),
  );
  expect(await progress(STATS)).toMatchObject({ urls: 1, waiting: 1 });
  // The seed is no longer on its way: its host's first turn has taken it in.
  totals = NOTHING;
  expect(await progress({ ...STATS, openUrls: 1, openWaiting: 1 })).toMatchObject({ urls: 1, waiting: 1 });
  totals = fetched;
  expect(await progress({ ...STATS, pages: 1 })).toMatchObject({ pages: 1, urls: 1, waiting: 0 });
});

test('while all hosts rest that have URLs, it says until when the first one does', async () => {
  const head = (nextFetchAt: number, waiting: number, more: Partial<Head> = {}): Head => ({
    ...NEW_HEAD,
    clock: { ...NEW_HEAD.clock, nextFetchAt },
    ledger: { ...NEW_HEAD.ledger, counts: { ...NEW_HEAD.ledger.counts, waiting } },
    ...more,
  });
  const ledgers = ledgersWith(
    head(9000, 2),
    head(7000, 1),
    head(1000, 0),
    head(2000, 1, { setAside: { cause: { code: 'hostFailed' }, at: 0 } }),
  );
  const registry = { totals: async () => ({ ...NOTHING, hosts: 4, hostsWaiting: 2 }) };
  let now = 0;
  const progress = await progressOf({ registry, clock: { now: () => now }, ledgers }, 'a', parseConfig({}));
  expect((await progress(STATS)).restsUntil).toBe(7000);
  // A turn that waits for the moment of its first request.
  expect((await progress({ ...STATS, hostsActive: 1 })).restsUntil).toBe(7000);
  now = 7000;
  expect(await progress({ ...STATS, hostsActive: 1 })).not.toHaveProperty('restsUntil');
  expect(await progress({ ...STATS, requests: 1 })).not.toHaveProperty('restsUntil');
});

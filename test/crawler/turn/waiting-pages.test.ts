import { expect, test } from 'vitest';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import { countWaitingPages } from '../../../shared/crawler/turn/waiting-pages.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';

function counted(pages: number, waiting: number, waitingRequisites = 0, full?: Record<string, number>) {
  const counters = new TurnCounters({ ...NO_TOTALS, pages, ...(full && { full }) }, newStats());
  const counts = { waiting, fetched: pages, redirect: 0, gone: 0, deniedByRobots: 0, skipped: 0, failed: 0 };
  const isFull = counters.isFull({ maxPagesPerHost: 5 });
  countWaitingPages('full', isFull, { ledger: { counts, waitingRequisites }, counters });
  return counters.totals.full;
}

test('only pages wait for more than a host may give: requisites are fetched all the same', () => {
  expect(counted(5, 7, 3)).toEqual({ urls: 4, hosts: 1 });
  expect(counted(6, 1)).toEqual({ urls: 1, hosts: 1 });
  expect(counted(5, 3, 3)).toBeUndefined();
});

test('a host that has pages left counts none, and those that it had counted no more', () => {
  expect(counted(4, 7)).toBeUndefined();
  expect(counted(4, 7, 0, { urls: 7, hosts: 1 })).toEqual({ urls: 0, hosts: 0 });
  expect(counted(5, 0, 0, { urls: 7, hosts: 1 })).toEqual({ urls: 0, hosts: 0 });
});

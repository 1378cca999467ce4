import { expect, test } from 'vitest';
import { NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import { TurnCounters } from '../../../../shared/crawler/turn/counters.ts';
import {
  PageAllowance,
  type PageAllowanceOptions,
} from '../../../../shared/crawler/turn/page/page-allowance.ts';
import { newStats } from '../../../../shared/crawler/turn/worker-stats.ts';
import { type CrawlOfTurn, crawlOfTurn, NO_SHARE } from '../turn-fakes.ts';

function open(
  options: CrawlOfTurn = {},
  maxPages = Number.POSITIVE_INFINITY,
  hostPages = 0,
  share: PageAllowanceOptions['share'] = NO_SHARE,
) {
  const crawl = crawlOfTurn(options);
  const counters = new TurnCounters({ ...NO_TOTALS, pages: hostPages }, newStats());
  return { crawl, counters, allowance: new PageAllowance({ crawl, counters, share }, maxPages) };
}

test('a page that is begun and ends as one counts for the host and for the crawl', async () => {
  const { allowance, counters, crawl } = open({ config: { maxPages: 2 } });
  expect(await allowance.reserve()).toBe(true);
  allowance.begin();
  allowance.end(true);
  expect(counters.totals.pages).toBe(1);
  expect(await allowance.reserve()).toBe(true);
  allowance.begin();
  expect(crawl.budget.tryReserve()).toBe(false);
  // A redirect is not a page after all, and leaves room for one.
  allowance.end(false);
  expect(counters.totals.pages).toBe(1);
  expect(crawl.budget.tryReserve()).toBe(true);
});

test('a page that was reserved and not begun is given back', async () => {
  const { allowance, counters } = open({ config: { maxPages: 1 } });
  await allowance.reserve();
  allowance.cancel();
  expect(await allowance.reserve()).toBe(true);
  expect(counters.totals.pages).toBe(0);
});

test('a page for which the domain has no room, or that cannot be known, leaves its place in the crawl to others', async () => {
  const failure = new Error('no table');
  const answers = [() => Promise.resolve(false), () => Promise.reject(failure), () => Promise.resolve(true)];
  const share = { ...NO_SHARE, reserve: () => (answers.shift() as () => Promise<boolean>)() };
  const { allowance, crawl } = open({ config: { maxPages: 1 } }, undefined, undefined, share);
  const isRoom = () => {
    const isReserved = crawl.budget.tryReserve();
    if (isReserved) crawl.budget.settle(false);
    return isReserved;
  };
  expect(await allowance.reserve()).toBe(false);
  expect(isRoom()).toBe(true);
  await expect(allowance.reserve()).rejects.toBe(failure);
  expect(isRoom()).toBe(true);
  // One that was granted keeps its place.
  expect(await allowance.reserve()).toBe(true);
  expect(isRoom()).toBe(false);
});

test('a host is full when those in flight would fill it', async () => {
  const { allowance } = open({ config: { maxPagesPerHost: 2 } }, undefined, 1);
  expect(allowance.isHostFull).toBe(false);
  await allowance.reserve();
  expect(allowance.isHostFull).toBe(false);
  allowance.begin();
  expect(allowance.isHostFull).toBe(true);
  expect(allowance.allowsOnlyRequisites).toBe(true);
  allowance.end(false);
  expect(allowance.isHostFull).toBe(false);
  expect(allowance.allowsOnlyRequisites).toBe(false);
});

test('a turn begins no more pages than its own limit, whatever their outcome', async () => {
  const { allowance } = open({}, 2);
  for (let i = 0; i < 2; i++) {
    expect(allowance.allowsOnlyRequisites).toBe(false);
    await allowance.reserve();
    allowance.begin();
    allowance.end(false);
  }
  expect(allowance.allowsOnlyRequisites).toBe(true);
});

test('a requisite becomes a page if the host and the crawl have room for one', () => {
  const { allowance, crawl } = open({ config: { maxPages: 1, maxPagesPerHost: 5 } });
  expect(allowance.tryBegin()).toBe(true);
  expect(allowance.tryBegin()).toBe(false);
  allowance.end(true);
  expect(crawl.budget.metLimit()).toBeDefined();
  const one = open({ config: { maxPagesPerHost: 1 } }).allowance;
  expect([one.tryBegin(), one.isHostFull]).toEqual([true, true]);
  const full = open({ config: { maxPages: 5, maxPagesPerHost: 1 } }, undefined, 1);
  expect(full.allowance.tryBegin()).toBe(false);
  // Nothing stays reserved.
  for (let i = 0; i < 5; i++) expect(full.crawl.budget.tryReserve()).toBe(true);
});

test('at the limit of pages no page is reserved, and requisites are allowed if the crawl fetches them', async () => {
  const withParts = open({ config: { maxPages: 3, requisites: true }, pages: 3 });
  expect(await withParts.allowance.reserve()).toBe(false);
  expect(withParts.allowance.allowsRequisites).toBe(true);
  expect(withParts.allowance.allowsOnlyRequisites).toBe(true);
  const without = open({ config: { maxPages: 3 }, pages: 3 });
  expect(without.allowance.allowsRequisites).toBe(false);
  expect(without.allowance.allowsOnlyRequisites).toBe(false);
  const below = open({ config: { maxPages: 4, requisites: true }, pages: 3 });
  expect(below.allowance.allowsRequisites).toBe(true);
  expect(below.allowance.allowsOnlyRequisites).toBe(false);
});

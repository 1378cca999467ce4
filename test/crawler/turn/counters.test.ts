import { expect, test } from 'vitest';
import { type HostTotals, NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';

const BEFORE: HostTotals = {
  pages: 3,
  bytes: 1000,
  requests: 7,
  httpStatus: { 200: 5, 404: 1 },
  skipped: { scope: 2 },
  errors: { timeout: 1 },
  seeds: { fetched: 1 },
};

const answer = (httpStatus: number, size: number) =>
  ({ status: 'response', httpStatus, body: { size } }) as unknown as FetchOutcome;
const failure = (reason: string, isNotSent?: true) =>
  ({ status: 'failed', reason, isNotSent }) as unknown as FetchOutcome;

function open(before = BEFORE) {
  const stats = newStats();
  return { stats, counters: new TurnCounters(before, stats) };
}

test('a turn begins with what the host has, and changes nothing of the head that it began with', () => {
  const { counters } = open();
  expect(counters.totals).toEqual(BEFORE);
  counters.countPage();
  counters.countExchange(answer(200, 10));
  counters.countSkipped('scope');
  counters.countError('timeout');
  counters.count('seeds', 'fetched');
  expect(BEFORE).toMatchObject({
    pages: 3,
    httpStatus: { 200: 5 },
    skipped: { scope: 2 },
    errors: { timeout: 1 },
  });
  expect(BEFORE.seeds).toEqual({ fetched: 1 });
});

test('an answer counts as a request with its status and bytes, in the totals and in the stats', () => {
  const { counters, stats } = open();
  counters.countExchange(answer(200, 50));
  counters.countExchange(answer(503, 7));
  expect(counters.totals).toMatchObject({ requests: 9, bytes: 1057, httpStatus: { 200: 6, 404: 1, 503: 1 } });
  expect(counters.totals.errors).toEqual({ timeout: 1 });
  expect(stats).toMatchObject({ requests: 2, answers: 2, bytes: 0, pages: 0 });
});

test('a request that fails counts with its reason; one that we broke off without; one that was not made not at all', () => {
  const { counters, stats } = open();
  counters.countExchange(failure('timeout'));
  expect(counters.totals).toMatchObject({ requests: 8, errors: { timeout: 2 } });
  counters.countExchange(failure('aborted'));
  expect(counters.totals.requests).toBe(9);
  counters.countExchange(failure('aborted', true));
  expect(counters.totals).toMatchObject({ requests: 9, bytes: 1000 });
  expect(counters.totals.errors).toEqual({ timeout: 2 });
  expect(counters.totals.httpStatus).toEqual(BEFORE.httpStatus);
  expect(stats).toMatchObject({ requests: 2, answers: 0 });
});

test('whether the turn has asked the host, and whether the host has ever answered', () => {
  const { counters } = open(NO_TOTALS);
  expect([counters.hasRequested, counters.hasAnswered]).toEqual([false, false]);
  counters.countExchange(failure('timeout'));
  expect([counters.hasRequested, counters.hasAnswered]).toEqual([true, false]);
  counters.countExchange(answer(404, 0));
  expect([counters.hasRequested, counters.hasAnswered]).toEqual([true, true]);
  const later = open().counters;
  expect([later.hasRequested, later.hasAnswered]).toEqual([false, true]);
});

test('what a turn gains are its own pages and bytes', () => {
  const { counters, stats } = open();
  expect(counters.gained()).toEqual({ pages: 0, bytes: 0 });
  counters.countPage();
  counters.countPage();
  counters.countExchange(answer(200, 50));
  expect(counters.gained()).toEqual({ pages: 2, bytes: 50 });
  expect(counters.totals.pages).toBe(5);
  expect(stats.pages).toBe(2);
});

test('a host is full with its share of pages, those in flight counted', () => {
  const { counters } = open();
  expect(counters.isFull({})).toBe(false);
  expect(counters.isFull({ maxPagesPerHost: 4 })).toBe(false);
  expect(counters.isFull({ maxPagesPerHost: 3 })).toBe(true);
  expect(counters.isFull({ maxPagesPerHost: 2 })).toBe(true);
  expect(counters.isFull({ maxPagesPerHost: 4 }, 1)).toBe(true);
  expect(counters.isFull({ maxPagesPerHost: 5 }, 1)).toBe(false);
});

test('links that are left out and errors are counted by their reason, each sum by itself', () => {
  const { counters } = open();
  counters.countSkipped('scope');
  counters.countSkipped('linksPerPage', 40);
  counters.countError('blocked');
  counters.countError('blocked');
  expect(counters.totals.skipped).toEqual({ scope: 3, linksPerPage: 40 });
  expect(counters.totals.errors).toEqual({ timeout: 1, blocked: 2 });
});

test('counts that few hosts have are made when there is something to count', () => {
  const { counters } = open();
  expect(counters.totals).not.toHaveProperty('hooks');
  counters.count('hooks', 'pages');
  counters.count('hooks', 'items', 3);
  counters.count('hooks', 'items', 2);
  counters.count('seeds', 'failed');
  counters.set('requisites', { waiting: 4, sent: 1 });
  counters.count('requisites', 'fetched');
  counters.set('requisites', { waiting: 2 });
  expect(counters.totals).toMatchObject({
    hooks: { pages: 1, items: 5 },
    seeds: { fetched: 1, failed: 1 },
    requisites: { waiting: 2, sent: 1, fetched: 1 },
  });
});

test('of URLs the worker’s stats count bytes, failures by reason, and failures of their hosts', () => {
  const { counters, stats } = open();
  counters.countUrlExchange(answer(200, 50), false);
  counters.countUrlExchange(answer(503, 7), true);
  counters.countUrlExchange(failure('timeout'), true);
  counters.countUrlExchange(failure('timeout'), true);
  expect(stats).toMatchObject({ bytes: 57, errors: 3, failures: { timeout: 2 }, requests: 0 });
});

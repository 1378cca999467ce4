import { describe, expect, test } from 'vitest';
import { type CrawlOptions, isRecrawling, parseConfig } from '../../../shared/core/crawl/config.ts';
import { allowedFrom } from '../../../shared/core/crawl/host-hours.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import type { CrawlStatus } from '../../../shared/crawler/ports/crawl-registry.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import { lastDueAt, type NextTurnParts, planNextTurn } from '../../../shared/crawler/turn/next-turn.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { createFakeClock, T0 } from '../worker/fake-clock.ts';
import { crawlOfTurn, NO_SHARE } from './turn-fakes.ts';

const MINUTE = 60_000;

interface Situation {
  readonly config?: CrawlOptions;
  readonly status?: CrawlStatus;
  /** Pages of the crawl so far. */
  readonly pages?: number;
  readonly hostPages?: number;
  /** When the next page and the next requisite of the host are due. */
  readonly pageAt?: number;
  readonly requisiteAt?: number;
  readonly nextFetchAt?: number;
  readonly gapUntil?: number;
  /** The host rests until then, as it has refused the crawler. */
  readonly refusedUntil?: number;
  readonly isGivenUp?: boolean;
  readonly awaited?: number;
  readonly fetchedRequisites?: number;
  /** When the first page that is known is to be fetched again, in a crawl that recrawls. */
  readonly againAt?: number;
  /** It begins to recrawl. */
  readonly isStarting?: boolean;
  /** How long the registry takes to read the crawl, and to set it running again. */
  readonly registryMs?: number;
  /** The budget of the host's domain is used up until then. */
  readonly outUntil?: number;
}

async function plan(situation: Situation) {
  const { config, status, pages, hostPages = 0, pageAt, requisiteAt, awaited } = situation;
  const clock = createFakeClock();
  const registryMs = situation.registryMs ?? 0;
  const crawl = crawlOfTurn({ config, status, pages });
  let revived = 0;
  const counters = new TurnCounters({ ...NO_TOTALS, pages: hostPages }, newStats());
  if (awaited !== undefined) counters.set('requisites', { awaited });
  const parts = {
    crawl: Object.assign(crawl, {
      async current() {
        await clock.advance(registryMs);
        return crawl;
      },
      async revive() {
        await clock.advance(registryMs);
        revived++;
        crawl.status = 'running';
      },
    }),
    counters,
    recrawl: { isOn: isRecrawling(crawl.config), isStarting: situation.isStarting ?? false },
    share: { ...NO_SHARE, outUntil: situation.outUntil },
    ledger: {
      refetchDueAt: () => situation.againAt,
      nextDueAt: (_now: number, requisitesOnly = false) =>
        requisitesOnly || pageAt === undefined ? requisiteAt : Math.min(pageAt, requisiteAt ?? pageAt),
    },
    pace: {
      nextFetchAt: situation.nextFetchAt ?? T0,
      wait: situation.refusedUntil === undefined ? undefined : { for: 'refusal' },
      allowedAt: (at: number) =>
        allowedFrom(crawl.config, Math.max(at, situation.nextFetchAt ?? T0, situation.refusedUntil ?? 0)),
      gapUntil: situation.gapUntil ?? T0,
      givenUp: situation.isGivenUp ? { cause: { code: 'hostFailed' }, at: T0 } : undefined,
    },
  } as unknown as NextTurnParts;
  const registry = {
    isShared: false,
    totals: async () => ({ requisites: { fetched: situation.fetchedRequisites ?? 0 } }),
  };
  const { urlDueAt, ...next } = await planNextTurn({ registry: registry as never, clock }, parts);
  urlsDueAt.push(urlDueAt);
  return { ...next, revived };
}

/** When URLs were due by the plans, in their order. */
const urlsDueAt: number[] = [];

test('a plan says when the next URL is due, whatever its host waits for', async () => {
  urlsDueAt.length = 0;
  await plan({ pageAt: T0 + 5000, nextFetchAt: T0 + 60 * MINUTE });
  await plan({ nextFetchAt: T0 + 1000 });
  await plan({ isGivenUp: true, pageAt: 0 });
  expect(urlsDueAt).toEqual([T0 + 5000, Infinity, Infinity]);
});

test('a host with a URL that is due has a token, and rests until its next moment', async () => {
  expect(await plan({ pageAt: 0, nextFetchAt: T0 + 1000 })).toEqual({
    hasToken: true,
    dueAt: T0 + 1000 + 15 * MINUTE,
    restUntil: T0 + 1000,
    revived: 0,
  });
  expect(await plan({ pageAt: 0, nextFetchAt: T0 - 1000 })).toMatchObject({ hasToken: true, restUntil: T0 });
  expect(await plan({ pageAt: T0 + 5000, nextFetchAt: T0 + 1000 })).toMatchObject({
    hasToken: true,
    restUntil: T0 + 5000,
  });
});

test('the next turn is planned by the time that it is when the crawl has been read, and set running again', async () => {
  const late = { pageAt: T0 + 1000, nextFetchAt: T0 + 2000, registryMs: 5000 };
  expect(await plan(late)).toMatchObject({ restUntil: T0 + 5000, revived: 0 });
  expect(await plan({ ...late, status: 'finished' })).toMatchObject({ restUntil: T0 + 10_000, revived: 1 });
});

test('a host with nothing to fetch has no token and is not due', async () => {
  expect(await plan({ nextFetchAt: T0 + 1000 })).toEqual({
    hasToken: false,
    restUntil: T0 + 1000,
    revived: 0,
  });
});

test('a host that was given up is not waited for, but for the gap after its last request', async () => {
  const givenUp = { isGivenUp: true, pageAt: 0, nextFetchAt: T0 + 60 * MINUTE };
  expect(await plan({ ...givenUp, gapUntil: T0 + 1000 })).toEqual({
    hasToken: false,
    restUntil: T0 + 1000,
    revived: 0,
  });
  expect(await plan({ ...givenUp, gapUntil: T0 + 1000, nextFetchAt: T0 + 500 })).toMatchObject({
    restUntil: T0 + 500,
  });
});

test('a host that has refused is looked at every two hours at the latest, and takes in links meanwhile', async () => {
  const [soon, late] = [T0 + 60 * MINUTE, T0 + 600 * MINUTE];
  const rest = { pageAt: 0, nextFetchAt: T0 + 1000 };
  const planned = { hasToken: false, restUntil: T0 + 1000, revived: 0 };
  expect(await plan({ ...rest, refusedUntil: soon })).toEqual({ ...planned, dueAt: soon });
  expect(await plan({ ...rest, refusedUntil: late })).toEqual({ ...planned, dueAt: T0 + 120 * MINUTE });
});

test('a host parks for 15 minutes at most, and for one of its URLs for 30 seconds', async () => {
  expect(await plan({ pageAt: 0, nextFetchAt: T0 + 15 * MINUTE })).toMatchObject({ hasToken: true });
  expect(await plan({ pageAt: 0, nextFetchAt: T0 + 15 * MINUTE + 1 })).toEqual({
    hasToken: false,
    dueAt: T0 + 15 * MINUTE + 1,
    restUntil: T0 + 15 * MINUTE + 1,
    revived: 0,
  });
  expect(await plan({ pageAt: T0 + 30_000 })).toMatchObject({ hasToken: true, restUntil: T0 + 30_000 });
  expect(await plan({ pageAt: T0 + 30_000, nextFetchAt: T0 - 9000 })).toMatchObject({ hasToken: true });
  expect(await plan({ pageAt: T0 + 30_001 })).toEqual({
    hasToken: false,
    dueAt: T0 + 30_001,
    restUntil: T0,
    revived: 0,
  });
  // The rest of the host does not count as waiting for its URL.
  const resting = { nextFetchAt: T0 + 5 * MINUTE, pageAt: T0 + 5 * MINUTE + 30_000 };
  expect(await plan(resting)).toMatchObject({ hasToken: true, restUntil: resting.pageAt });
  expect(await plan({ ...resting, pageAt: resting.pageAt + 1 })).toMatchObject({ hasToken: false });
});

test('a time that no clock that runs right could have given counts as come', async () => {
  expect(await plan({ pageAt: T0 + 300 * 86_400_000 })).toMatchObject({ hasToken: true, restUntil: T0 });
});

describe('a host of a crawl that recrawls', () => {
  const DAY = 86_400_000;
  const config: CrawlOptions = { recrawl: 'changes', recrawlPerDay: 10 };

  test('is due when a known page is, without a token until then', async () => {
    for (const days of [5, 60])
      expect(await plan({ config, againAt: T0 + days * DAY, nextFetchAt: T0 + 1000 })).toEqual({
        hasToken: false,
        dueAt: T0 + days * DAY,
        restUntil: T0 + 1000,
        revived: 0,
      });
    expect(await plan({ config, againAt: T0 - 5, nextFetchAt: T0 + 1000 })).toMatchObject({
      hasToken: true,
      restUntil: T0 + 1000,
    });
  });

  test('is due by the first of its pages, new or known', async () => {
    const [first, later] = [T0 + 40_000, T0 + 10 * MINUTE];
    expect(await plan({ config, againAt: later, pageAt: first })).toMatchObject({ dueAt: first });
    expect(await plan({ config, againAt: first, pageAt: later })).toMatchObject({ dueAt: first });
  });

  test('is due now by a time that no clock that runs right could have given', async () => {
    for (const days of [63, 700])
      expect(await plan({ config, againAt: T0 + days * DAY })).toMatchObject({
        hasToken: true,
        restUntil: T0,
      });
  });

  test('is due now when it begins to recrawl', async () => {
    expect(await plan({ config, isStarting: true })).toMatchObject({ hasToken: true, restUntil: T0 });
  });

  test('is tried again a day after it was given up', async () => {
    expect(await plan({ config, isGivenUp: true, nextFetchAt: T0 + 1000 })).toEqual({
      hasToken: false,
      dueAt: T0 + DAY,
      restUntil: T0,
      revived: 0,
    });
  });

  test('has nothing to do if no page of it is due again, and known pages mean nothing to other crawls', async () => {
    expect(await plan({ config })).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
    expect(await plan({ againAt: T0 + DAY })).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
  });
});

test('a crawl that does not run has its hosts due and gives no token', async () => {
  for (const status of ['paused', 'stopped'] as const)
    expect(await plan({ status, pageAt: 0, nextFetchAt: T0 + 1000 })).toEqual({
      hasToken: false,
      dueAt: T0 + 1000,
      restUntil: T0 + 1000,
      revived: 0,
    });
});

test('at its limit of pages a crawl gives no token', async () => {
  const limit = { config: { maxPages: 3 }, pageAt: 0, nextFetchAt: T0 + 1000 };
  expect(await plan({ ...limit, pages: 3 })).toMatchObject({ hasToken: false, dueAt: T0 + 1000 });
  expect(await plan({ ...limit, pages: 2 })).toMatchObject({ hasToken: true });
});

test('a crawl that only fetches requisites checks hosts with pages two hours later', async () => {
  const draining = { config: { maxPages: 3, requisites: true }, pages: 3 };
  expect(await plan({ ...draining, pageAt: 0, nextFetchAt: T0 + 1000 })).toEqual({
    hasToken: false,
    dueAt: T0 + 120 * MINUTE,
    restUntil: T0 + 1000,
    revived: 0,
  });
  expect(await plan({ ...draining, pageAt: 0, requisiteAt: T0 })).toMatchObject({ hasToken: true });
  expect(await plan(draining)).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
  // A host that has its share of pages has nothing to do.
  const full = { config: { ...draining.config, maxPagesPerHost: 2 }, pages: 3, hostPages: 2, pageAt: 0 };
  expect(await plan(full)).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
});

test('a host that has its share of pages continues with requisites alone', async () => {
  const full = { config: { maxPagesPerHost: 2 }, hostPages: 2, pageAt: 0 };
  expect(await plan(full)).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
  expect(await plan({ ...full, requisiteAt: 0 })).toMatchObject({ hasToken: true });
});

test('a crawl that was called finished while links were on their way runs again, if there is something to do', async () => {
  expect(await plan({ status: 'finished', pageAt: 0 })).toMatchObject({ hasToken: true, revived: 1 });
  expect(await plan({ status: 'finished' })).toEqual({ hasToken: false, restUntil: T0, revived: 0 });
});

test('a crawl that was called limited while requisites are awaited runs again', async () => {
  const limited = {
    status: 'limited' as const,
    config: { maxPages: 3, requisites: true },
    pages: 3,
    requisiteAt: 0,
  };
  expect(await plan({ ...limited, awaited: 2 })).toMatchObject({ hasToken: true, revived: 1 });
  expect(await plan({ ...limited, awaited: 0 })).toMatchObject({ hasToken: false, revived: 0 });
  expect(await plan(limited)).toMatchObject({ hasToken: false, revived: 0 });
  expect(await plan({ ...limited, awaited: 2, fetchedRequisites: 3000 })).toMatchObject({ revived: 0 });
  expect(await plan({ ...limited, awaited: 2, fetchedRequisites: 2999 })).toMatchObject({ revived: 1 });
  expect(await plan({ ...limited, awaited: 2, status: 'stopped' })).toMatchObject({ revived: 0 });
});

test('no host is due later than two hours after the longest wait of a URL', () => {
  const config = crawlOfTurn().config;
  expect(lastDueAt(config, T0) - T0).toBeGreaterThan(120 * MINUTE + config.maxBackoffMs);
  expect(lastDueAt(config, T0) - T0).toBeLessThan(120 * MINUTE + 3 * 86_400_000);
});

test('a host with hours is due by their next beginning, and no later', () => {
  // T0 is midnight of a Thursday, UTC.
  const lastAt = (overrides: CrawlOptions['overrides']) =>
    lastDueAt(parseConfig({ overrides: overrides ?? [] }), T0) - T0;
  const open = lastAt([]);
  expect(open).toBeLessThan(20 * 60 * MINUTE);
  const nightly = { hosts: ['a.test'], hours: '22:00-23:00' };
  expect(lastAt([nightly])).toBe(22 * 60 * MINUTE);
  // Its hours are of one override, its days of another.
  expect(lastAt([nightly, { hosts: ['*.test'], days: 'sun' }])).toBe(3 * 86_400_000 + 22 * 60 * MINUTE);
  expect(lastAt([{ hosts: ['a.test'], days: 'mon-sun' }])).toBe(open);
  expect(lastAt([{ hosts: ['a.test'], delayMs: 6 * 60 * MINUTE }])).toBeGreaterThan(6 * 60 * MINUTE);
});

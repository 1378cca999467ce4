import { expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { NO_TOTALS } from '../../../shared/core/frontier/host-totals.ts';
import { MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';
import { TurnCounters } from '../../../shared/crawler/turn/counters.ts';
import { type SeedEvent, seedEventOf } from '../../../shared/crawler/turn/seed-events.ts';
import { Settlement, type SettlementOptions } from '../../../shared/crawler/turn/settlement.ts';
import { backoffEventOf, pageEventOf, type WorkEvent } from '../../../shared/crawler/turn/work-events.ts';
import { newStats } from '../../../shared/crawler/turn/worker-stats.ts';
import { T0 } from '../worker/fake-clock.ts';
import { HOST, ORIGIN, recordOf } from './turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const NEXT = T0 + 5000;
const SEED = { depth: 0, level: MAX_LEVEL };
const GIVEN_UP = { cause: { code: 'hostFailed' } as const, at: T0 };

function open(options: { isGivenUp?: boolean; isHeard?: boolean } = {}) {
  const settled: UrlRecord[] = [];
  const failures: string[] = [];
  const seeds: SeedEvent[] = [];
  const events: WorkEvent[] = [];
  const counters = new TurnCounters(NO_TOTALS, newStats());
  const hook = Promise.withResolvers<void>();
  const settlement = new Settlement({
    host: HOST,
    counters,
    ledger: {
      settle(record: UrlRecord) {
        settled.push(record);
        return { before: undefined, after: record };
      },
    },
    recrawl: { demand: { replace: () => {} } },
    output: { takesChanges: false, addChange: () => {} },
    pace: { nextFetchAt: NEXT, givenUp: options.isGivenUp ? GIVEN_UP : undefined },
    hooks: {
      reportFailure(url: string, message: unknown) {
        failures.push(`${url} ${message}`);
        return hook.promise;
      },
    },
    ...(options.isHeard !== false && {
      onSeed: (event: SeedEvent) => seeds.push(event),
      onEvent: (event: WorkEvent) => events.push(event),
    }),
  } as unknown as SettlementOptions);
  return { settlement, counters, settled, failures, seeds, events, hook };
}

test('a URL goes back to the ledger; a seed that is done with is counted by its outcome', async () => {
  const { settlement, counters, settled, failures } = open();
  const done = recordOf(PAGE, { ...SEED, state: 'fetched' });
  await settlement.settle(done);
  await settlement.settle(recordOf(PAGE, { ...SEED, state: 'waiting' }));
  await settlement.settle(recordOf(PAGE, { state: 'fetched' }));
  await settlement.settle(done, 'login');
  expect(counters.totals.seeds).toEqual({ fetched: 1, login: 1 });
  expect(settled).toHaveLength(4);
  expect(settled[0]).toBe(done);
  expect(failures).toEqual([]);
});

test('a URL that failed finally is reported to the project, and the caller may wait for the hook', async () => {
  const { settlement, failures, hook } = open();
  const url = requestUrl(PAGE, { method: 'POST' });
  let hasEnded = false;
  const settling = settlement
    .settle(recordOf(url, { state: 'failed', result: { fetchedAt: T0, httpStatus: 500 } }))
    .then(() => {
      hasEnded = true;
    });
  await Promise.resolve();
  expect([failures, hasEnded]).toEqual([[`${PAGE} HTTP 500`], false]);
  hook.resolve();
  await settling;
  expect(hasEnded).toBe(true);
});

test('a failure without a status or cause has no text', () => {
  const { settlement, failures } = open();
  void settlement.settle(recordOf(PAGE, { state: 'failed' }));
  expect(failures).toEqual([`${PAGE} `]);
});

test('a URL that is done with is reported, and a seed that was not fetched to the operator besides', () => {
  const { settlement, seeds, events } = open();
  settlement.report(recordOf(PAGE, { state: 'fetched' }));
  settlement.report(recordOf(PAGE, { ...SEED, state: 'gone', result: { fetchedAt: T0, httpStatus: 404 } }));
  settlement.report(recordOf(PAGE));
  expect(events).toMatchObject([{ status: 'fetched' }, { status: 'gone', httpStatus: 404 }]);
  expect(seeds).toMatchObject([{ url: PAGE, host: HOST, state: 'gone', httpStatus: 404 }]);
});

test('where nobody listens nothing is reported', () => {
  const { settlement, seeds, events } = open({ isHeard: false });
  settlement.report(recordOf(PAGE, { ...SEED, state: 'gone' }));
  settlement.reportSeed(recordOf(PAGE, { ...SEED, state: 'gone' }));
  expect([seeds, events]).toEqual([[], []]);
});

test('a seed that waits is reported with its next try, or that its host was given up', () => {
  const host = { host: HOST, nextFetchAt: NEXT, givenUp: undefined };
  const cause: Cause = { code: 'fetchFailed', detail: 'no connection' };
  const seed = recordOf(PAGE, { ...SEED, dueAt: NEXT + 100 });
  expect(seedEventOf(host, seed, cause)).toEqual({
    url: PAGE,
    host: HOST,
    state: 'waiting',
    cause,
    nextTryAt: NEXT + 100,
  });
  expect(seedEventOf(host, { ...seed, dueAt: 0 }, cause)).toMatchObject({ nextTryAt: NEXT });
  expect(seedEventOf({ ...host, givenUp: GIVEN_UP }, seed, cause)).toEqual({
    ...{ url: PAGE, host: HOST, state: 'waiting', cause: GIVEN_UP.cause, isGivenUp: true },
  });
  expect(seedEventOf(host, seed)).toBeUndefined();
});

test('seeds that were fetched and URLs that are no seeds are not reported to the operator', () => {
  const host = { host: HOST, nextFetchAt: NEXT, givenUp: undefined };
  expect(seedEventOf(host, recordOf(PAGE, { ...SEED, state: 'fetched' }))).toBeUndefined();
  expect(seedEventOf(host, recordOf(PAGE, { state: 'gone' }))).toBeUndefined();
  const result = { fetchedAt: T0, httpStatus: 410 };
  expect(seedEventOf(host, recordOf(PAGE, { ...SEED, state: 'gone', result }))).toEqual({
    ...{ url: PAGE, host: HOST, state: 'gone', httpStatus: 410, cause: undefined },
  });
});

test('the event of a page has what is known of it and nothing else', () => {
  expect(pageEventOf(HOST, recordOf(PAGE))).toBeUndefined();
  expect(pageEventOf(HOST, recordOf(PAGE, { state: 'fetched', depth: 0 }))).toEqual({
    ...{ type: 'page', url: PAGE, host: HOST, status: 'fetched', depth: 0 },
  });
  expect(Object.keys(pageEventOf(HOST, recordOf(PAGE, { state: 'fetched' })) ?? {})).toEqual([
    ...['type', 'url', 'host', 'status', 'depth'],
  ]);
  const cause = { code: 'fetchFailed', failure: 'certificateExpired', detail: 'connection refused' } as const;
  const result = {
    fetchedAt: T0,
    httpStatus: 0,
    contentType: '',
    bodyBytes: 0,
    tookMs: 0,
    cause,
  };
  const url = requestUrl(PAGE, { label: '' });
  expect(pageEventOf(HOST, recordOf(url, { state: 'gone', kind: 'sitemap', via: '', result }))).toEqual({
    ...{ type: 'page', url: PAGE, label: '', host: HOST, status: 'gone', kind: 'sitemap', depth: 1, via: '' },
    ...{ httpStatus: 0, contentType: '', bodyBytes: 0, tookMs: 0 },
    ...{ cause: 'connection refused', causeCode: 'certificateExpired' },
  });
});

test('the event of a copy names its page', () => {
  const result = { fetchedAt: T0, duplicateOf: `${ORIGIN}/original` };
  const event = pageEventOf(HOST, recordOf(PAGE, { state: 'fetched', result }));
  expect(event).toMatchObject({ duplicateOf: `${ORIGIN}/original`, cause: expect.any(String) });
  expect(event).not.toHaveProperty('causeCode');
});

test('the event of a host that rests says until when', () => {
  const clock = { nextFetchAt: NEXT, failures: 2 };
  expect(backoffEventOf(HOST, clock)).toEqual({ type: 'hostBackoff', host: HOST, until: NEXT, failures: 2 });
  const cause = { code: 'httpStatus', httpStatus: 503 } as const;
  expect(backoffEventOf(HOST, { ...clock, cause })).toMatchObject({
    cause: 'HTTP 503',
    causeCode: 'httpStatus',
  });
});

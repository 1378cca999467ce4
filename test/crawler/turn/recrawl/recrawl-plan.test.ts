import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { timeZone } from '../../../../shared/core/crawl/time-zone.ts';
import type { HostRecrawl } from '../../../../shared/core/frontier/head.ts';
import { NO_TOTALS } from '../../../../shared/core/frontier/host-totals.ts';
import { importanceOf } from '../../../../shared/core/frontier/importance-of.ts';
import type { RecrawlState, UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import { rateCode, rateOfCode } from '../../../../shared/core/recrawl/change-rate.ts';
import { type DemandCurve, demandOf } from '../../../../shared/core/recrawl/demand-curve.ts';
import { TurnCounters } from '../../../../shared/crawler/turn/counters.ts';
import { hashOfUrl } from '../../../../shared/crawler/turn/links/hash-of-url.ts';
import { RecrawlPlan } from '../../../../shared/crawler/turn/recrawl/recrawl-plan.ts';
import { newStats } from '../../../../shared/crawler/turn/worker-stats.ts';
import { openGolden, textOf } from '../../../golden.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, recordOf } from '../turn-fakes.ts';

const DAY = 86_400_000;
const RATE = 0.1;

type PlanEngine = ConstructorParameters<typeof RecrawlPlan>[0];

/** The engine of a crawl with this number of pages alike, each of importance 1 and fetched once. */
function engineOf(pages: () => number): PlanEngine {
  const demand: DemandCurve = demandOf('changes', { changeRate: RATE, importance: 1 });
  const registry = {
    isShared: false,
    totals: async () => ({
      urls: { fetched: pages() },
      demand: Object.fromEntries(demand.map((perDay, i) => [i, pages() * 1e6 * perDay])),
    }),
  };
  return { registry } as unknown as PlanEngine;
}

/** The plan of a turn in a crawl of 1,000 such pages. */
async function planOf(
  config: CrawlOptions,
  recrawl?: HostRecrawl,
  engine: PlanEngine = engineOf(() => 1000),
): Promise<RecrawlPlan> {
  const counters = { totals: {}, count: () => {} } as unknown as TurnCounters;
  const plan = new RecrawlPlan(engine, { crawl: crawlOfTurn({ config }), counters, recrawl });
  await plan.times.load();
  return plan;
}

/** A page that was fetched at T0 and is due. */
const pageOf = (n: number, history = 0): UrlRecord =>
  recordOf(`${ORIGIN}/${n}`, {
    state: 'fetched',
    dueAt: T0 + 1,
    result: { fetchedAt: T0, httpStatus: 200 } as UrlRecord['result'],
    recrawl: { history, rate: rateCode(RATE), changedAt: T0, misses: 0, capturedAt: T0 },
  });
const pages = Array.from({ length: 200 }, (_, n) => pageOf(n));

test('pages of one interval that were planned at another price come spread over 0.5 to 1.5 of it', async () => {
  const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 100 });
  const now = T0 + DAY;
  const days = pages.map((record) => {
    expect(plan.times.isWorthFetch(record, now)).toBe(false);
    const later = plan.times.putOff(record, now);
    expect(plan.times.isWorthFetch(later, later.dueAt), 'when it is due').toBe(true);
    return (later.dueAt - T0) / DAY;
  });
  expect(Math.min(...days)).toBeGreaterThan(4.5);
  expect(Math.max(...days)).toBeLessThan(15.5);
  for (let day = 5; day < 15; day++) {
    expect(days.filter((at) => at >= day && at < day + 1).length, `day ${day}`).toBeGreaterThan(5);
  }
});

test('each turn decides by the price as it is then', async () => {
  let known = 1000;
  const engine = engineOf(() => known);
  const worth = async () => {
    const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 100 }, undefined, engine);
    return pages.filter((record) => plan.times.isWorthFetch(record, T0 + DAY)).length;
  };
  expect(await worth()).toBe(0);
  known = 10;
  expect(await worth()).toBe(pages.length);
  known = 1000;
  expect(await worth()).toBe(0);
});

test('a page that was fetched twice has its interval exactly', async () => {
  const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 100 });
  const known = pages.map((_, n) => (plan.times.putOff(pageOf(n, 1), T0 + DAY).dueAt - T0) / DAY);
  expect(new Set(known).size).toBe(1);
  expect(known[0]).toBeGreaterThan(9);
  expect(known[0]).toBeLessThan(11);
});

/** The lists of a host have named each change, and nothing else. */
const TRUE_HINTS = { pool: [0, 0, 0], hints: [500, 0, 0, 500] } as unknown as HostRecrawl;

test('a page that lists have named comes sooner, the sooner the more often, but not before its least interval', async () => {
  const config = { recrawl: 'changes', recrawlPerDay: 100 } as const;
  const plan = await planOf(config, TRUE_HINTS);
  const hinted = (hints: number): UrlRecord => {
    const page = pageOf(1, 1);
    return { ...page, recrawl: { ...page.recrawl!, hints } };
  };
  const daysOf = (one: RecrawlPlan, hints: number) => (one.times.putOff(hinted(hints), T0).dueAt - T0) / DAY;
  const [never = 0, once = 0, often = 0] = [0, 1, 200].map((hints) => daysOf(plan, hints));
  expect(never).toBeGreaterThan(9);
  expect(once).toBeLessThan(never);
  expect(often * 24 * 60).toBeCloseTo(10, 0);
  for (const [hints, days] of [
    [0, never],
    [1, once],
    [200, often],
  ] as const) {
    expect(plan.times.isWorthFetch(hinted(hints), T0 + 0.9 * days * DAY), `${hints} hints, early`).toBe(
      false,
    );
    expect(plan.times.isWorthFetch(hinted(hints), T0 + 1.01 * days * DAY), `${hints} hints, in time`).toBe(
      true,
    );
  }
  // By a host whose lists are not known to be true, and by a fixed interval, nothing comes sooner.
  expect(daysOf(await planOf(config), 200)).toBe(never);
  const fixed = await planOf({ recrawlEveryMs: 5 * DAY }, TRUE_HINTS);
  expect(daysOf(fixed, 200)).toBe(5);
});

test('a hint moves the due time of a page, never behind the one that it has, nor before its least interval', async () => {
  const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 100 }, TRUE_HINTS);
  const page = { ...pageOf(1, 1), dueAt: T0 + 10 * DAY };
  const now = T0 + 60_000;
  const once = plan.hinted(page, T0 + 30_000, now)!;
  expect(once.recrawl).toMatchObject({ hints: 1, hintedAt: T0 + 30_000 });
  expect(once.dueAt).toBeLessThan(page.dueAt);
  expect(once.dueAt).toBeGreaterThanOrEqual(T0 + 600_000);
  const soon = { ...page, dueAt: T0 + 1000 };
  expect(plan.hinted(soon, T0 + 30_000, now)?.dueAt).toBe(T0 + 1000);
  let often = { ...page, recrawl: { ...page.recrawl!, hints: 250 } } as UrlRecord;
  often = plan.hinted(often, T0 + 30_000, now)!;
  expect(often.dueAt).toBeGreaterThanOrEqual(T0 + 600_000);
  expect(plan.hinted(once, T0 + 30_000, now), 'the same once more').toBeUndefined();
  expect(plan.hinted({ ...page, attempts: 1 }, T0 + 30_000, now), 'while a try is repeated').toBeUndefined();
  expect(plan.hinted({ ...page, state: 'gone' }, T0 + 30_000, now)).toBeUndefined();
});

test('due times are whole seconds, and no page is due before its time', async () => {
  const at = T0 + 250;
  const page = { ...pageOf(1, 1), dueAt: T0 + 10 * DAY, result: { ...pageOf(1).result!, fetchedAt: at } };
  const often = { ...page, recrawl: { ...page.recrawl!, hints: 250 } };
  const priced = await planOf({ recrawl: 'changes', recrawlPerDay: 100 }, TRUE_HINTS);
  // Ten minutes after its fetch at the earliest.
  expect(priced.hinted(often, T0 + 30_000, at)?.dueAt).toBe(T0 + 601_000);
  const fixed = await planOf({ recrawlEveryMs: 5 * DAY });
  expect(fixed.times.putOff(page, at).dueAt).toBe(T0 + 5 * DAY + 1000);
  expect(fixed.times.putOff(page, T0 + DAY + 500).dueAt).toBe(T0 + 5 * DAY + 1000);
  const yearly = await planOf({ recrawlSchedule: '@yearly' });
  expect(yearly.times.postpone(page, at).dueAt).toBe(T0 + 60 * DAY + 1000);
});

test('a page that was never fetched cannot be unchanged', async () => {
  const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 100 });
  const response = { httpStatus: 304, headers: [] } as never;
  const { result: _, ...unknown } = pageOf(1);
  for (const record of [unknown, { ...pageOf(1), recrawl: undefined }])
    expect(() => plan.unchanged(record as UrlRecord, T0, response)).toThrow('was never fetched');
});

test('a small budget is kept: a page is looked at after 60 days, and not fetched', async () => {
  const plan = await planOf({ recrawl: 'changes', recrawlPerDay: 2 });
  const page = pageOf(1, 1);
  const later = plan.times.putOff(page, T0 + DAY);
  expect((later.dueAt - T0) / DAY).toBeCloseTo(61);
  expect(plan.times.isWorthFetch(later, later.dueAt)).toBe(false);
  expect((plan.times.putOff(later, later.dueAt).dueAt - later.dueAt) / DAY).toBeCloseTo(60);
  expect(plan.times.isWorthFetch(later, T0 + 520 * DAY)).toBe(true);
});

test('a host asks the crawl for no more fetches than its pace leaves room for, and knows what its pages are worth', () => {
  const counters = new TurnCounters(NO_TOTALS, newStats());
  // Every hour a request, four fifths of them for known pages.
  const config: CrawlOptions = { recrawl: 'changes', delayMs: 3_600_000 };
  const engine = {} as unknown as ConstructorParameters<typeof RecrawlPlan>[0];
  const plan = new RecrawlPlan(engine, { crawl: crawlOfTurn({ config }), counters, recrawl: undefined });
  const page = (i: number) =>
    recordOf(`http://a.test/${i}`, {
      state: 'fetched',
      dueAt: T0 + DAY,
      recrawl: { history: 0, rate: 120, changedAt: T0, misses: 0, capturedAt: T0 },
    });
  for (let i = 0; i < 100; i++) plan.demand.replace(undefined, page(i));
  const asked = Object.values(counters.totals.demand ?? {});
  const own = plan.state()?.demand ?? [];
  expect(Math.max(...asked)).toBeCloseTo(0.8 * 24 * 1e6, 0);
  expect(Math.max(...own)).toBeGreaterThan(1e9);
  expect(asked.at(-1), 'at a high price the pages ask for less').toBe(own.at(-1));
  for (let i = 0; i < 100; i++) plan.demand.replace(page(i), { ...page(i), state: 'gone', dueAt: 0 });
  expect(new Set(Object.values(counters.totals.demand ?? {})), 'nothing is left').toEqual(new Set([0]));
});

test('the demand of many pages is off by half a millionth of a fetch a day for each at most', () => {
  const counters = new TurnCounters(NO_TOTALS, newStats());
  const config: CrawlOptions = { recrawl: 'changes' };
  const plan = new RecrawlPlan({} as never, { crawl: crawlOfTurn({ config }), counters, recrawl: undefined });
  const [page] = pages as [UrlRecord];
  const count = 1000;
  for (let i = 0; i < count; i++) plan.demand.replace(undefined, page);
  const curve = plan.state()?.demand ?? [];
  const exact = demandOf('changes', {
    changeRate: rateOfCode(rateCode(RATE)),
    importance: importanceOf(page),
  });
  for (const [i, perDay] of exact.entries())
    expect(Math.abs(curve[i]! / count - 1e6 * perDay), `price ${i}`).toBeLessThanOrEqual(0.5);
});

test('by a schedule, a page is due at the next time; one that is missing, or has failed again, at a time some days later', async () => {
  const plan = await planOf({ recrawlSchedule: '0 6 * * *', recrawlTimeZone: 'Europe/Berlin' });
  const day = (record: UrlRecord) => new Date(record.dueAt).toISOString();
  const midnight = Math.ceil(T0 / DAY) * DAY;
  const sixOn = (days: number) => {
    const at = midnight + days * DAY;
    const offset = timeZone('Europe/Berlin').offsetAt(at + DAY / 4);
    return new Date(at + DAY / 4 - offset).toISOString();
  };
  const [page] = [pageOf(1)];
  const now = Date.parse(sixOn(0)) + 300_000;
  const fetched = { ...page!, result: { ...page!.result, fetchedAt: now } as UrlRecord['result'] };
  expect(day(plan.times.putOff(fetched, now))).toBe(sixOn(1));
  expect(plan.times.isWorthFetch(fetched, Date.parse(sixOn(1)) - 1)).toBe(false);
  expect(plan.times.isWorthFetch(fetched, Date.parse(sixOn(1)))).toBe(true);
  expect(day(plan.times.postpone(fetched, now))).toBe(sixOn(1));

  const sighting = { capturedAt: now, response: { httpStatus: 404, headers: [] } } as never;
  const missing = plan.schedule({ ...page!, dueAt: now }, { ...fetched, state: 'gone' }, sighting);
  expect(day(missing), 'a week later').toBe(sixOn(7));
  const failed = plan.afterFailure({ ...page!, attempts: 3 }, now);
  expect(day(failed)).toBe(sixOn(1));
  expect(day(plan.afterFailure({ ...page!, attempts: 4 }, now))).toBe(sixOn(2));
});

test('a time further away than a clock may be wrong is looked at again before', async () => {
  const plan = await planOf({ recrawlSchedule: '@yearly' });
  const { dueAt } = plan.times.postpone(pageOf(1), T0);
  expect(dueAt - T0).toBeLessThanOrEqual(61 * DAY);
  expect(plan.times.isWorthFetch(pageOf(1), T0 + 61 * DAY)).toBe(false);
});

test('a time that a page skips is counted once', async () => {
  const counted: string[] = [];
  const counters = {
    totals: {},
    count: (_: string, kind: string) => counted.push(kind),
  } as unknown as TurnCounters;
  const config = { recrawlSchedule: '@daily' };
  const plan = new RecrawlPlan({ registry: {} } as never, {
    crawl: crawlOfTurn({ config }),
    counters,
    recrawl: undefined,
  });
  await plan.times.load();
  const response = { httpStatus: 200, headers: [] } as never;
  plan.unchanged(pageOf(1), T0 + DAY, response);
  expect(counted).toEqual(['unchanged']);
  plan.unchanged(pageOf(1), T0 + 4 * DAY, response);
  expect(counted).toEqual(['unchanged', 'unchanged', 'late']);
});

/** All that a plan decides about pages in many states: the beginning of each line, up to the due time, and a hash of all. */
const MAX_SHOWN = 120;
describe('the decisions of a crawl that fetches pages again', () => {
  const golden = openGolden('recrawl-plan.txt', import.meta.url);
  const CONFIGS: Readonly<Record<string, CrawlOptions>> = {
    'by the price of changes': { recrawl: 'changes', recrawlPerDay: 100, importance: 2 },
    'by the price of fresh copies': { recrawl: 'freshness', recrawlPerDay: 30, delayMs: 90_000 },
    'by a price at which a host asks for more than its pace allows': {
      recrawl: 'changes',
      recrawlPerDay: 2000,
      delayMs: 3_600_000,
    },
    'by a fixed interval': { recrawlEveryMs: 5 * DAY },
    'by a long interval': { recrawlEveryMs: 60 * DAY },
    'by the times of a schedule': { recrawlSchedule: '30 6 * * 1,4', recrawlTimeZone: 'Europe/Berlin' },
    'not at all': {},
  };
  /** As the head has it after many fetches. */
  const KNOWN: HostRecrawl = {
    pool: [12.3456789, 40.5, 300.25],
    demand: Array.from({ length: 40 }, (_, i) => 5_000_000 - 100_000 * i),
    hints: [50, 10, 5, 100],
    vanishing: { gone: 4.2, there: 0.3 },
    validators: { checked: 9, notModified: 4, ignored: 1 },
  };
  const factsOf = (text: string) => {
    const words = Int32Array.from(text.split(' '), (word) => hashOfUrl(word));
    return { blocks: { blocks: words.slice(0, 2), words, ends: Uint32Array.of(3, words.length) } } as never;
  };
  const page = (
    path: string,
    fields: Partial<UrlRecord> = {},
    recrawl: Partial<RecrawlState> = {},
  ): UrlRecord =>
    recordOf(`${ORIGIN}/${path}`, {
      state: 'fetched',
      attempts: 1,
      dueAt: T0 + 1500,
      result: { fetchedAt: T0 - 9.25 * DAY, httpStatus: 200, digest: Buffer.from('0'.repeat(20)) } as never,
      recrawl: {
        history: 5,
        rate: rateCode(RATE),
        changedAt: T0 - 30 * DAY,
        misses: 0,
        capturedAt: T0 - 20 * DAY,
        capturedUrl: `${ORIGIN}/original`,
        hints: 2,
        hintedAt: T0 - 10 * DAY,
        newLinks: 7,
        factor: 9,
        etag: '"old"',
        ...recrawl,
      },
      ...fields,
    });
  const RECORDS: Readonly<Record<string, UrlRecord>> = {
    'a page that was fetched': page('a'),
    'a page whose text is known': page(
      'b',
      {},
      {
        textDigest: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]),
        textSketch: new Uint8Array(16).fill(3),
        changedShare: 0.3,
        factor: undefined,
      },
    ),
    'a page that was fetched once': page(
      'c/1',
      { attempts: 0 },
      { history: 0, newLinks: undefined, hints: undefined },
    ),
    'a page that is gone': page(
      'd',
      { state: 'gone', result: { fetchedAt: T0 - 7 * DAY, httpStatus: 404 } as never },
      { misses: 1 },
    ),
    'a page that is gone finally': page('e', { state: 'gone', dueAt: 0 }, { misses: 5 }),
    'a page that has failed some times': page('f', { attempts: 6 }),
    'a page that redirected': page('g', {
      state: 'redirect',
      result: { fetchedAt: T0 - 3 * DAY, httpStatus: 301 } as never,
    }),
    'a page that came back': page(
      'h',
      {},
      { isBack: true, rate: rateCode(2), lastModified: 'Thu', etag: undefined },
    ),
    'a page that failed and was never there': page('i', { state: 'failed', recrawl: undefined }),
    'a new page': recordOf(`${ORIGIN}/j`),
    'a page that was fetched while the crawl did not recrawl': page('k', {
      dueAt: 0,
      recrawl: undefined,
      attempts: 2,
    }),
    'one that was gone then': page('l', { state: 'gone', dueAt: 0, recrawl: undefined }),
    'one that was denied then': page('m', { state: 'deniedByRobots', dueAt: 0, recrawl: undefined }),
    'one that was skipped then': page('n', { state: 'skipped', dueAt: 0, recrawl: undefined }),
    'one that failed then': page('o', { state: 'failed', dueAt: 0, recrawl: undefined }),
    'a request of the project': page('p#!POST-1', { dueAt: 0 }),
  };
  const fetchedAt = T0 + 777;
  const response = (httpStatus: number, headers: readonly [string, string][] = []) =>
    ({ url: `${ORIGIN}/x`, httpStatus, headers, startedAt: fetchedAt, endedAt: fetchedAt + 100 }) as never;
  const ETAG: readonly [string, string][] = [
    ['ETag', '"new"'],
    ['Last-Modified', 'Fri'],
  ];
  const ARCHIVED = { url: `${ORIGIN}/where`, date: '2026-01-02T03:04:05.678Z' } as never;
  const outcome = (state: UrlRecord['state'], httpStatus: number, digest = '1') => ({
    state,
    result: { fetchedAt, httpStatus, digest: Buffer.from(digest.repeat(20)) } as never,
  });

  type Act = (plan: RecrawlPlan, record: UrlRecord) => unknown;
  const fetched =
    (state: UrlRecord['state'], httpStatus: number, more: object = {}, digest?: string): Act =>
    (plan, record) => {
      const found = plan.sightingOf(
        response(httpStatus, ETAG),
        factsOf('some text that is long enough for a sketch of the page'),
        ARCHIVED,
      );
      return plan.schedule(
        record,
        { ...record, ...outcome(state, httpStatus, digest) },
        { ...found, ...more },
      );
    };
  /** The things that happen to a page, each with the pages that it is shown for. */
  const ACTS: readonly (readonly [what: string, pages: string, act: Act])[] = [
    ['is fetched', 'abdeghk', fetched('fetched', 200, { newLinks: 0 })],
    ['is fetched, with new links', 'abj', fetched('fetched', 200, { newLinks: 3, importance: 4 })],
    [
      'is fetched with the same bytes and no text',
      'abch',
      fetched('fetched', 200, { textDigest: undefined, facts: undefined }, '0'),
    ],
    ['is gone', 'abdj', fetched('gone', 404)],
    ['is gone finally', 'adk', fetched('gone', 410)],
    ['has moved', 'ag', fetched('redirect', 308)],
    ['redirects for now', 'ag', fetched('redirect', 302)],
    [
      'has failed',
      'afj',
      (plan, record) => plan.schedule(record, { ...record, ...outcome('failed', 500) }, undefined),
    ],
    [
      'is fetched and cannot be read',
      'aj',
      (plan, record) => plan.schedule(record, { ...record, ...outcome('fetched', 200) }, undefined),
    ],
    ['waits', 'aj', fetched('waiting', 503)],
    ['is skipped', 'aj', fetched('skipped', 200)],
    ['is denied', 'aj', fetched('deniedByRobots', 200)],
    ['is asked for by the project', 'p', fetched('fetched', 200)],
    [
      'has not changed by its status',
      'abchj',
      (plan, record) => plan.unchanged(record, fetchedAt, response(304, ETAG)),
    ],
    [
      'has not changed by its bytes',
      'ach',
      (plan, record) => plan.unchanged(record, fetchedAt, response(200, ETAG)),
    ],
    [
      'is to be tried again',
      'aj',
      (plan, record) => plan.afterFailure(record, fetchedAt, { state: 'waiting', retryMs: 60_000 } as never),
    ],
    [
      'is to be tried again at once',
      'a',
      (plan, record) => plan.afterFailure(record, fetchedAt, { state: 'waiting', retryMs: 0 } as never),
    ],
    [
      'has failed for the last time',
      'afij',
      (plan, record) => plan.afterFailure(record, fetchedAt, { state: 'failed', retryMs: 5 } as never),
    ],
    ['has failed without an attempt', 'afi', (plan, record) => plan.afterFailure(record, fetchedAt)],
    ['is not worth its fetch', 'acfij', (plan, record) => plan.times.putOff(record, fetchedAt)],
    ['cannot be fetched', 'a', (plan, record) => plan.times.postpone(record, fetchedAt)],
    ['is adopted', 'acdjklmnop', (plan, record) => plan.adopted(record, fetchedAt)],
    ['is named by a list', 'acdfhj', (plan, record) => plan.hinted(record, T0 - 3_600_000, fetchedAt)],
    ['is named with an old time', 'ab', (plan, record) => plan.hinted(record, T0 - 12 * DAY, fetchedAt)],
    [
      'is worth its fetch after that number of days',
      'acdfhjk',
      (plan, record) =>
        [0, 0.5, 1, 3, 4.8, 4.9, 5, 9, 20, 60, 500]
          .filter((days) => plan.times.isWorthFetch(record, T0 + days * DAY))
          .join(' '),
    ],
  ];

  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

  /** The state in the host's head, with the hash of what is long in the place of it. */
  function shownState(state: HostRecrawl | undefined): string {
    if (state === undefined) return 'no state';
    const { demand, blocks, ...rest } = state;
    return textOf({
      ...rest,
      ...(demand && { demand: hash(demand.join()) }),
      ...(blocks && { blocks: hash(blocks) }),
    });
  }

  async function plansOf(config: CrawlOptions, stored: HostRecrawl | undefined) {
    const counters = new TurnCounters(NO_TOTALS, newStats());
    const demand: DemandCurve = demandOf('changes', { changeRate: RATE, importance: 1 });
    const registry = {
      isShared: false,
      totals: async () => ({
        urls: { fetched: 1000, redirect: 50, gone: 9 },
        demand: Object.fromEntries(demand.map((perDay, i) => [i, 1000 * 1e6 * perDay])),
      }),
    };
    const crawl = crawlOfTurn({ config: { maxAttempts: 3, ...config } });
    const plan = new RecrawlPlan({ registry } as never, { crawl, counters, recrawl: stored });
    await plan.times.load();
    return { plan, counters };
  }

  /** The fields of the record that are others than before. */
  function changed(before: UrlRecord, after: unknown): string {
    if (typeof after !== 'object' || after === null) return textOf(after);
    const record = after as UrlRecord;
    const timesOf = (value: unknown): unknown =>
      typeof value === 'number' && value > T0 / 2
        ? `T0${value < T0 ? '' : '+'}${(value - T0) / 1000} s`
        : value;
    const diff = (a: object, b: object) =>
      Object.fromEntries(
        Object.entries(b)
          .filter(([key, value]) => textOf(value) !== textOf((a as Record<string, unknown>)[key]))
          .map(([key, value]) => [key, value === undefined ? 'none' : timesOf(value)]),
      );
    if (record === before) return 'stays as it is';
    const { recrawl, result, ...rest } = record;
    return textOf({
      ...diff(before, rest),
      ...(result !== before.result && { result: diff(before.result ?? {}, result ?? {}) }),
      ...(recrawl !== before.recrawl && { recrawl: recrawl && diff(before.recrawl ?? {}, recrawl) }),
    });
  }

  test.each(
    Object.entries(CONFIGS).flatMap(([name, config]) =>
      [undefined, ...(name.startsWith('by a') ? [] : [KNOWN])].map(
        (stored) => [name, config, stored, stored ? 'known' : 'new'] as const,
      ),
    ),
  )('%s', async (name, config, stored, host) => {
    const lines: string[] = [];
    const { plan: idle } = await plansOf(config, stored);
    lines.push(`on ${idle.isOn}, hints ${idle.usesHints}, starting ${idle.isStarting}`);
    for (const [what, pages, act] of ACTS)
      for (const [whose, record] of Object.entries(RECORDS)) {
        if (!pages.includes(record.url.charAt(ORIGIN.length + 1))) continue;
        // Each with a plan of its own, so that no line follows from another one.
        const { plan, counters } = await plansOf(config, stored);
        const before = textOf(plan.state());
        let after: unknown;
        try {
          after = act(plan, record);
        } catch (error) {
          after = `throws ${(error as Error).message}`;
        }
        if (typeof after === 'object') plan.demand.replace(record, after as UrlRecord);
        const { recrawl, demand } = counters.totals;
        const state = plan.state();
        lines.push(
          [
            `${whose} ${what}: ${changed(record, after)}`,
            ...(recrawl ? [Object.keys(recrawl).join(' ')] : []),
            ...(demand ? [`asks ${hash(Object.values(demand).join())}`] : []),
            ...(textOf(state) === before ? [] : [shownState(state)]),
          ].join(' | '),
        );
      }
    golden.compare(
      `${name}, a host that is ${host}`,
      lines,
      lines.map((line) => line.slice(0, MAX_SHOWN)),
    );
  });
});

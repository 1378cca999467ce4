/** How a host is asked for its robots.txt: redirects, their pace, and which failures count against it. */
import { describe, expect, test } from 'vitest';
import { StorageFailed } from '../../../../shared/core/base/storage-failed.ts';
import type { Head } from '../../../../shared/core/frontier/head.ts';
import type { FetchOutcome } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { MAX_ROBOTS_BYTES } from '../../../../shared/core/robots/parse-robots.ts';
import { RobotsFetcher } from '../../../../shared/crawler/turn/robots/robots-fetcher.ts';
import { bodyOf } from '../../../core/archive/captures.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { redirect, robots } from '../../worker/scripted-fetcher.ts';
import { CRAWL_ID, driven, openTurn, type TurnSituation } from '../turn-bench.ts';
import { ORIGIN } from '../turn-fakes.ts';

const HTTPS = 'https://a.test';
const OWN = `${ORIGIN}/robots.txt`;
const NEXT = `${ORIGIN}/next.txt`;
const ELSEWHERE = 'http://b.test/robots.txt';
const TOOK_MS = 50;
const DELAY_MS = 1000;
const LATER = T0 + 86_400_000;
const NO_RULES = robots('User-agent: *\nDisallow:\n');
const rulesOf = (origin: string, fields = {}): Head['robots'][number] => ({
  origin,
  kind: 'allowAll',
  expiresAt: LATER,
  ...fields,
});
const FAILED_BEFORE = {
  nextFetchAt: T0,
  failures: 4,
  cause: { code: 'httpStatus', httpStatus: 503 },
} as const;

/** `change`: makes something else of each outcome, such as an answer of the cache. */
async function open(
  situation: TurnSituation = {},
  change: (outcome: FetchOutcome) => FetchOutcome = (outcome) => outcome,
) {
  const turn = await openTurn({ tookMs: TOOK_MS, ...situation });
  const { services, parts } = turn;
  const { crawl, pace, output, knownRobots: known } = parts;
  const { fetch } = services.fetcherOf(crawl.everywhere);
  const fetcherOf = () => ({
    fetch: async (request: Parameters<typeof fetch>[0]) => change(await fetch(request)),
    close: async () => {},
  });
  Object.assign(services, { fetcherOf });
  const received: number[] = [];
  Object.assign(crawl.budget, { receive: (bytes: number) => void received.push(bytes) });
  const refusals = { count: async () => 'host' as const };
  const fetcher = new RobotsFetcher(services, { crawl, pace, output, known, refusals });
  return {
    ...turn,
    pace,
    received,
    fetch: (key = ORIGIN, how = {}) => driven(turn, fetcher.fetch(key, how)),
    startTimes: () => turn.fetcher.log.map(({ startedAt }) => startedAt - T0),
    appended: () => turn.calls.filter((call) => call.startsWith('append')).length,
  };
}

const fromCache = (outcome: FetchOutcome): FetchOutcome => ({
  ...outcome,
  startedAt: T0 - 500_000,
  cache: { kind: 'hit', recordId: 'r' },
});

describe('a body that breaks off', () => {
  const site = { [OWN]: { ...NO_RULES, truncated: 'disconnect' as const } };
  const CHUNKS = { code: 'malformedResponse', message: 'no chunk' } as const;
  /** Bodies of these sizes, one after the other. */
  const sized = (sizes: readonly number[], bodyFailure?: typeof CHUNKS) => {
    let i = 0;
    return (outcome: FetchOutcome): FetchOutcome => {
      if (outcome.status !== 'response') return outcome;
      const bytes = Buffer.from('User-agent: *\nDisallow: /x\n').subarray(0, sizes[i++]);
      return { ...outcome, body: bodyOf(bytes), ...(bodyFailure && { bodyFailure }) };
    };
  };

  test.each([
    ['at the same byte twice is read as it is', [20, 20], undefined, 'rules', 0],
    ['at another byte then is unknown, and a failure of the host', [20, 21], undefined, 'unreachable', 1],
    ['before its first byte may have lost all: it is not asked for again', [0], undefined, 'unreachable', 1],
    ['as its chunks cannot be read is not asked for again', [20], CHUNKS, 'unreachable', 1],
  ] as const)('%s', async (_name, sizes, bodyFailure, kind, failures) => {
    const { fetch, fetcher, pace } = await open({ site }, sized(sizes, bodyFailure));
    const fetched = await fetch();
    const detail = bodyFailure && { detail: bodyFailure.message };
    const cause = { code: 'robotsBrokeOff', truncated: 'disconnect', ...detail };
    expect(fetched).toMatchObject({ verdict: { kind, ...(kind === 'unreachable' && { cause }) } });
    expect(fetcher.count(OWN)).toBe(sizes.length);
    expect(pace.clock.failures).toBe(failures);
  });

  test('is asked for again after a rest, and not where the turn has no time for that', async () => {
    const rested = await open({ site }, sized([20, 20]));
    await rested.fetch();
    const [, second = 0] = rested.startTimes();
    expect(second).toBeGreaterThan(TOOK_MS + DELAY_MS);
    const late = await open({ site, lastRequestMs: TOOK_MS + DELAY_MS }, sized([20, 20]));
    expect(await late.fetch()).toMatchObject({ verdict: { cause: { code: 'robotsBrokeOff' } } });
    expect(late.fetcher.count(OWN)).toBe(1);
    expect(late.pace.clock.failures).toBe(1);
  });
});

describe('redirects within the host', () => {
  test('are exchanges of their own at the host’s pace, archived and counted; the last body is kept', async () => {
    const site = { [OWN]: { ...redirect(NEXT), body: 'moved' }, [NEXT]: NO_RULES };
    const { fetch, startTimes, appended, received, disposed, pace, parts } = await open({ site });
    const fetched = await fetch();
    expect(fetched).toMatchObject({
      kind: 'judged',
      verdict: { kind: 'rules' },
      outcome: { status: 'response', url: NEXT },
    });
    expect(startTimes()).toEqual([0, TOOK_MS + DELAY_MS]);
    expect(appended()).toBe(2);
    expect(received).toEqual([5, NO_RULES.body?.length]);
    expect(disposed).toEqual([OWN]);
    expect(pace.nextFetchAt).toBe(T0 + 2 * (TOOK_MS + DELAY_MS));
    expect(parts.counters.totals.requests).toBe(2);
  });

  test('are followed five times, then all is allowed', async () => {
    const { fetch, fetcher } = await open({ site: { [OWN]: redirect(OWN) } });
    expect(await fetch()).toMatchObject({ kind: 'judged', verdict: { kind: 'allowAll' } });
    expect(fetcher.count(OWN)).toBe(6);
  });

  test('forgive no failure, and the answer at their end does', async () => {
    const head = { clock: FAILED_BEFORE };
    const { fetch, pace } = await open({ head, site: { [OWN]: redirect(NEXT), [NEXT]: NO_RULES } });
    await fetch();
    expect(pace.clock.failures).toBe(2);
    const moved = await open({ head, site: { [OWN]: redirect(ELSEWHERE) } });
    await moved.fetch();
    expect(moved.pace.clock).toMatchObject({ failures: 4, cause: FAILED_BEFORE.cause });
  });

  test('that the turn has no time for are a failure of the host', async () => {
    const situation = { site: { [OWN]: redirect(NEXT) }, lastRequestMs: TOOK_MS + DELAY_MS - 1 };
    const { fetch, fetcher, pace, clock, disposed } = await open(situation);
    expect(await fetch()).toMatchObject({
      kind: 'judged',
      verdict: { kind: 'unreachable', cause: { code: 'robotsRedirectsTooSlow' } },
    });
    expect(fetcher.log.length).toBe(1);
    expect(clock.now()).toBe(T0 + TOOK_MS);
    expect(pace.clock).toMatchObject({ failures: 1, cause: { code: 'robotsRedirectsTooSlow' } });
    expect(disposed).toEqual([OWN]);
  });

  test('are followed at the last moment for a request', async () => {
    const site = { [OWN]: redirect(NEXT), [NEXT]: NO_RULES };
    const { fetch } = await open({ site, lastRequestMs: TOOK_MS + DELAY_MS });
    expect(await fetch()).toMatchObject({ verdict: { kind: 'rules' } });
  });

  test('that are too slow do not count while another origin of the host is open', async () => {
    const head = { robots: [rulesOf(HTTPS)] };
    const site = { [OWN]: redirect(NEXT) };
    const { fetch, pace } = await open({ head, site, lastRequestMs: TOOK_MS + DELAY_MS - 1 });
    expect(await fetch()).toMatchObject({ verdict: { cause: { code: 'robotsRedirectsTooSlow' } } });
    expect(pace.clock.failures).toBe(0);
  });

  test('are not followed when the crawl has been paused meanwhile', async () => {
    const turn = await open({ config: { delayMs: 60_000 }, site: { [OWN]: redirect(NEXT) } });
    await turn.engine.registry.setStatus(CRAWL_ID, 'paused');
    expect(await turn.fetch()).toMatchObject({
      kind: 'judged',
      verdict: { kind: 'unreachable', cause: { code: 'crawlNotRunning' } },
    });
    expect(turn.fetcher.log.length).toBe(1);
    expect(turn.pace.clock.failures).toBe(0);
  });

  test('are looked at again each time: a pause after the first one ends them at the second', async () => {
    const turn: Awaited<ReturnType<typeof open>> = await open({
      config: { delayMs: 60_000 },
      site: {
        [OWN]: redirect(NEXT),
        [NEXT]: () => {
          void turn.engine.registry.setStatus(CRAWL_ID, 'paused');
          return redirect(`${ORIGIN}/third.txt`);
        },
      },
    });
    expect(await turn.fetch()).toMatchObject({
      verdict: { cause: { code: 'crawlNotRunning' } },
      outcome: { status: 'response', url: NEXT },
    });
    expect(turn.fetcher.log.length).toBe(2);
  });

  test('of the cache are too slow when the time for requests is over, though the host does not rest', async () => {
    const situation = { site: { [OWN]: redirect(NEXT) }, lastRequestMs: TOOK_MS - 1 };
    const { fetch } = await open(situation, fromCache);
    expect(await fetch()).toMatchObject({ verdict: { cause: { code: 'robotsRedirectsTooSlow' } } });
  });
});

test('a response that could not be archived fails the turn, and is not judged', async () => {
  const { fetch, parts } = await open({ site: { [OWN]: NO_RULES } });
  const archiveRobots = () => Promise.reject(new StorageFailed('no room', { cause: 'full' }));
  Object.assign(parts.output, { archiveRobots });
  await expect(fetch()).rejects.toThrow(StorageFailed);
});

describe('a redirect to another host', () => {
  const away = { ...redirect(ELSEWHERE), body: 'moved' };
  const site = {
    [OWN]: { ...away, headers: { ...away.headers, 'Cache-Control': 'max-age=600' } },
  };

  test('is returned with the time of the request and its Cache-Control, and not followed', async () => {
    const { fetch, fetcher, disposed, appended } = await open({ site });
    expect(await fetch()).toEqual({ kind: 'moved', to: ELSEWHERE, at: T0, cacheControl: ['max-age=600'] });
    expect(fetcher.log.length).toBe(1);
    expect(disposed).toEqual([OWN]);
    expect(appended()).toBe(1);
  });

  test('counts from now on if the crawl’s cache gave it, whose bytes are not received again', async () => {
    const { fetch, received, appended } = await open({ site }, fromCache);
    expect(await fetch()).toMatchObject({ kind: 'moved', at: T0 + TOOK_MS });
    expect(received).toEqual([]);
    expect(appended()).toBe(1);
  });
});

describe('a host that may not be asked', () => {
  test.each(['blockedAddress', 'blockedPort'] as const)(
    'is blocked, not counted, not archived: %s',
    async (fails) => {
      const { fetch, pace, appended, parts } = await open({ site: { [OWN]: { fails } } });
      expect(await fetch()).toMatchObject({ kind: 'blocked', cause: { code: 'fetchFailed' } });
      expect(pace.clock.failures).toBe(0);
      expect(parts.counters.totals.requests).toBe(0);
      expect(appended()).toBe(0);
    },
  );

  test('is unreachable if only a redirect led there', async () => {
    const site = { [OWN]: redirect(NEXT), [NEXT]: { fails: 'blockedAddress' } } as const;
    const { fetch } = await open({ site });
    expect(await fetch()).toMatchObject({ kind: 'judged', verdict: { kind: 'unreachable' } });
  });
});

describe('a failure', () => {
  test('of the connection counts against the host, an unknown name twice', async () => {
    const refused = await open({ site: { [OWN]: { fails: 'connect', code: 'connectionRefused' } } });
    expect(await refused.fetch()).toMatchObject({ kind: 'judged', verdict: { kind: 'unreachable' } });
    const cause = { code: 'fetchFailed', failure: 'connectionRefused' };
    expect(refused.pace.clock).toMatchObject({ failures: 1, code: 'connectionRefused', cause });
    const unknown = await open({ site: { [OWN]: { fails: 'dns' } } });
    await unknown.fetch();
    expect(unknown.pace.clock.failures).toBe(2);
  });

  test.each([
    ['seconds', '120'],
    ['a date', new Date(T0 + TOOK_MS - (TOOK_MS % 1000) + 120_000).toUTCString()],
  ])('by status counts once, and the host rests as long as it asks for: %s', async (_, retryAfter) => {
    const site = { [OWN]: { status: 503, headers: { 'Retry-After': retryAfter } } };
    const { fetch, pace } = await open({ site });
    expect(await fetch()).toMatchObject({
      verdict: { kind: 'unreachable', cause: { code: 'robotsStatus', httpStatus: 503 } },
    });
    expect(pace.clock).toMatchObject({ failures: 1, cause: { code: 'robotsStatus', httpStatus: 503 } });
    expect(pace.nextFetchAt).toBeGreaterThanOrEqual(T0 + 120_000);
    expect(pace.nextFetchAt).toBeLessThan(T0 + 200_000);
  });

  test.each(['aborted', 'middleware'] as const)('of our own never counts: %s', async (fails) => {
    const { fetch, pace } = await open({ head: { clock: FAILED_BEFORE }, site: { [OWN]: { fails } } });
    expect(await fetch()).toMatchObject({ kind: 'judged', verdict: { kind: 'unreachable' } });
    expect(pace.clock.failures).toBe(FAILED_BEFORE.failures);
  });

  test('of a file beside robots.txt counts though the origin is open: Retry-After holds for the host', async () => {
    const file = `${ORIGIN}/.well-known/tdmrep.json`;
    const site = { [file]: { status: 503, headers: { 'Retry-After': '40' } } };
    const { fetch, pace } = await open({ head: { robots: [rulesOf(ORIGIN)] }, site });
    expect(await fetch(file, { isBeside: true })).toMatchObject({ verdict: { kind: 'unreachable' } });
    expect(pace.clock.failures).toBe(1);
    expect(pace.nextFetchAt).toBeGreaterThanOrEqual(T0 + TOOK_MS + 40_000);
  });

  test('does not count while another origin of the host is open, and does once that has expired', async () => {
    const site = { [OWN]: { status: 503 } };
    const fine = await open({ site, head: { robots: [rulesOf(HTTPS)] } });
    await fine.fetch();
    expect(fine.pace.clock.failures).toBe(0);
    const old = await open({ site, head: { robots: [rulesOf(HTTPS, { expiresAt: T0 + TOOK_MS })] } });
    await old.fetch();
    expect(old.pace.clock.failures).toBe(1);
  });
});

test.each([
  ['a status that says that it cannot', { status: 503 }],
  ['a refusal', { status: 402, headers: { 'crawler-price': 'USD 0.01' } }],
  ['a redirect', redirect(ELSEWHERE)],
])('an origin that does not give its robots.txt forgives the host nothing: %s', async (_, answer) => {
  const clock = { ...FAILED_BEFORE, code: 'connectionReset' as const };
  const head = { clock, robots: [rulesOf(HTTPS)] };
  const { fetch, pace, fetcher } = await open({ site: { [OWN]: answer }, head });
  await fetch();
  expect(fetcher.count(OWN)).toBe(1);
  const { failures, cause, code } = clock;
  expect(pace.clock).toMatchObject({ failures, cause, code });
});

describe('the Crawl-delay', () => {
  const site = { [OWN]: NO_RULES, [NEXT]: NO_RULES };

  test('after a request is the longer one of the key’s and of the requested origin’s', async () => {
    for (const [ofOrigin, ofKey] of [
      [7000, 3000],
      [3000, 7000],
    ]) {
      const known = [rulesOf(ORIGIN, { crawlDelayMs: ofOrigin }), rulesOf(NEXT, { crawlDelayMs: ofKey })];
      const { fetch, pace } = await open({ site, head: { robots: known } });
      await fetch(NEXT);
      expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + 7000);
    }
  });

  test('before a redirected request is that of the origin whose robots.txt it is; after it, the longer one', async () => {
    const known = [rulesOf(ORIGIN, { crawlDelayMs: 3000 }), rulesOf(HTTPS, { crawlDelayMs: 9000 })];
    const there = `${HTTPS}/robots.txt`;
    const site = { [OWN]: redirect(there), [there]: NO_RULES };
    const { fetch, startTimes, pace, locks, parts } = await open({ site, head: { robots: known } });
    await fetch();
    expect(startTimes()).toEqual([0, TOOK_MS + 3000]);
    const { totalTimeoutMs } = parts.crawl.config;
    expect(locks).toEqual([totalTimeoutMs + 3000, totalTimeoutMs + 9000]);
    expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + 3000 + TOOK_MS + 9000);
  });
});

test('a file of the host that is no robots.txt of its own is asked for after the gap of its origin', async () => {
  const site = { [OWN]: NO_RULES, [NEXT]: NO_RULES };
  const { fetch, fetcher, pace, startTimes } = await open({
    site,
    head: { robots: [rulesOf(ORIGIN, { crawlDelayMs: 3000 }), rulesOf(NEXT, { crawlDelayMs: 9000 })] },
  });
  const before = pace.exchange({ url: OWN });
  await fetch(NEXT);
  await before;
  expect(fetcher.log.map(({ url }) => url)).toEqual([OWN, NEXT]);
  expect(startTimes()).toEqual([0, TOOK_MS + 3000]);
});

describe('the crawl’s cache', () => {
  test('is bypassed for an origin whose rules are old ones of the cache, and only then', async () => {
    const site = { [OWN]: NO_RULES };
    const archived = await open({ site, head: { robots: [rulesOf(ORIGIN, { isArchived: true })] } });
    await archived.fetch();
    expect(archived.requests).toMatchObject([
      { url: OWN, cache: 'bypass', maxBodyBytes: MAX_ROBOTS_BYTES + 1 },
    ]);
    const known = await open({ site, head: { robots: [rulesOf(ORIGIN)] } });
    await known.fetch();
    expect(known.requests[0]?.cache).toBeUndefined();
  });
});

test('a robots.txt that cannot be archived was asked for all the same: it counts, and the host rests', async () => {
  const { fetch, engine, pace, parts } = await open({
    site: { [OWN]: NO_RULES },
    config: { delayMs: DELAY_MS },
  });
  engine.archiveOf(CRAWL_ID).append = () => Promise.reject(new Error('disk full'));
  await expect(fetch()).rejects.toThrow('disk full');
  expect(parts.counters.totals.requests).toBe(1);
  expect(pace.nextFetchAt).toBe(T0 + TOOK_MS + DELAY_MS);
});

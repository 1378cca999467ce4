import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import { StaleTurn } from '../../../../shared/crawler/ports/stale-turn.ts';
import { CrawlPace } from '../../../../shared/crawler/turn/pace/crawl-pace.ts';
import { HostPace, type HostPaceOptions } from '../../../../shared/crawler/turn/pace/host-pace.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';
import { answered, NO_ACCESS, paceOf } from './made-pace.ts';

const FREEZE_MS = 600_000;

/**
 * A turn that waited for another crawl's turn, and whose process freezes while it reads the crawl's status.
 */
function askAfterFreeze({
  lastRequestAt = T0 + 3_600_000,
  isTaken = false,
  waitMs = 10_000,
  lockMs = 0,
  isRunning = true,
} = {}) {
  const clock = createFakeClock();
  const requestsAt: number[] = [];
  let lockedUntil = T0 + 60_000;
  const services = {
    engine: { clock },
    lanes: {
      restAfterLast: () => {},
      restUntil: () => 0,
      async run(_host: string, _spacing: unknown, request: () => Promise<unknown>) {
        await clock.advance(waitMs);
        return request();
      },
    },
    fetcherOf: () => ({
      async fetch() {
        requestsAt.push(clock.now());
        return { status: 'failed', reason: 'timeout' };
      },
    }),
    stopping: new AbortController().signal,
  } as unknown as TurnServices;
  const crawl = {
    id: 'c',
    host: 'a.test',
    config: parseConfig({ totalTimeoutMs: 5000 }),
    async isRunning() {
      await clock.advance(FREEZE_MS);
      return isRunning;
    },
  };
  const lease = {
    endsAt: lastRequestAt,
    async lockFor(ms: number) {
      await clock.advance(lockMs);
      if (clock.now() + ms <= lockedUntil) return;
      if (isTaken && clock.now() > lockedUntil) throw new StaleTurn('it went to another worker');
      lockedUntil = clock.now() + ms;
    },
  };
  const quarantine = { watch: <T>(work: () => Promise<T>) => work() };
  const options = {
    crawl,
    lease,
    lastRequestAt,
    quarantine,
    access: NO_ACCESS,
  } as unknown as HostPaceOptions;
  const outcome = new HostPace(services, NEW_HEAD, options).exchange({ url: 'http://a.test/' });
  return { outcome, requestsAt, lockedUntil: () => lockedUntil };
}

test('a host is locked when the request is made, also after the process froze while it read the status', async () => {
  const { outcome, requestsAt, lockedUntil } = askAfterFreeze();
  await outcome;
  expect(requestsAt).toEqual([T0 + 10_000 + FREEZE_MS]);
  expect(lockedUntil()).toBeGreaterThan(requestsAt[0] as number);
});

test('a host that another worker was given meanwhile is not asked', async () => {
  const { outcome, requestsAt } = askAfterFreeze({ isTaken: true });
  await expect(outcome).rejects.toThrow(StaleTurn);
  expect(requestsAt).toEqual([]);
});

test('a request is not made when its time was over by then', async () => {
  const { outcome, requestsAt } = askAfterFreeze({ lastRequestAt: T0 + 30_000 });
  expect(await outcome).toMatchObject({ status: 'failed', reason: 'aborted', isNotSent: true });
  expect(requestsAt).toEqual([]);
});

test('whether the crawl runs is asked again after a lock that took long', async () => {
  const { outcome, requestsAt } = askAfterFreeze({ waitMs: 0, lockMs: 10_000, isRunning: false });
  expect(await outcome).toMatchObject({ status: 'failed', isNotSent: true });
  expect(requestsAt).toEqual([]);
});

describe('an exchange', () => {
  const URL = { url: 'http://a.test/' };
  const config = { perHost: 2, maxCrawlDelayMs: 8000 };

  test('has its host’s lane, the lock for request and rest, and the eyes of the quarantine', async () => {
    const { pace, said } = paceOf({ config, leaseMs: 50_000 });
    expect(await pace.exchange({ ...URL, method: 'POST' }, 3000)).toMatchObject({
      status: 'response',
      httpStatus: 200,
    });
    expect(said).toEqual([
      ['lane', 'a.test', { perHost: 2, gapMs: 3000, latestAt: T0 + 50_000 }, true, true],
      ['lock', 5000 + 3000],
      'watched',
      ['fetch', 'the crawl', { ...URL, method: 'POST' }, true],
    ]);
  });

  test('is locked for the delay after it, and comes after the one before it', async () => {
    const { pace, said } = paceOf({ config });
    await pace.exchange(URL, undefined, 9000);
    expect(said[0]).toContainEqual(expect.objectContaining({ gapMs: 1000 }));
    expect(said[1]).toEqual(['lock', 5000 + 8000]);
    const adaptive = paceOf({ config: { adaptive: true, adaptiveFactor: 3, maxAdaptiveDelayMs: 60_000 } });
    await adaptive.pace.exchange(URL);
    expect(adaptive.said[0]).toContainEqual(expect.objectContaining({ gapMs: 1000 }));
    expect(adaptive.said[1]).toEqual(['lock', 5000 + 15_000]);
  });

  test('that the lanes refuse, or whose time is over, was not made', async () => {
    const message = 'there was no time left for it';
    const unmade = { status: 'failed', reason: 'aborted', isNotSent: true, ...URL, message };
    const refused = paceOf({ isRefused: true });
    expect(await refused.pace.exchange(URL)).toEqual({ ...unmade, startedAt: T0, endedAt: T0 });
    const late = paceOf({ waitMs: 1001, leaseMs: 1000 });
    expect(await late.pace.exchange(URL)).toEqual({ ...unmade, startedAt: T0 + 1001, endedAt: T0 + 1001 });
    expect(late.said).not.toContain('watched');
    expect(await paceOf({ waitMs: 1000, leaseMs: 1000 }).pace.exchange(URL)).toMatchObject({
      status: 'response',
    });
  });

  test('whose lock took until its time, or the hours of its host, were over is not made', async () => {
    const unmade = (message: string) => ({ reason: 'aborted', isNotSent: true, message });
    const late = paceOf({ lockMs: 1001, leaseMs: 1000 });
    expect(await late.pace.exchange(URL)).toMatchObject(unmade('there was no time left for it'));
    expect(late.said).not.toContain('watched');
    expect(await paceOf({ lockMs: 1000, leaseMs: 1000 }).pace.exchange(URL)).toMatchObject({
      status: 'response',
    });
    // T0 is midnight in UTC.
    const hours = { overrides: [{ hosts: ['a.test'], hours: '00:00-00:15', timeZone: 'UTC' }] };
    for (const [lockMs, expected] of [
      [1000, unmade('the hours of the host were over')],
      [999, { status: 'response' }],
    ] as const) {
      const { pace, clock } = paceOf({ config: hours, lockMs, leaseMs: 3_600_000 });
      await clock.advance(899_000);
      expect(await pace.exchange(URL)).toMatchObject(expected);
    }
  });

  test('whose lock took more than two seconds is made only if the crawl still runs', async () => {
    const paused = { isRunning: false };
    expect(await paceOf({ ...paused, lockMs: 2001 }).pace.exchange(URL)).toMatchObject({
      message: 'the crawl does not run',
    });
    expect(await paceOf({ ...paused, lockMs: 2000 }).pace.exchange(URL)).toMatchObject({
      status: 'response',
    });
  });

  test('that waited for more than two seconds is made only if the crawl still runs', async () => {
    const paused = { isRunning: false };
    expect(await paceOf({ ...paused, waitMs: 2001 }).pace.exchange(URL)).toMatchObject({
      reason: 'aborted',
      isNotSent: true,
      message: 'the crawl does not run',
    });
    expect(await paceOf({ ...paused, waitMs: 2000 }).pace.exchange(URL)).toMatchObject({
      status: 'response',
    });
    const running = paceOf({ waitMs: 2001 });
    await running.pace.exchange(URL);
    expect(running.said.filter((what) => Array.isArray(what) && what[0] === 'lock')).toHaveLength(2);
  });
});

describe('what changes while an exchange waits for its lane', () => {
  const URL = { url: 'http://a.test/' };

  test('a host that refuses the crawler meanwhile is left alone', async () => {
    const { pace, said } = paceOf({ waitMs: 1000 });
    const made = pace.exchange(URL);
    pace.restForRefusal(T0 + 1001);
    expect(await made).toMatchObject({
      isNotSent: true,
      message: 'the host rests, as it has refused the crawler',
    });
    expect(said).not.toContain('watched');
    const over = paceOf({ waitMs: 1000 });
    const after = over.pace.exchange(URL);
    over.pace.restForRefusal(T0 + 1000);
    expect(await after).toMatchObject({ status: 'response' });
  });

  test('a host whose bytes are owed meanwhile, by the request beside this one, rests for them', async () => {
    const { pace, said } = paceOf({ waitMs: 1000, config: { maxBytesPerSecondPerHost: 1000 } });
    const made = pace.exchange(URL);
    pace.pay(answered(0, 100, { body: { size: 5000 } }));
    expect(await made).toMatchObject({
      isNotSent: true,
      message: 'the host rests for the bytes that it has sent',
    });
    expect(said).not.toContain('watched');
  });

  test('the slot of the crawl’s bytes is used, or comes too late', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const run = vi.spyOn(CrawlPace.prototype, 'run');
    const begun: string[] = [];
    const given = { config: { maxBytesPerSecond: 1000 } };
    run.mockImplementation(async (_latestAt, request) => request(() => begun.push('begun')));
    const { pace } = paceOf(given);
    expect(await pace.exchange(URL)).toMatchObject({ status: 'response' });
    expect(begun).toEqual(['begun']);
    run.mockResolvedValue(undefined);
    expect(await paceOf(given).pace.exchange(URL)).toMatchObject({
      isNotSent: true,
      message: "the crawl's byte rate (--limit-rate) is used up by other hosts",
    });
  });

  test('a host does not wait for a slot that it has used', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(CrawlPace.prototype, 'run').mockImplementation(async (_, request) => request(() => {}));
    const until = T0 + 60_000;
    const { pace } = paceOf({
      config: { maxBytesPerSecond: 1000 },
      head: { clock: { nextFetchAt: until, failures: 0 }, wait: { for: 'crawlBytes', until } },
    });
    expect(pace.wait).toEqual({ for: 'crawlBytes', until });
    await pace.exchange(URL);
    expect(pace.wait).toBeUndefined();
  });
});

test('each exchange has an outcome of its own, and is made if the crawl runs then', async () => {
  const outcomes = [200, 404].map((httpStatus) => ({ status: 'response', httpStatus, body: {} }));
  const { pace } = paceOf({ waitMs: 2001, runs: [true, true, false], outcomes });
  const made: unknown[] = [];
  for (let i = 0; i < 3; i++) made.push(await pace.exchange({ url: 'http://a.test/' }));
  expect(made).toMatchObject([
    { httpStatus: 200 },
    { httpStatus: 404 },
    { isNotSent: true, message: 'the crawl does not run' },
  ]);
});

test('the bodies of a turn are given back at its end, though its claims cannot be', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  let isDisposed = false;
  const dispose = async () => {
    isDisposed = true;
  };
  const { pace } = paceOf({ outcome: { status: 'response', httpStatus: 200, body: { dispose } } as never });
  vi.spyOn(CrawlPace.prototype, 'end').mockRejectedValue(new Error('no table'));
  await pace.exchange({ url: 'http://a.test/' });
  await expect(pace.release()).rejects.toThrow('no table');
  expect(isDisposed).toBe(true);
});

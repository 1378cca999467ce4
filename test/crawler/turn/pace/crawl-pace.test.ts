/** The place of a host's requests among all of a crawl that takes a certain number of bytes a second. */
import { describe, expect, test } from 'vitest';
import { Semaphore } from '../../../../shared/core/base/semaphore.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { HostWait } from '../../../../shared/core/frontier/head.ts';
import type { Place } from '../../../../shared/core/frontier/rate-line.ts';
import type { FetchOutcome } from '../../../../shared/core/outcome/fetch-outcome.ts';
import { CrawlPace, LATE_MS } from '../../../../shared/crawler/turn/pace/crawl-pace.ts';
import type { CrawlLine } from '../../../../shared/crawler/turn/pace/crawl-rates.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn } from '../turn-fakes.ts';

const RATE = 1000;
const WAIT_MS = 5000;
/** The clock's `elapsed` in the beginning: the wall clock was set forward before. */
const SET_BY = 3_600_000;
const PLACE: Place = { at: T0 + 10, from: T0, bytes: 70 };
const OUTCOME = { status: 'response', receivedBytes: 90 } as FetchOutcome;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * `places`: what is to be had, one after the other. `waits`: how long the line says that a request would wait, at each
 * question; then not at all.
 */
function open({
  config = { maxBytesPerSecond: RATE },
  wait,
  places = [],
  waits = [],
  settle = async () => {},
}: {
  config?: CrawlOptions;
  wait?: HostWait;
  places?: (Place | { askAgainMs: number })[];
  waits?: number[];
  settle?: () => Promise<void>;
} = {}) {
  const clock = createFakeClock();
  clock.set(SET_BY);
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const stopping = new AbortController();
  const line = {
    giveBack: note('giveBack'),
    join: note('join'),
    begun: note('begun'),
    ended: note('ended'),
    waitMs(now: number) {
      expect(now).toBe(clock.elapsed());
      return waits.shift() ?? 0;
    },
    owedMs: 0,
  };
  const all: CrawlLine = { line: line as never, gate: new Semaphore(1) };
  const services = {
    engine: { clock },
    stopping: stopping.signal,
    rates: {
      lineOf: () => all,
      async take(crawl: string, rate: number) {
        calls.push(['take', crawl, rate]);
        await new Promise((resolve) => setImmediate(resolve));
        return places.shift();
      },
      async settle(crawl: string, rate: number) {
        calls.push(['settle', crawl, rate]);
        await new Promise((resolve) => setImmediate(resolve));
        await settle();
      },
    },
  };
  const crawl = crawlOfTurn({ config: { ...config, turnMaxWaitMs: WAIT_MS } });
  const pace = new CrawlPace(services as never, crawl, wait);
  /** One exchange of 20 ms, at the latest at that time. Time passes by the test. */
  const begin = (latestAt = NEVER, outcome: FetchOutcome | Error = OUTCOME, sentRequest = true) =>
    pace.run(
      latestAt,
      async (begun) => {
        calls.push(['request', clock.elapsed() - T0]);
        begun();
        await clock.sleep(20);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      (given) => {
        expect(given).toBe(outcome);
        return sentRequest;
      },
    );
  /** The same. Time passes by itself. */
  const run = (...given: Parameters<typeof begin>) => clock.drive(begin(...given));
  return { pace, begin, run, clock, calls, line, all, stopping, names: () => calls.map(([name]) => name) };
}

/** All of one request at `place` that began `ms` after the test did. */
const request = (ms: number, place = PLACE, bytes: number | undefined = 90) => [
  ['join', T0 + ms, place, RATE],
  ['request', ms],
  ['begun', T0 + ms, place, RATE],
  ['ended', T0 + ms + 20, place, bytes, RATE],
];

describe('a crawl that takes as many bytes as there are', () => {
  test('has no places, and nothing to end', async () => {
    const wait = { for: 'crawlBytes', until: T0 + SET_BY + 9000, bytes: 5 } as HostWait;
    const { pace, run, calls } = open({ config: {}, wait });
    expect(pace.isOn).toBe(false);
    expect(await run()).toBeUndefined();
    await pace.end(false);
    expect(calls).toEqual([]);
    expect(open().pace.isOn).toBe(true);
  });
});

describe('what a host waits for', () => {
  test.each<[string, Place | { askAgainMs: number }, number[], unknown]>([
    ['nothing, if its place comes soon', { ...PLACE, at: T0 + WAIT_MS }, [], undefined],
    ['its place, if that comes later', { ...PLACE, at: T0 + WAIT_MS + 1 }, [], { ms: 5001, bytes: 70 }],
    [
      'its place, whose time is rounded up',
      { ...PLACE, at: T0 + WAIT_MS + 0.2 },
      [],
      { ms: 5001, bytes: 70 },
    ],
    ['what was begun before, if that takes longer', PLACE, [6000], { ms: 6000, bytes: 70 }],
    [
      'its place, if what was begun before takes less',
      { ...PLACE, at: T0 + 7000 },
      [6000],
      { ms: 7000, bytes: 70 },
    ],
    ['the time at which it may ask again', { askAgainMs: 300 }, [], { ms: 300, bytes: undefined }],
  ])('is %s', async (_what, place, waits, expected) => {
    const { pace, calls } = open({ places: [place], waits });
    expect(await pace.next()).toEqual(expected);
    expect(calls).toEqual([['take', 'c', RATE]]);
  });

  test('is asked for again if it had no place, and is the same place otherwise', async () => {
    const far = { ...PLACE, at: T0 + 9000 };
    const { pace, calls, clock } = open({ places: [{ askAgainMs: 300 }, far] });
    await pace.next();
    expect(await pace.next()).toEqual({ ms: 9000, bytes: 70 });
    clock.set(50);
    await clock.advance(1000);
    expect(await pace.next()).toEqual({ ms: 8000, bytes: 70 });
    expect(calls).toHaveLength(2);
  });

  test('is one place, though two requests ask at the same time', async () => {
    const other = { ...PLACE, at: T0 + 9000, bytes: 8 };
    const { pace, calls } = open({ places: [{ ...PLACE, at: T0 + 7000 }, other] });
    expect(await Promise.all([pace.next(), pace.next()])).toEqual([
      { ms: 7000, bytes: 70 },
      { ms: 7000, bytes: 70 },
    ]);
    expect(calls.slice(2)).toEqual([['giveBack', other, RATE]]);
  });
});

describe('a place that the head of the host has kept', () => {
  const kept = (ms: number, more: object = {}) =>
    ({ for: 'crawlBytes', until: T0 + SET_BY + ms, bytes: 40, ...more }) as HostWait;

  test('is the host’s, whatever the wall clock was set to', async () => {
    const { pace, calls } = open({ wait: kept(6000) });
    expect(await pace.next()).toEqual({ ms: 6000, bytes: 40 });
    expect(calls).toEqual([]);
  });

  test('is used in its time, and for two minutes after it', async () => {
    for (const ms of [2000, 0, 1 - LATE_MS]) {
      const { calls, run } = open({ wait: kept(ms) });
      expect(await run()).toBe(OUTCOME);
      const place = { at: T0 + ms, from: T0 + ms, bytes: 40 };
      expect(calls).toEqual(request(Math.max(0, ms), place));
    }
  });

  test.each([
    ['that is older', kept(-LATE_MS)],
    ['of another kind of wait', kept(6000, { for: 'crawl' })],
    ['without its bytes', kept(6000, { bytes: undefined })],
  ])('%s is none', async (_what, wait) => {
    const { calls, run } = open({ wait, places: [PLACE] });
    expect(await run()).toBe(OUTCOME);
    expect(calls).toEqual([['take', 'c', RATE], ...request(0)]);
  });

  test('is given back to nobody if it was not used: others have claimed what follows', async () => {
    const { pace, calls } = open({ wait: kept(6000) });
    await pace.next();
    await pace.end(false);
    expect(calls).toEqual([]);
  });
});

describe('a request', () => {
  test('is made at its place, and says what came', async () => {
    const { pace, run, calls } = open({ places: [PLACE] });
    await pace.next();
    expect(await run()).toBe(OUTCOME);
    expect(calls).toEqual([['take', 'c', RATE], ...request(0)]);
    // The place is used up.
    await pace.end(false);
    expect(calls).toHaveLength(5);
  });

  test('that was not asked of the host has brought nothing', async () => {
    const { run, calls } = open({ places: [PLACE] });
    expect(await run(NEVER, OUTCOME, false)).toBe(OUTCOME);
    expect(calls.at(-1)).toEqual(['ended', T0 + 20, PLACE, undefined, RATE]);
  });

  test('that fails by our own fault has ended, too, and others may begin', async () => {
    const { run, calls, all } = open({ places: [PLACE, PLACE] });
    all.wake = new AbortController();
    await expect(run(NEVER, new Error('no disk'))).rejects.toThrow('no disk');
    expect(calls.at(-1)).toEqual(['ended', T0 + 20, PLACE, undefined, RATE]);
    expect(all.wake.signal.aborted).toBe(true);
    expect(await run()).toBe(OUTCOME);
  });

  test('is not made without a place', async () => {
    const { run, calls } = open({ places: [{ askAgainMs: 5 }] });
    expect(await run()).toBeUndefined();
    expect(calls).toEqual([['take', 'c', RATE]]);
  });

  test.each<[string, Place, number[], number, number | undefined]>([
    ['for the time that its process has claimed', { ...PLACE, from: T0 + 3000 }, [], NEVER, 3000],
    ['for that, to the end of what it may wait', { ...PLACE, from: T0 + WAIT_MS }, [], NEVER, WAIT_MS],
    ['no longer than it may', { ...PLACE, from: T0 + WAIT_MS + 1 }, [], NEVER, undefined],
    ['to the end of its turn', { ...PLACE, from: T0 + 3000 }, [], 3000, 3000],
    ['no longer than its turn', { ...PLACE, from: T0 + 3001 }, [], 3000, undefined],
    ['for what was begun before', PLACE, [500, 200], NEVER, 700],
    ['for what was begun before, to the end of its turn', PLACE, [500, 200], 700, 700],
    ['for that, no longer than its turn', PLACE, [500, 201], 700, undefined],
    ['for both, together no longer than it may', { ...PLACE, from: T0 + 4000 }, [1000], NEVER, 5000],
    ['for both, unless that takes longer', { ...PLACE, from: T0 + 4000 }, [1001], NEVER, undefined],
  ])('waits: %s', async (_what, place, waits, lastMs, at) => {
    const { run, calls, all } = open({ places: [place], waits });
    expect(await run(T0 + SET_BY + lastMs)).toBe(at === undefined ? undefined : OUTCOME);
    expect(calls.slice(1)).toEqual(at === undefined ? [['giveBack', place, RATE]] : request(at, place));
    // The next one may begin.
    expect(all.gate.taken).toBe(0);
  });

  test('waits for what was begun before at each of its requests, also at a place like the last one', async () => {
    const third = { ...PLACE, bytes: 50 };
    const { run, calls } = open({ places: [PLACE, PLACE, third], waits: [0, 700, 0, WAIT_MS + 1] });
    expect(await run()).toBe(OUTCOME);
    expect(await run()).toBe(OUTCOME);
    expect(await run()).toBeUndefined();
    const made = calls.filter(([name]) => name === 'join' || name === 'request' || name === 'giveBack');
    expect(made).toEqual([
      ['join', T0, PLACE, RATE],
      ['request', 0],
      ['join', T0 + 720, PLACE, RATE],
      ['request', 720],
      ['giveBack', third, RATE],
    ]);
  });

  test('begins earlier if one before it brings less than was expected', async () => {
    const { begin, calls, clock, all } = open({ places: [PLACE], waits: [4000] });
    const ran = begin();
    await clock.advance(300);
    all.wake?.abort();
    await clock.advance(20);
    expect(await ran).toBe(OUTCOME);
    expect(calls.slice(1)).toEqual(request(300));
  });

  test('lets those begin first that came first, and waits for them no longer than it may', async () => {
    const first = open({ places: [PLACE] });
    const release = first.all.gate.tryAcquire();
    const ran = first.begin();
    await first.clock.advance(2000);
    release?.();
    await first.clock.advance(20);
    expect(await ran).toBe(OUTCOME);
    expect(first.calls.slice(1)).toEqual(request(2000));
    // Also if it had to wait for its own place before.
    for (const place of [PLACE, { ...PLACE, from: T0 + 3000 }]) {
      const second = open({ places: [place] });
      second.all.gate.tryAcquire();
      expect(await second.run()).toBeUndefined();
      expect(second.clock.elapsed()).toBe(T0 + WAIT_MS);
      expect(second.calls.slice(1)).toEqual([['giveBack', place, RATE]]);
    }
  });

  test('of many that come at once begins after the one before it, and when it is known what that has brought', async () => {
    const places = [1, 2, 3, 4].map((bytes) => ({ ...PLACE, bytes }));
    // Each of them asks at the same moment, and waits as long at most.
    const { begin, calls, clock } = open({ places: [...places], waits: [0, 300, 0, 300, 0, 300, 0] });
    const ran = Promise.all(places.map(() => begin()));
    expect(await clock.drive(ran)).toEqual(places.map(() => OUTCOME));
    const joined = calls.filter(([name]) => name === 'join').map(([, at, place]) => [at, place]);
    expect(joined).toEqual(places.map((place, i) => [T0 + 20 * i, place]));
  });

  test.each<[string, Place, number[], boolean]>([
    ['at its beginning', PLACE, [], false],
    ['during its wait', PLACE, [3000], false],
    ['before the time that was claimed', { ...PLACE, from: T0 + 3000 }, [], false],
    ['behind others', PLACE, [], true],
  ])('is not made by a worker that is stopped %s', async (when, place, waits, isBehind) => {
    const { begin, calls, clock, stopping, all } = open({ places: [place], waits });
    if (isBehind) all.gate.tryAcquire();
    if (when === 'at its beginning') stopping.abort();
    const ran = begin();
    await clock.advance(100);
    stopping.abort();
    await clock.advance(0);
    expect(await ran).toBeUndefined();
    expect(clock.elapsed()).toBe(T0 + 100);
    expect(calls.slice(1)).toEqual([['giveBack', place, RATE]]);
  });
});

describe('the end of a turn', () => {
  test.each([
    [false, [['giveBack', { ...PLACE, at: T0 + 9000 }, RATE]]],
    [true, []],
  ])('with a new place that its head keeps: %s', async (isKept, expected) => {
    const { pace, calls } = open({ places: [{ ...PLACE, at: T0 + 9000 }] });
    await pace.next();
    await pace.end(isKept);
    await pace.end(isKept);
    expect(calls.slice(1)).toEqual(expected);
  });

  test('waits for the claim of what came beyond the expected, which holds up no request', async () => {
    let isSettled = false;
    const settle = async () => {
      for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
      isSettled = true;
    };
    const { pace, run, calls, line } = open({ places: [PLACE, PLACE], settle });
    await run();
    expect(calls.at(-1)?.[0]).toBe('ended');
    line.owedMs = 1;
    expect(await run()).toBe(OUTCOME);
    expect(calls.at(-1)).toEqual(['settle', 'c', RATE]);
    expect(isSettled).toBe(false);
    await pace.end(true);
    expect(isSettled).toBe(true);
  });

  test('fails if some of these claims have failed, once, as the first of them has', async () => {
    let claims = 0;
    const settle = async () => {
      if (++claims > 1) throw new Error(`no table for claim ${claims}`);
    };
    const { pace, run, line } = open({ places: [PLACE, PLACE, PLACE], settle });
    line.owedMs = 1;
    for (let n = 0; n < 3; n++) await run();
    await expect(pace.end(true)).rejects.toThrow('no table for claim 2');
    expect(claims).toBe(3);
    await pace.end(true);
  });
});

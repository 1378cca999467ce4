import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import type { CrawlOptions } from '../../../../shared/core/crawl/crawl-options.ts';
import { NEW_HEAD } from '../../../../shared/core/frontier/head.ts';
import type { HostFailure } from '../../../../shared/core/frontier/politeness.ts';
import { AddressPace } from '../../../../shared/crawler/turn/pace/address-pace.ts';
import { CrawlPace } from '../../../../shared/crawler/turn/pace/crawl-pace.ts';
import { HostPace, type HostPaceOptions } from '../../../../shared/crawler/turn/pace/host-pace.ts';
import type { TurnServices } from '../../../../shared/crawler/turn/services.ts';
import { createFakeClock, T0 } from '../../worker/fake-clock.ts';
import { answered, type Given, paceOf } from './made-pace.ts';

const FAILED: HostFailure = { cause: { code: 'other', text: 'it failed' }, weight: 1 };

describe('the moment to ask a host', () => {
  const clock = (restMs: number) => ({ clock: { nextFetchAt: T0 + restMs, failures: 0 } });

  test('is now for a host that rests no more, up to the end of the turn', async () => {
    for (const given of [{}, { head: clock(0) }, { head: clock(-1) }, { endByMs: 0 }])
      expect(await paceOf(given).pace.waitForMoment()).toBe(true);
    expect(await paceOf({ endByMs: -1 }).pace.waitForMoment()).toBe(false);
  });

  test('comes after the host’s rest, by its head or by what the worker knows', async () => {
    for (const given of [{ head: clock(3000) }, { lanesRestUntil: T0 + 3000 }]) {
      const { pace, clock: time } = paceOf(given);
      let isMoment: boolean | undefined;
      const waiting = pace.waitForMoment().then((is) => {
        isMoment = is;
      });
      await time.advance(2999);
      expect(isMoment).toBeUndefined();
      await time.advance(1);
      await waiting;
      expect(isMoment).toBe(true);
      expect(pace.nextFetchAt).toBe(T0 + 3000);
    }
    expect(paceOf({ head: clock(5000), lanesRestUntil: T0 + 3000 }).pace.nextFetchAt).toBe(T0 + 5000);
  });

  test('is too late for the turn after a long rest, or at the turn’s end', async () => {
    const config = { turnMaxWaitMs: 3000 };
    const isTooLate = async (given: Given) => !(await paceOf({ config, ...given }).pace.waitForMoment());
    expect(await isTooLate({ head: clock(3001) })).toBe(true);
    expect(await isTooLate({ head: clock(3000), endByMs: 2999 })).toBe(true);
    const { pace, clock: time } = paceOf({ config, head: clock(3000), endByMs: 3000 });
    const moment = pace.waitForMoment();
    await time.advance(3000);
    expect(await moment).toBe(true);
  });

  test('does not come if the turn is over, the worker stops, or the crawl does not run', async () => {
    const over = paceOf();
    over.pace.end();
    expect(await over.pace.waitForMoment()).toBe(false);
    const stopped = paceOf({ head: clock(3000) });
    const moment = stopped.pace.waitForMoment();
    await stopped.clock.advance(100);
    stopped.stopping.abort();
    expect(await moment).toBe(false);
    expect(await paceOf({ statuses: ['paused'] }).pace.waitForMoment()).toBe(false);
  });

  test('does not come if the crawl was paused during the rest', async () => {
    const { pace, clock: time } = paceOf({ head: clock(3000), statuses: ['running', 'paused'] });
    const moment = pace.waitForMoment();
    await time.advance(3000);
    expect(await moment).toBe(false);
  });
});

describe('that the moment has come is known at once', () => {
  const rest = (ms: number): Given => ({ head: { clock: { nextFetchAt: T0 + ms, failures: 0 } } });

  test.each<[what: string, isNow: boolean, given: Given]>([
    ['nothing is in the way', true, {}],
    ['the rest is just over', true, rest(0)],
    ['the turn ends now', true, { endByMs: 0 }],
    ['the host rests', false, rest(1)],
    ['another crawl has just sent it a request', false, { lanesRestUntil: T0 + 1 }],
    ['the turn has ended', false, { endByMs: -1 }],
    ['the crawl is paused', false, { statuses: ['paused'] }],
  ])('as a wait for it would show: %s', async (_, isNow, given) => {
    const { pace, clock } = paceOf({ fresh: {}, ...given });
    expect(pace.isMoment()).toBe(isNow);
    let isAtOnce = false;
    const waiting = pace.waitForMoment().then((is) => {
      isAtOnce = is;
    });
    await clock.advance(0);
    expect(isAtOnce).toBe(isNow);
    await clock.drive(waiting);
  });

  test('unless the turn is over, or something has to be loaded or waited for', () => {
    const over = paceOf({ fresh: {} });
    over.pace.end();
    const stopped = paceOf({ fresh: {} });
    stopped.stopping.abort();
    const others = [{}, { fresh: {}, config: { ipDelayMs: 1000 } }, { fresh: { maxBytesPerSecond: 1000 } }];
    const all = [over, stopped, ...others.map(paceOf)];
    expect(all.map(({ pace }) => pace.isMoment())).toEqual(all.map(() => false));
  });
});

describe('a wait for the bytes of the crawl, or for the address,', () => {
  test.each([
    ['crawlBytes', CrawlPace, { maxBytesPerSecond: 1000 }, { ms: 900, bytes: 70 }],
    ['address', AddressPace, { ipDelayMs: 1000 }, { ms: 900, address: '192.0.2.1' }],
  ] as const)('begins when it is known, however long that took: %s', async (reason, kind, config, wait) => {
    onTestFinished(() => void vi.restoreAllMocks());
    const { pace, clock } = paceOf({ config: { ...config, turnMaxWaitMs: 400 } });
    vi.spyOn<{ next(): Promise<unknown> }, 'next'>(kind.prototype, 'next').mockImplementation(async () => {
      await clock.advance(400);
      return wait;
    });
    expect(await pace.waitForMoment()).toBe(false);
    expect(pace.nextFetchAt).toBe(T0 + 400 + 900);
    const { ms, ...known } = wait;
    expect(pace.wait).toEqual({ for: reason, ...known, until: T0 + 400 + ms });
  });
});

test.each([
  [CrawlPace, { maxBytesPerSecond: 1000 }, { ms: 900, bytes: 70 }],
  [AddressPace, { ipDelayMs: 1000 }, { ms: 900, address: '192.0.2.1' }],
] as const)('a host has what it waits for asked at each of its moments', async (kind, config, wait) => {
  onTestFinished(() => void vi.restoreAllMocks());
  const waits = [undefined, wait, undefined, { ...wait, ms: 90_000 }];
  vi.spyOn<{ next(): Promise<unknown> }, 'next'>(kind.prototype, 'next').mockImplementation(async () =>
    waits.shift(),
  );
  const { pace, clock } = paceOf({ config: { ...config, turnMaxWaitMs: 60_000 } });
  expect(await clock.drive(pace.waitForMoment())).toBe(true);
  expect(clock.now()).toBe(T0);
  // It has to wait, and then has its moment.
  expect(await clock.drive(pace.waitForMoment())).toBe(true);
  expect(clock.now()).toBe(T0 + 900);
  // That is too long for the turn.
  expect(await clock.drive(pace.waitForMoment())).toBe(false);
  expect([waits.length, pace.nextFetchAt]).toEqual([0, T0 + 900 + 90_000]);
});

describe('what came of an exchange', () => {
  test('moves the clock on, rests the host for other crawls, and is counted', () => {
    const { pace, said, counted } = paceOf({ head: { clock: { nextFetchAt: 0, failures: 3 } } });
    const outcome = answered(0, 200);
    pace.record(outcome, undefined, 4000);
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 4200, failures: 1 });
    expect([pace.nextFetchAt, pace.gapUntil]).toEqual([T0 + 4200, T0 + 4200]);
    expect(said).toEqual([['rest', 'a.test', 4000]]);
    expect(counted).toEqual([outcome]);
    // A request beside it that ended before.
    pace.record(answered(0, 100), undefined, undefined);
    expect([pace.nextFetchAt, pace.gapUntil]).toEqual([T0 + 4200, T0 + 4200]);
  });

  test('lets the crawl back off after a failure, and not the others', () => {
    const { pace, said } = paceOf({ config: { backoffMs: 60_000 } });
    pace.record(answered(0, 100), FAILED, undefined);
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 60_100, failures: 1, cause: FAILED.cause });
    expect(pace.gapUntil).toBe(T0 + 1100);
    expect(said).toEqual([['rest', 'a.test', 1000]]);
  });

  test('is neither a failure nor an answer if we have aborted it', () => {
    const { pace } = paceOf({ head: { clock: { nextFetchAt: 0, failures: 3, cause: FAILED.cause } } });
    const aborted = { status: 'failed', reason: 'aborted', startedAt: T0, endedAt: T0 + 100 } as never;
    pace.record(aborted, undefined, undefined);
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 1100, failures: 3, cause: FAILED.cause });
  });

  test('leaves the clock as it is if the cache has answered, and is counted all the same', () => {
    const { pace, said, counted } = paceOf();
    pace.record(answered(0, 0, { cache: { kind: 'hit' } }), FAILED, undefined);
    expect([pace.clock, pace.gapUntil, said]).toEqual([{ nextFetchAt: 0, failures: 0 }, 0, []]);
    expect(counted).toHaveLength(1);
  });

  test('says nothing of a host that has spoken HTTP if one URL does not', () => {
    const failure: HostFailure = { cause: { code: 'other', text: 'no HTTP' }, code: 'notHttp', weight: 1 };
    const codeAfter = (hasAnswered: boolean, code: HostFailure['code']) => {
      const { pace } = paceOf({ hasAnswered });
      pace.record(answered(0, 100), { ...failure, code }, undefined);
      return pace.clock.code;
    };
    expect(codeAfter(false, 'notHttp')).toBe('notHttp');
    expect(codeAfter(true, 'notHttp')).toBeUndefined();
    expect(codeAfter(true, 'dnsNotFound' as never)).toBe('dnsNotFound');
  });

  test('may be a failure that no exchange shows', () => {
    const { pace } = paceOf({ config: { backoffMs: 10_000 } });
    pace.fail({ code: 'hostFailed' });
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 10_000, failures: 1, cause: { code: 'hostFailed' } });
    pace.restoreFailures({ failures: 7, cause: FAILED.cause });
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 10_000, failures: 7, cause: FAILED.cause });
  });

  test('is reported as back-off when failures in a row have grown', () => {
    const { pace, events } = paceOf({ head: { clock: { nextFetchAt: 0, failures: 2 } } });
    pace.reportBackoff();
    expect(events).toEqual([]);
    pace.fail(FAILED.cause);
    pace.reportBackoff();
    pace.reportBackoff();
    expect(events).toMatchObject([{ type: 'hostBackoff', host: 'a.test', failures: 3 }]);
    pace.record(answered(0, 100), undefined, undefined);
    pace.reportBackoff();
    pace.fail(FAILED.cause);
    pace.reportBackoff();
    expect(events).toMatchObject([{ failures: 3 }, { failures: 2 }]);
  });

  test.each<[string, CrawlOptions, number]>([
    ['no rate', {}, 500],
    ['a rate, and bytes that came in time', { maxBytesPerSecondPerHost: 1000 }, 500],
    ['a rate, and bytes that came as late as its rest ends', { maxBytesPerSecondPerHost: 1000 }, 9000],
  ])('leaves the host waiting for what it has waited for: %s', async (_what, config, size) => {
    const wait = { for: 'address', address: '192.0.2.1', until: T0 + 9000 } as const;
    const outcome = { status: 'response', httpStatus: 200, body: { size }, startedAt: T0, endedAt: T0 + 9 };
    const { pace } = paceOf({
      config,
      outcome,
      head: { clock: { nextFetchAt: T0 + 9000, failures: 0 }, wait },
    });
    pace.record(await pace.exchange({ url: 'http://a.test/' }), undefined, undefined);
    expect([pace.nextFetchAt, pace.wait]).toEqual([T0 + 9000, wait]);
  });

  test('postpones the host, and never hurries it', () => {
    const { pace } = paceOf({ head: { clock: { nextFetchAt: T0 + 500, failures: 1 } } });
    pace.postponeTo(T0 + 400);
    expect(pace.nextFetchAt).toBe(T0 + 500);
    pace.postponeTo(T0 + 600);
    expect(pace.clock).toEqual({ nextFetchAt: T0 + 600, failures: 1 });
  });
});

describe('a host is given up', () => {
  const failing = (failures: number, more: Given = {}) =>
    paceOf({ head: { clock: { nextFetchAt: 0, failures, cause: FAILED.cause } }, ...more });
  const isGivenUp = async (given: ReturnType<typeof failing>) => {
    await given.pace.giveUpIfHopeless();
    return given.pace.givenUp;
  };
  const config = { maxHostFailures: 4 };

  test('after the configured number of failures, with the cause of the last', async () => {
    const heard = { httpStatus: { 200: 1 } };
    expect(await isGivenUp(failing(3, { config, ...heard }))).toBeUndefined();
    expect(await isGivenUp(failing(4, { config, ...heard }))).toEqual({ cause: FAILED.cause, at: T0 });
    const nameless = paceOf({ config, head: { clock: { nextFetchAt: 0, failures: 4 } } });
    expect(await isGivenUp(nameless)).toEqual({ cause: { code: 'hostFailed' }, at: T0 });
    const before = { cause: { code: 'other', text: 'before' }, at: T0 - 5 } as const;
    const twice = paceOf({ config, head: { setAside: before, clock: { nextFetchAt: 0, failures: 4 } } });
    expect(await isGivenUp(twice)).toBe(before);
  });

  test('at its second failure if no host has ever answered', async () => {
    const isAt = async (failures: number, more: Given = {}) =>
      (await isGivenUp(failing(failures, { config, requests: 2, ...more }))) !== undefined;
    expect(await isAt(2)).toBe(true);
    expect(await isAt(1)).toBe(false);
    expect(await isAt(2, { requests: 1 })).toBe(false);
    expect(await isAt(2, { config: { ...config, keepTrying: true } })).toBe(false);
    expect(await isAt(2, { answers: 1 })).toBe(false);
    expect(await isAt(2, { hasAnswered: true })).toBe(false);
    expect(await isAt(2, { httpStatus: { 404: 1 } })).toBe(false);
  });

  test('and tried again by a resume, with its failures forgotten, or in time by a crawl that recrawls', () => {
    const setAside = { cause: FAILED.cause, at: T0 - 1000 };
    const clock = { nextFetchAt: 0, failures: 4, cause: FAILED.cause };
    const { pace, events } = paceOf({ head: { setAside, clock, resumedBy: 2 } });
    expect([pace.resume(1), pace.resume(2), pace.givenUp, pace.resumedBy]).toEqual([
      false,
      false,
      setAside,
      2,
    ]);
    expect([pace.resume(3), pace.givenUp, pace.resumedBy]).toEqual([true, undefined, 3]);
    expect(pace.clock.failures).toBe(0);
    pace.fail(FAILED.cause);
    pace.reportBackoff();
    expect(events).toMatchObject([{ failures: 1 }]);

    const running = paceOf({ head: { clock } });
    expect(running.pace.resume(1)).toBe(true);
    expect(running.pace.clock.failures).toBe(4);

    const again = paceOf({ head: { setAside, clock } });
    again.pace.retryAfter(1001);
    expect(again.pace.givenUp).toEqual(setAside);
    again.pace.retryAfter(1000);
    expect([again.pace.givenUp, again.pace.clock.failures]).toEqual([undefined, 0]);
    again.pace.fail(FAILED.cause);
    again.pace.reportBackoff();
    expect(again.events).toMatchObject([{ failures: 1 }]);
    running.pace.retryAfter(0);
    expect(running.pace.clock.failures).toBe(4);
  });
});

test('gives the leases of its addresses back, though what came beyond the rate of the crawl cannot be claimed', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(CrawlPace.prototype, 'end').mockRejectedValue(new Error('no table'));
  const end = vi.spyOn(AddressPace.prototype, 'end').mockResolvedValue();
  const services = {
    engine: { clock: createFakeClock() },
    lanes: { restUntil: () => 0 },
  } as unknown as TurnServices;
  const crawl = { id: 'c', host: 'a.test', config: parseConfig({ ipDelayMs: 1000 }) };
  const pace = new HostPace(services, NEW_HEAD, { crawl } as unknown as HostPaceOptions);
  await expect(pace.release()).rejects.toThrow('no table');
  expect(end).toHaveBeenCalledOnce();
});

test('a crawl without an answer from any host is judged by its answers as they are then', async () => {
  const httpStatus: Record<string, number> = { 404: 1 };
  const { pace } = paceOf({
    head: { clock: { nextFetchAt: 0, failures: 2 } },
    httpStatus,
    config: { maxHostFailures: 9 },
  });
  await pace.giveUpIfHopeless();
  expect(pace.givenUp).toBeUndefined();
  // As the counters of a stack, which lag, may say for a moment.
  delete httpStatus['404'];
  await pace.giveUpIfHopeless();
  expect(pace.givenUp).toBeDefined();
});

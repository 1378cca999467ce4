import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crawlConfigSchema } from '../../../shared/core/crawl/config.ts';
import {
  afterAnswer,
  afterFailure,
  FRESH_CLOCK,
  gapAfter,
  type HostClock,
  isHopeless,
  type PolitenessConfig,
} from '../../../shared/core/frontier/politeness.ts';

const HTTP_503 = { code: 'httpStatus', httpStatus: 503 } as const;
const EXPIRED = { code: 'fetchFailed', detail: 'expired' } as const;

const DEFAULTS: PolitenessConfig = crawlConfigSchema().parse({});
const T0 = 1_700_000_000_000;

/** A request that took so long. */
const took = (ms: number, crawlDelayMs?: number) => ({ startedAt: T0, endedAt: T0 + ms, crawlDelayMs });
const end = (ms: number) => T0 + ms;

const durations = fc.integer({ min: 0, max: 10_000_000 });
const configs: fc.Arbitrary<PolitenessConfig> = fc.record({
  delayMs: fc.integer({ min: 0, max: 100_000 }),
  adaptive: fc.boolean(),
  adaptiveFactor: fc.double({ min: 0, max: 20, noNaN: true }),
  maxAdaptiveDelayMs: durations,
  maxCrawlDelayMs: durations,
  backoffMs: fc.integer({ min: 1, max: 100_000 }),
  maxBackoffMs: durations,
  maxRetryAfterMs: durations,
  maxHostFailures: fc.integer({ min: 1, max: 20 }),
});
const clocks: fc.Arbitrary<HostClock> = fc.record({
  nextFetchAt: fc.integer({ min: 0, max: T0 + 20_000_000 }),
  failures: fc.integer({ min: 0, max: 2000 }),
});
const requests = fc.record({
  startedAt: fc.constant(T0),
  endedAt: fc.integer({ min: T0, max: T0 + 200_000 }),
  crawlDelayMs: fc.option(durations, { nil: undefined }),
});
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the gap after a request', () => {
  test.each([
    ['the delay, where nothing asks for more', took(10), {}, 1000],
    ['Crawl-delay, where that is longest', took(100, 7000), {}, 7000],
    ['not a shorter Crawl-delay', took(10, 200), {}, 1000],
    ['the longest Crawl-delay that is heeded', took(10, 86_400_000), {}, 60_000],
    ['a multiple of the time it took', took(2000), {}, 10_000],
    ['that multiple, though Crawl-delay is shorter', took(2000, 7000), {}, 10_000],
    ['the longest wait for a slow host', took(100_000), {}, 30_000],
    ['the delay of a slow host, if it is not to be waited for', took(100_000), { adaptive: false }, 1000],
    ['a delay above every bound for others', took(100_000, 1e9), { delayMs: 90_000 }, 90_000],
    ['nothing, if nothing is requested', took(0), { delayMs: 0 }, 0],
    ['whole milliseconds', took(3), { delayMs: 0.5, adaptiveFactor: 1.1 }, 4],
    ['at least the delay, though the clock was set back', took(-5000), {}, 1000],
  ])('is %s', (_, request, config, expected) => {
    expect(gapAfter(request, { ...DEFAULTS, ...config })).toBe(expected);
  });

  test('is the largest of the three, each within its bound', () => {
    fc.assert(
      fc.property(requests, configs, (request, config) => {
        const gap = gapAfter(request, config);
        const tookMs = request.endedAt - request.startedAt;
        const parts = [
          config.delayMs,
          Math.min(request.crawlDelayMs ?? 0, config.maxCrawlDelayMs),
          config.adaptive ? Math.min(config.adaptiveFactor * tookMs, config.maxAdaptiveDelayMs) : 0,
        ];
        for (const part of parts) expect(gap).toBeGreaterThanOrEqual(part);
        expect(parts.map(Math.ceil)).toContain(gap);
      }),
    );
  });
});

describe('after an answer', () => {
  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
    [9, 4],
  ])('half of the failures are forgiven: of %i, %i are left', (failures, left) => {
    const clock = { nextFetchAt: 0, failures, cause: HTTP_503 };
    expect(afterAnswer(clock, took(10), DEFAULTS)).toEqual({ nextFetchAt: end(10) + 1000, failures: left });
  });

  test('the clock is never put back', () => {
    fc.assert(
      fc.property(clocks, requests, configs, (clock, request, config) => {
        const next = afterAnswer(clock, request, config);
        expect(next.nextFetchAt).toBeGreaterThanOrEqual(clock.nextFetchAt);
        expect(next.nextFetchAt).toBeGreaterThanOrEqual(request.endedAt + config.delayMs);
      }),
    );
  });
});

describe('after a failure', () => {
  const failure = { cause: HTTP_503, weight: 1 };
  /** How long the host rests, without jitter. */
  const restOf = (failures: number, more = {}, random = 0.5) =>
    afterFailure({ nextFetchAt: 0, failures }, took(10), { ...failure, ...more }, DEFAULTS, random)
      .nextFetchAt - end(10);

  test('the rest doubles with each failure in a row, up to its bound', () => {
    const rests = Array.from({ length: 12 }, (_, failures) => restOf(failures));
    expect(rests).toEqual([
      ...[5000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000],
      ...[600_000, 600_000, 600_000, 600_000, 600_000],
    ]);
    expect(restOf(100_000)).toBe(600_000);
  });

  test('a weighty failure counts for as many', () => {
    expect(restOf(0, { weight: 2 })).toBe(restOf(1));
    expect(afterFailure(FRESH_CLOCK, took(10), { ...failure, weight: 2 }, DEFAULTS, 0)).toMatchObject({
      failures: 2,
      cause: HTTP_503,
    });
  });

  test('a failure that lasts makes the host hopeless at the second try, after a short rest', () => {
    const lasting = { cause: EXPIRED, code: 'certificateExpired', weight: 1 } as const;
    expect(restOf(0, lasting)).toBe(5000);
    const once = afterFailure(FRESH_CLOCK, took(10), lasting, DEFAULTS, 0);
    expect(once).toMatchObject({ cause: EXPIRED, code: 'certificateExpired' });
    expect(isHopeless(once, DEFAULTS)).toBe(false);
    expect(isHopeless(afterFailure(once, took(10), lasting, DEFAULTS, 0), DEFAULTS)).toBe(true);
    // A failure that may pass has more tries.
    const passing = { ...lasting, code: 'connectionRefused' } as const;
    const twice = afterFailure(
      afterFailure(FRESH_CLOCK, took(10), passing, DEFAULTS, 0),
      took(10),
      passing,
      DEFAULTS,
      0,
    );
    expect(isHopeless(twice, DEFAULTS)).toBe(false);
  });

  test('the jitter is a quarter to either side', () => {
    expect(restOf(0, {}, 0)).toBe(3750);
    expect(restOf(0, {}, 0.999_999)).toBe(6250);
  });

  test.each([
    ['longer than the rest', 100_000, 100_000],
    ['shorter: the rest is kept', 1000, 5000],
    ['beyond its bound', 1e12, 3_600_000],
    ['none', 0, 5000],
  ])('Retry-After is heeded: %s', (_, retryAfterMs, expected) => {
    expect(restOf(0, { retryAfterMs }, 0.5)).toBe(expected === 5000 ? 5000 : Math.round(expected * 1.025));
    expect(restOf(0, { retryAfterMs }, 0)).toBe(expected === 5000 ? 3750 : expected);
  });

  test('the host is left alone as long as it asks for, and no longer than all bounds allow', () => {
    fc.assert(
      fc.property(
        clocks,
        requests,
        configs,
        fc.option(durations, { nil: undefined }),
        fc.integer({ min: 1, max: 2 }),
        chances,
        (clock, request, config, retryAfterMs, weight, random) => {
          const next = afterFailure(
            clock,
            request,
            { cause: HTTP_503, weight, retryAfterMs },
            config,
            random,
          );
          const restMs = next.nextFetchAt - request.endedAt;
          const backoffMs = Math.min(
            config.backoffMs * 2 ** (clock.failures + weight - 1),
            config.maxBackoffMs,
          );
          const askedMs = Math.min(retryAfterMs ?? 0, config.maxRetryAfterMs);
          expect(next.nextFetchAt).toBeGreaterThanOrEqual(clock.nextFetchAt);
          expect(restMs).toBeGreaterThanOrEqual(0.75 * backoffMs);
          expect(restMs).toBeGreaterThanOrEqual(askedMs);
          expect(restMs).toBeGreaterThanOrEqual(gapAfter(request, config));
          const most = Math.max(1.25 * backoffMs, 1.05 * askedMs, gapAfter(request, config)) + 1;
          expect(next.nextFetchAt).toBeLessThanOrEqual(Math.max(clock.nextFetchAt, request.endedAt + most));
          expect(Number.isSafeInteger(next.nextFetchAt)).toBe(true);
          expect(next.failures).toBe(clock.failures + weight);
        },
      ),
    );
  });
});

describe('a host is hopeless', () => {
  test('after maxHostFailures in a row', () => {
    let clock = FRESH_CLOCK;
    const seen: boolean[] = [];
    for (let i = 0; i < 6; i++) {
      clock = afterFailure(clock, took(10), { cause: HTTP_503, weight: 1 }, DEFAULTS, 0);
      seen.push(isHopeless(clock, DEFAULTS));
    }
    expect(seen).toEqual([false, false, false, false, true, true]);
  });

  test('not if every other request succeeds, however long', () => {
    let clock = FRESH_CLOCK;
    for (let i = 0; i < 1000; i++) {
      clock = afterFailure(clock, took(10), { cause: HTTP_503, weight: 1 }, DEFAULTS, 0);
      expect(isHopeless(clock, DEFAULTS)).toBe(false);
      clock = afterAnswer(clock, took(10), DEFAULTS);
    }
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { crawlConfigSchema } from '../../../shared/core/crawl/config.ts';
import { URL_STATES } from '../../../shared/core/frontier/url-record.ts';
import { judge } from '../../../shared/core/frontier/verdict.ts';
import type { FailureCode, FailureReason } from '../../../shared/core/outcome/failure-codes.ts';
import type { FetchFailure, FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import { captureOf } from '../archive/captures.ts';

const CONFIG = crawlConfigSchema().parse({});
const REASONS: readonly FailureReason[] = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'headersTooLarge',
  'blockedAddress',
  'blockedPort',
  'middleware',
  'aborted',
];

const answer = (httpStatus: number, truncated?: 'length' | 'time' | 'disconnect'): FetchOutcome =>
  captureOf({ httpStatus, ...(truncated && { truncated }) });
const failed = (reason: FailureReason, rest: Partial<FetchFailure> = {}): FetchOutcome => ({
  status: 'failed',
  url: 'http://a.test/',
  startedAt: 0,
  endedAt: 1,
  reason,
  message: `${reason} happened`,
  ...rest,
});

describe('a response that is final at once', () => {
  test.each([
    [200, 'fetched'],
    [203, 'fetched'],
    [204, 'fetched'],
    [206, 'fetched'],
    [299, 'fetched'],
    [300, 'fetched'],
    [301, 'redirect'],
    [302, 'redirect'],
    [303, 'redirect'],
    [307, 'redirect'],
    [308, 'redirect'],
    [304, 'failed'],
    [305, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [403, 'failed'],
    [404, 'gone'],
    [410, 'gone'],
    [418, 'failed'],
    [451, 'failed'],
    [501, 'failed'],
    [505, 'failed'],
    [999, 'failed'],
  ])('HTTP %i: %s', (httpStatus, state) => {
    const verdict = judge(answer(httpStatus), { attempts: 0 }, CONFIG);
    expect(verdict).toMatchObject({ state, isFinal: true, isAttempt: true });
    expect(verdict.hostFailure).toBeUndefined();
    expect(judge(answer(httpStatus, 'length'), { attempts: 0 }, CONFIG)).toEqual(verdict);
  });
});

describe('trouble', () => {
  test.each([408, 425, 429, 502, 503, 504, 520, 522, 524])(
    'HTTP %i rests the host and is tried again',
    (status) => {
      expect(judge(answer(status), { attempts: 0 }, CONFIG, 7000)).toMatchObject({
        state: 'waiting',
        cause: { code: 'httpStatus', httpStatus: status },
        hostFailure: { cause: { code: 'httpStatus', httpStatus: status }, weight: 1, retryAfterMs: 7000 },
        isAttempt: true,
        isFinal: false,
      });
      expect(judge(answer(status), { attempts: 2 }, CONFIG)).toMatchObject({
        state: 'failed',
        hostFailure: { weight: 1 },
        isFinal: true,
      });
    },
  );

  test("HTTP 500 is the URL's: tried again, and the host does not rest", () => {
    const verdict = judge(answer(500), { attempts: 0 }, CONFIG);
    expect(verdict).toMatchObject({ state: 'waiting', isAttempt: true, isFinal: false });
    expect(verdict.hostFailure).toBeUndefined();
    expect(judge(answer(500), { attempts: 2 }, CONFIG)).toMatchObject({ state: 'failed', isFinal: true });
  });

  describe.each(['disconnect', 'time'] as const)('a body that breaks off (%s)', (truncated) => {
    const broken = (size: number, httpStatus = 200, bodyFailure?: { code: FailureCode; message: string }) =>
      captureOf({ httpStatus, truncated, body: new Uint8Array(size), ...(bodyFailure && { bodyFailure }) });
    const cause = { code: 'bodyBrokeOff', truncated } as const;
    const tried = (attempts: number, bodyBytes?: number, before: Cause = cause) => ({
      attempts,
      result: { fetchedAt: 0, cause: before, ...(bodyBytes !== undefined && { bodyBytes }) },
    });

    test('is asked for again, and counts as no failure of the host, which rests', () => {
      expect(judge(broken(9), { attempts: 0 }, CONFIG)).toEqual({
        state: 'waiting',
        cause,
        hostFailure: { cause, weight: 0 },
        isAttempt: true,
        isFinal: false,
        retryMs: CONFIG.backoffMs,
      });
    });

    test.each([
      ['at the same byte again', tried(1, 9), false],
      ['at the same byte again, at the last try', tried(2, 9), false],
      ['at another byte', tried(1, 8), true],
      ['at another byte, at the last try', tried(2, 8), true],
      ['after a try without a response', tried(1), true],
      ['after a whole body of as many bytes', tried(1, 9, { code: 'httpStatus', httpStatus: 200 }), true],
    ])('%s: the host rests: %#', (_name, record, rests) => {
      const isLast = record.attempts === CONFIG.maxAttempts - 1;
      expect(judge(broken(9), record, CONFIG)).toMatchObject({
        state: isLast ? 'fetched' : 'waiting',
        cause,
        isFinal: isLast,
        hostFailure: rests ? { cause, weight: 0 } : undefined,
      });
    });

    test('of which no byte came is no page, and says why', () => {
      const reason = { code: 'malformedResponse', message: 'no chunk' } as const;
      const failure = { code: 'fetchFailed', failure: reason.code, detail: reason.message } as const;
      expect(judge(broken(0, 200, reason), { attempts: 0 }, CONFIG)).toMatchObject({
        state: 'waiting',
        cause: failure,
        hostFailure: { weight: 0 },
      });
      const last = judge(broken(0, 200, reason), tried(2, 0, failure), CONFIG);
      expect(last).toMatchObject({ state: 'failed', cause: failure, isFinal: true, hostFailure: undefined });
    });

    test.each([
      ['cannot be read says so', 'malformedResponse', { ...cause, detail: 'a reason' }],
      ['ends does not', 'connectionReset', cause],
    ] as const)('whose framing %s', (_name, code, expected) => {
      expect(judge(broken(9, 200, { code, message: 'a reason' }), { attempts: 0 }, CONFIG).cause).toEqual(
        expected,
      );
    });

    test.each([
      [301, 'redirect'],
      [404, 'gone'],
      [403, 'failed'],
    ])('of HTTP %i changes nothing: its header says all', (httpStatus, state) => {
      for (const size of [0, 9])
        expect(judge(broken(size, httpStatus), { attempts: 0 }, CONFIG)).toEqual(
          judge(answer(httpStatus), { attempts: 0 }, CONFIG),
        );
      expect(judge(broken(9, httpStatus), { attempts: 0 }, CONFIG)).toMatchObject({ state, isFinal: true });
    });
  });

  test.each(
    REASONS.filter((reason) => !['aborted', 'blockedAddress', 'blockedPort', 'middleware'].includes(reason)),
  )('no response (%s) rests the host, and fails the URL at the last try', (reason) => {
    const weight = reason === 'dns' ? 2 : 1;
    expect(judge(failed(reason), { attempts: 1 }, CONFIG)).toMatchObject({
      state: 'waiting',
      cause: { code: 'fetchFailed', detail: `${reason} happened` },
      hostFailure: { cause: { code: 'fetchFailed', detail: `${reason} happened` }, weight },
      isFinal: false,
    });
    expect(judge(failed(reason), { attempts: 2 }, CONFIG)).toMatchObject({ state: 'failed', isFinal: true });
  });

  test("a stale connection is tried again at once, and is not the host's fault", () => {
    const verdict = judge(failed('reset', { isStaleConnection: true }), { attempts: 0 }, CONFIG);
    expect(verdict).toMatchObject({ state: 'waiting', isAttempt: true, retryMs: 0 });
    expect(verdict.hostFailure).toBeUndefined();
  });

  test('what the project’s own middleware breaks counts against the URL alone', () => {
    expect(judge(failed('middleware'), { attempts: 0 }, CONFIG)).toEqual({
      state: 'waiting',
      cause: { code: 'fetchFailed', detail: 'middleware happened' },
      hostFailure: undefined,
      isAttempt: true,
      isFinal: false,
      retryMs: CONFIG.retryMs,
    });
    expect(judge(failed('middleware'), { attempts: CONFIG.maxAttempts - 1 }, CONFIG)).toMatchObject({
      state: 'failed',
    });
  });

  test.each(['blockedAddress', 'blockedPort'] as const)('%s is skipped with its cause', (reason) => {
    expect(judge(failed(reason), { attempts: 0 }, CONFIG)).toMatchObject({
      state: 'skipped',
      cause: { code: 'fetchFailed', detail: `${reason} happened` },
      isFinal: true,
    });
  });

  test.each([0, 2, 50])(
    'what we dropped ourselves waits again, however often it was tried (%i)',
    (attempts) => {
      expect(judge(failed('aborted'), { attempts }, CONFIG)).toMatchObject({
        state: 'waiting',
        isAttempt: false,
        isFinal: false,
      });
    },
  );
});

const outcomes: fc.Arbitrary<FetchOutcome> = fc.oneof(
  fc
    .tuple(
      fc.integer({ min: 100, max: 999 }),
      fc.constantFrom(undefined, 'length' as const, 'time' as const, 'disconnect' as const),
    )
    .map(([status, truncated]) => answer(status, truncated)),
  fc
    .tuple(fc.constantFrom(...REASONS), fc.boolean())
    .map(([reason, isStaleConnection]) => failed(reason, isStaleConnection ? { isStaleConnection } : {})),
);

test('every outcome has a verdict that agrees with itself', () => {
  fc.assert(
    fc.property(
      outcomes,
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 10 }),
      (outcome, attempts, maxAttempts) => {
        const verdict = judge(outcome, { attempts }, { ...CONFIG, maxAttempts });
        expect(URL_STATES).toContain(verdict.state);
        expect(verdict.isFinal).toBe(verdict.state !== 'waiting');
        if (!verdict.isAttempt) expect(verdict.state).toBe('waiting');
        expect(verdict.retryMs).toBeGreaterThanOrEqual(0);
        expect(verdict.retryMs).toBeLessThanOrEqual(CONFIG.maxBackoffMs);
      },
    ),
  );
});

test('whatever comes, a URL is settled after maxAttempts tries that were not our own doing', () => {
  fc.assert(
    fc.property(fc.infiniteStream(outcomes), fc.integer({ min: 1, max: 10 }), (stream, maxAttempts) => {
      let attempts = 0;
      for (const outcome of stream) {
        const verdict = judge(outcome, { attempts }, { ...CONFIG, maxAttempts });
        if (verdict.isAttempt) attempts++;
        expect(attempts).toBeLessThanOrEqual(maxAttempts);
        if (verdict.state !== 'waiting') return;
      }
    }),
  );
});

test('each try waits twice as long as the one before', () => {
  const waits = [0, 1, 2, 3].map(
    (attempts) => judge(answer(503), { attempts }, { ...CONFIG, maxAttempts: 9 }).retryMs,
  );
  expect(waits).toEqual([5000, 10_000, 20_000, 40_000]);
  expect(judge(answer(500), { attempts: 1 }, CONFIG).retryMs).toBe(2 * CONFIG.retryMs);
});

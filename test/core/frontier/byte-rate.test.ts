import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_BYTES_REST_MS, maxBytesRestMs, paidUntil } from '../../../shared/core/frontier/byte-rate.ts';

const T0 = 1_800_000_000_000;

test('a host rests until its bytes would have come at the rate, from the start of the request on', () => {
  const request = { startedAt: T0, endedAt: T0 + 500 };
  expect(paidUntil(0, request, 50_000, 10_000)).toBe(T0 + 5000);
  expect(paidUntil(0, request, 0, 10_000)).toBe(T0);
  // Another one beside it has brought bytes, too.
  expect(paidUntil(T0 + 3000, request, 50_000, 10_000)).toBe(T0 + 8000);
  expect(paidUntil(0, request, Number.MAX_SAFE_INTEGER, 1000)).toBe(request.endedAt + MAX_BYTES_REST_MS);
});

test('the longest rest has room for any body, its head and the handshake, for all requests side by side', () => {
  const config = { maxBodyBytes: 8_000_000, maxHeaderBytes: 1_000_000, perHost: 2 };
  expect(maxBytesRestMs(config)).toBe(0);
  expect(maxBytesRestMs({ ...config, maxBytesPerSecondPerHost: 1_000_000 }, 8_000_000)).toBe(20_000);
  // A sitemap may be longer.
  expect(maxBytesRestMs({ ...config, maxBytesPerSecondPerHost: 1_000_000 })).toBeGreaterThan(100_000);
  expect(maxBytesRestMs({ ...config, maxBytesPerSecondPerHost: 1000 })).toBe(MAX_BYTES_REST_MS);
});

test('whatever comes, and however many requests are made at once, no more bytes are received than the rate allows', () => {
  const request = fc.record({
    bytes: fc.nat(200_000),
    tookMs: fc.integer({ min: 1, max: 5000 }),
    waitMs: fc.nat(2000),
  });
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1000, max: 100_000 }),
      fc.integer({ min: 1, max: 3 }),
      (requests, rate, lanes) => {
        /** When each lane is free. */
        const free = Array.from({ length: lanes }, () => T0);
        const made: { startedAt: number; endedAt: number; bytes: number; isPaid?: boolean }[] = [];
        let until = 0;
        for (const { bytes, tookMs, waitMs } of requests) {
          const lane = free.indexOf(Math.min(...free));
          let startedAt = Math.max((free[lane] as number) + waitMs, made.at(-1)?.startedAt ?? 0);
          for (;;) {
            // Requests that have ended by then are paid.
            for (const one of made.filter(({ isPaid, endedAt }) => !isPaid && endedAt <= startedAt)) {
              until = paidUntil(until, one, one.bytes, rate);
              one.isPaid = true;
            }
            if (until <= startedAt) break;
            startedAt = until;
          }
          made.push({ startedAt, endedAt: startedAt + tookMs, bytes });
          free[lane] = startedAt + tookMs;
        }
        for (const after of made)
          for (const before of made) {
            if (before.startedAt > after.startedAt) continue;
            const between = made.filter(
              ({ startedAt, endedAt }) => startedAt >= before.startedAt && endedAt <= after.startedAt,
            );
            const bytes = between.reduce((sum, one) => sum + (one === after ? 0 : one.bytes), 0);
            expect(((after.startedAt - before.startedAt) / 1000) * rate).toBeGreaterThanOrEqual(
              Math.floor(bytes) - 1,
            );
          }
      },
    ),
    { numRuns: 300 },
  );
});

test('no host rests longer for a body of the largest size than is said to be the most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2e7 }), fc.integer({ min: 1000, max: 1e8 }), (bodyBytes, rate) => {
      const config = { maxBodyBytes: bodyBytes, maxHeaderBytes: 1, maxBytesPerSecondPerHost: rate };
      const most = maxBytesRestMs(config, bodyBytes);
      const request = { startedAt: T0, endedAt: T0 };
      expect(paidUntil(0, request, bodyBytes + 1 + 1_000_000, rate) - T0).toBeLessThanOrEqual(most);
    }),
  );
});

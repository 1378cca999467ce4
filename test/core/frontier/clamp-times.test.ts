import { expect, test } from 'vitest';
import { clampTimes, maxRestMs, maxWaitMs, soonest } from '../../../shared/core/frontier/clamp-times.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';

const NOW = 1_800_000_000_000;
const CONFIG = {
  ...{ delayMs: 100, adaptive: true, adaptiveFactor: 2, maxAdaptiveDelayMs: 3000, maxCrawlDelayMs: 4000 },
  ...{
    backoffMs: 1000,
    maxBackoffMs: 2000,
    maxRetryAfterMs: 1500,
    maxHostFailures: 8,
    totalTimeoutMs: 60_000,
  },
  ...{ maxBodyBytes: 16_000_000, maxHeaderBytes: 256_000 },
};
/** The longest gap is the longest Crawl-delay, 4 s; clocks may differ by a minute. */
const REST_MS = 64_000;

test.each([
  ['a Crawl-delay', {}, REST_MS],
  ['the adaptive gap after the longest request', { maxAdaptiveDelayMs: 1e9 }, 180_000],
  ['the delay', { delayMs: 50_000 }, 110_000],
  ['the first back-off, with jitter', { backoffMs: 40_000 }, 110_000],
  ['the longest back-off, with jitter', { maxBackoffMs: 40_000 }, 110_000],
  ['the longest Retry-After, with jitter', { maxRetryAfterMs: 40_000 }, 110_000],
  ['a sitemap takes at its rate', { maxBytesPerSecondPerHost: 100_000 }, 596_848],
  [
    'two bodies side by side',
    { maxBytesPerSecondPerHost: 100_000, perHost: 2, maxBodyBytes: 1e8 },
    2_085_120,
  ],
  ['any bytes', { maxBytesPerSecondPerHost: 1000 }, 6 * 3_600_000 + 60_000],
])('a host may rest for as long as %s, and clocks differ by a minute', (_, changes, restMs) => {
  expect(maxRestMs({ ...CONFIG, ...changes })).toBe(restMs);
});

test.each([
  ['longest', {}, REST_MS + 2000],
  ['first', { backoffMs: 3000, maxBackoffMs: 2000 }, REST_MS + 3000],
])('a URL may wait for the %s back-off longer than its host rests', (_, changes, waitMs) => {
  expect(maxWaitMs({ ...CONFIG, ...changes })).toBe(waitMs);
});

test('a time counts as come if it is further ahead than anything may be', () => {
  expect([soonest(NOW + 10, NOW, 10), soonest(NOW + 11, NOW, 10), soonest(NOW - 99, NOW, 10)]).toEqual([
    NOW + 10,
    NOW,
    NOW - 99,
  ]);
});

test('a head keeps every time that a clock that runs right could have given, and no other', () => {
  /** All times of a head: of its host, of robots.txt, of a robots.txt elsewhere, of a closed origin. */
  const headOf = (restMs: number, robotsMs: number): Head => ({
    ...NEW_HEAD,
    clock: { nextFetchAt: NOW + restMs, failures: 2, cause: { code: 'other', text: 'c' } },
    robots: [
      { origin: 'http://a.test', kind: 'allowAll', expiresAt: NOW + robotsMs },
      { origin: 'https://a.test', kind: 'allowAll', expiresAt: NOW + 5 },
    ],
    movedRobots: [{ from: 'x', to: 'y', since: 1, expiresAt: NOW + robotsMs, tries: 3 }],
    closedOrigins: [{ origin: 'o', until: NOW + restMs, failures: 1, cause: { code: 'other', text: 'd' } }],
  });
  // robots.txt is kept for a day.
  const latest = headOf(REST_MS, 86_460_000);
  expect(clampTimes(latest, NOW, CONFIG)).toEqual(latest);
  expect(clampTimes(headOf(REST_MS + 1, 86_460_001), NOW, CONFIG)).toEqual(headOf(0, 0));
  expect(clampTimes(NEW_HEAD, NOW, CONFIG)).toEqual(NEW_HEAD);
});

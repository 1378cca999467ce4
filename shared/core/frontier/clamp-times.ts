/**
 * Times that no clock that runs right could have given: they are further ahead than anything may rest. The
 * machine's clock was set back since, or another machine's is ahead. They count as come, or the host would
 * wait for days.
 */
import type { CrawlConfig } from '../crawl/config.ts';
import { type ByteRates, maxBytesRestMs } from './byte-rate.ts';
import { MAX_AHEAD_MS } from './crawl-rate.ts';
import type { Head } from './head.ts';
import { MAX_REFUSAL_REST_MS } from './host-refusal.ts';
import { maxGapAfter } from './politeness.ts';

/** Clocks of several machines may differ by this, and jitter is less. */
const SLACK_MS = 60_000;
/** robots.txt is kept no longer (`robots/policy.ts`). */
const MAX_ROBOTS_MS = 86_400_000;
/** A host waits no longer for its IP address (`ipDelayMs`): then it queues for the address again. */
export const MAX_LINE_MS = 900_000;
/** The most by which jitter lengthens a rest (`politeness.ts`). */
const JITTER = 1.25;

type RestLimits = Parameters<typeof maxGapAfter>[2];

/** The longest that a host may rest after a request. */
export function maxRestMs(
  config: RestLimits &
    Pick<CrawlConfig, 'totalTimeoutMs'> &
    Partial<Pick<CrawlConfig, 'ipDelayMs'>> &
    ByteRates,
): number {
  const { backoffMs, maxBackoffMs, maxRetryAfterMs, totalTimeoutMs } = config;
  const gapMs = maxGapAfter(totalTimeoutMs, Number.POSITIVE_INFINITY, config);
  const addressMs = (config.ipDelayMs ?? 0) > 0 ? MAX_LINE_MS : 0;
  const lineMs = Math.max(addressMs, config.maxBytesPerSecond === undefined ? 0 : MAX_AHEAD_MS);
  return (
    Math.max(
      gapMs,
      lineMs,
      maxBytesRestMs(config),
      JITTER * Math.max(backoffMs, maxBackoffMs, maxRetryAfterMs),
    ) + SLACK_MS
  );
}

/** The longest that a URL may wait for its next try. */
export function maxWaitMs(config: Parameters<typeof maxRestMs>[0]): number {
  return maxRestMs(config) + Math.max(config.backoffMs, config.maxBackoffMs);
}

/** `at`, or `now` if that is further ahead than `maxMs`. */
export const soonest = (at: number, now: number, maxMs: number): number => (at - now > maxMs ? now : at);

/**
 * The head with no time in it that is too far ahead. If its host's time was, so may be the times at which its pages are to be
 * fetched again: they are looked through as when recrawl is switched on.
 */
export function clampTimes(head: Head, now: number, config: Parameters<typeof maxRestMs>[0]): Head {
  const restMs = maxRestMs(config);
  const nextFetchAt = soonest(head.clock.nextFetchAt, now, restMs);
  return {
    ...head,
    clock: nextFetchAt === head.clock.nextFetchAt ? head.clock : { ...head.clock, nextFetchAt },
    ...(nextFetchAt !== head.clock.nextFetchAt &&
      head.recrawl && { recrawl: { ...head.recrawl, isStarting: true } }),
    robots: head.robots.map((robots) => {
      const expiresAt = soonest(robots.expiresAt, now, MAX_ROBOTS_MS + SLACK_MS);
      return expiresAt === robots.expiresAt ? robots : { ...robots, expiresAt };
    }),
    ...(head.refusal?.restUntil !== undefined && {
      refusal: {
        ...head.refusal,
        restUntil: soonest(head.refusal.restUntil, now, MAX_REFUSAL_REST_MS + SLACK_MS),
      },
    }),
    ...(head.movedRobots && {
      movedRobots: head.movedRobots.map((moved) => ({
        ...moved,
        expiresAt: soonest(moved.expiresAt, now, MAX_ROBOTS_MS + SLACK_MS),
      })),
    }),
    ...(head.closedOrigins && {
      closedOrigins: head.closedOrigins.map((closed) => ({
        ...closed,
        until: soonest(closed.until, now, restMs),
      })),
    }),
  };
}

/** When the next request to a host may start. Pure: the clock of a host is data, kept in its head. */
import type { Cause } from '../causes/cause.ts';
import type { CrawlConfig } from '../crawl/crawl-options.ts';
import { type FailureCode, mostTriesOf } from '../outcome/failure-codes.ts';

export interface HostClock {
  /** No request to the host before this time. */
  readonly nextFetchAt: number;
  /** Failures in a row, less those that good answers have forgiven. */
  readonly failures: number;
  /** The cause of the last failure. */
  readonly cause?: Cause;
  /**
   * The code of the last failure, if it was a fetch that came to nothing. Heads written before 2026-12 have
   * none.
   */
  readonly code?: FailureCode;
}

export const FRESH_CLOCK: HostClock = { nextFetchAt: 0, failures: 0 };

export type PolitenessConfig = Pick<
  CrawlConfig,
  | 'delayMs'
  | 'adaptive'
  | 'adaptiveFactor'
  | 'maxAdaptiveDelayMs'
  | 'maxCrawlDelayMs'
  | 'backoffMs'
  | 'maxBackoffMs'
  | 'maxRetryAfterMs'
  | 'maxHostFailures'
>;

/** A request that has ended, well or not. */
export interface EndedRequest {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The `Crawl-delay` of the host's robots.txt. */
  readonly crawlDelayMs?: number;
}

/** The least gap between the end of this request and the start of the next. */
export function gapAfter(request: EndedRequest, config: PolitenessConfig): number {
  const tookMs = request.endedAt - request.startedAt;
  const adaptiveMs = config.adaptive
    ? Math.min(config.adaptiveFactor * tookMs, config.maxAdaptiveDelayMs)
    : 0;
  const crawlDelayMs = Math.min(request.crawlDelayMs ?? 0, config.maxCrawlDelayMs);
  // Whole milliseconds: times are kept as such.
  return Math.ceil(Math.max(config.delayMs, crawlDelayMs, adaptiveMs));
}

/** The longest gap that may follow a request which is yet to be made, and takes `maxMs` at most. */
export function maxGapAfter(
  maxMs: number,
  crawlDelayMs: number | undefined,
  config: PolitenessConfig,
): number {
  return gapAfter({ startedAt: 0, endedAt: maxMs, crawlDelayMs }, config);
}

/** The clock after a request that the host answered as it should. Half of its failures are forgiven. */
export function afterAnswer(clock: HostClock, request: EndedRequest, config: PolitenessConfig): HostClock {
  return {
    nextFetchAt: Math.max(clock.nextFetchAt, request.endedAt + gapAfter(request, config)),
    failures: clock.failures >> 1,
  };
}

/**
 * Returns the clock after a request that failed through no fault of the host, such as one that we aborted.
 */
export function afterNothing(clock: HostClock, request: EndedRequest, config: PolitenessConfig): HostClock {
  return { ...clock, nextFetchAt: Math.max(clock.nextFetchAt, request.endedAt + gapAfter(request, config)) };
}

export interface HostFailure {
  readonly cause: Cause;
  readonly code?: FailureCode | undefined;
  /** How many failures it counts for. */
  readonly weight: number;
  /** As the host states it. */
  readonly retryAfterMs?: number;
}

/**
 * The clock after a failure: the host rests, twice as long with each failure in a row, as long as Retry-After says, and
 * with a jitter of a quarter, so that hosts that failed together do not come back together. A failure that lasts (an
 * expired certificate) makes the host hopeless at its second try, after a short rest.
 */
export function afterFailure(
  clock: HostClock,
  request: EndedRequest,
  failure: HostFailure,
  config: PolitenessConfig,
  random: number,
): HostClock {
  const mostTries = mostTriesOf(failure);
  const isLasting = mostTries !== undefined;
  const weight = isLasting ? Math.ceil(config.maxHostFailures / mostTries) : failure.weight;
  const failures = clock.failures + weight;
  const backoffMs = backoffAfter(isLasting ? clock.failures + 1 : failures, config);
  const askedMs = Math.min(failure.retryAfterMs ?? 0, config.maxRetryAfterMs);
  const restMs = Math.max(backoffMs * (0.75 + random / 2), askedMs * (1 + random / 20));
  return {
    nextFetchAt: Math.max(
      clock.nextFetchAt,
      request.endedAt + Math.max(Math.ceil(restMs), gapAfter(request, config)),
    ),
    failures,
    cause: failure.cause,
    ...(failure.code !== undefined && { code: failure.code }),
  };
}

/**
 * Returns the rest after `failures` failures in a row: twice as long after each further one. Without jitter.
 */
export function backoffAfter(
  failures: number,
  { backoffMs, maxBackoffMs }: Pick<PolitenessConfig, 'backoffMs' | 'maxBackoffMs'>,
): number {
  return Math.min(backoffMs * 2 ** Math.max(0, failures - 1), maxBackoffMs);
}

/** Whether the host has failed so often that it is set aside. */
export function isHopeless(clock: HostClock, config: PolitenessConfig): boolean {
  return clock.failures >= config.maxHostFailures;
}

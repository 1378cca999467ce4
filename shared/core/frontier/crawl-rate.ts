/**
 * The bytes a second that a crawl takes of all hosts together (`maxBytesPerSecond`), as its workers share them: until when all
 * that they have claimed would have come at that rate. Kept in a head like that of a registrable domain
 * (`DomainState.rate`), under a name that no domain can have. Pure.
 */
import { MAX_BYTES_REST_MS } from './byte-rate.ts';

export interface CrawlRateState {
  /** In ms since the epoch. */
  readonly paidUntil: number;
  /** The rate by which that is. The crawl may have been resumed with another one. */
  readonly bytesPerSecond: number;
}

/** Replaces the name of a domain. No domain has a `#`, and no address has this name. */
export const RATE_NAME = '#bytes';

/** No slot is given further ahead. */
export const MAX_AHEAD_MS = 900_000;
/** Claimed time may be used by this much earlier: others need not have used all that they have claimed. */
export const EARLY_MS = 2000;
/** Clocks of several machines may differ by this. */
const SLACK_MS = 60_000;

export interface RateClaim {
  readonly now: number;
  readonly bytesPerSecond: number;
  /** The time that the claimed bytes take at the rate. */
  readonly ms: number;
  /** It has come already, so it is counted however much others have claimed. */
  readonly isOwed: boolean;
}

export interface ClaimedTime {
  /** Undefined: it stays as it is. */
  readonly rate: CrawlRateState | undefined;
  /** From when on it may be used, in ms since the epoch; undefined: others have claimed the time until {@link MAX_AHEAD_MS}. */
  readonly from: number | undefined;
}

/** Claims time of the crawl's rate. Claiming it twice, with the first answer lost, costs that time and nothing else. */
export function claimTime(
  rate: CrawlRateState | undefined,
  { now, bytesPerSecond, ms, isOwed }: RateClaim,
): ClaimedTime {
  const aheadMs = aheadOf(rate, now, bytesPerSecond);
  if (aheadMs > MAX_AHEAD_MS && !isOwed) return { rate: undefined, from: undefined };
  const paidUntil = now + Math.min(Math.ceil(aheadMs + ms), MAX_BYTES_REST_MS);
  return { rate: { paidUntil, bytesPerSecond }, from: now + Math.max(0, aheadMs - EARLY_MS) };
}

/** How long all that was claimed takes from now on. */
function aheadOf(rate: CrawlRateState | undefined, now: number, bytesPerSecond: number): number {
  const ms = (rate?.paidUntil ?? 0) - now;
  // A time further ahead than any claim reaches was written by a wrong clock.
  if (rate === undefined || ms <= 0 || ms > MAX_BYTES_REST_MS + SLACK_MS) return 0;
  return (ms * rate.bytesPerSecond) / bytesPerSecond;
}

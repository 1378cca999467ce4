/** The days until a page is fetched again, by the outcome of its last fetch. */

/** Outcomes of a refetch, as far as the next one depends on them. */
export type RefetchOutcome =
  /** The page was there: 200, or 304. */
  | { readonly kind: 'fetched' }
  /** 5xx, a timeout, no connection, after all retries: shows nothing of the page, and the copy stays. */
  | { readonly kind: 'failed'; readonly failures: number }
  /** 404, or a soft 404. `misses`: one after another, with this one. */
  | { readonly kind: 'missing'; readonly misses: number }
  /** 410. `misses`: as above. */
  | { readonly kind: 'gone'; readonly misses: number }
  /** 301 or 308: its target is a page of its own. */
  | { readonly kind: 'moved' };

/**
 * A page is looked at again after this at the latest, even if its interval is longer: the price may have fallen
 * since. It is fetched then if it is worth the present price (`RecrawlPlan.isWorthFetch`).
 */
export const MAX_WAIT_DAYS = 60;

/** Four more tries after a 404, two after a 410; then the page is gone. */
const MISSING_DAYS: readonly number[] = [7, 14, 28, 56];
const GONE_DAYS: readonly number[] = [7, 60];
const MOVED_DAYS = 30;

/**
 * Returns the days from the fetch to the next one; undefined: never again, the page is gone.
 *
 * @param intervalDays The page's interval: by price (`fetchIntervalDays`, with this fetch observed), or fixed.
 */
export function daysUntilDue(outcome: RefetchOutcome, intervalDays: number): number | undefined {
  switch (outcome.kind) {
    case 'fetched':
      return Math.min(intervalDays, MAX_WAIT_DAYS);
    case 'failed':
      // A day, two, four: nothing is known that would make the page less interesting than it was.
      return Math.min(intervalDays, 1) * 2 ** Math.min(outcome.failures - 1, MAX_DOUBLINGS);
    case 'missing':
      return MISSING_DAYS[outcome.misses - 1];
    case 'gone':
      return GONE_DAYS[outcome.misses - 1];
    case 'moved':
      return MOVED_DAYS;
  }
}
/** 32 days at most. */
const MAX_DOUBLINGS = 5;

/**
 * Returns the first interval of a page: 0.5 to 1.5 of `intervalDays`, by `hash` (32 bits of the URL's). A site that
 * was fetched within an hour is then not due within an hour.
 */
export const firstIntervalDays = (intervalDays: number, hash: number): number =>
  intervalDays * (0.5 + (hash >>> 0) / 2 ** 32);

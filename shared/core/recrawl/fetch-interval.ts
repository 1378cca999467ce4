/**
 * Decides when a page is worth a fetch: the interval at which fetching it is optimal for a given price.
 *
 * One number for all pages of the crawl, the price of a fetch, is all that they need to share. A page's expected
 * cost rate c(t) grows with the days t since its fetch. Fetching it each `T` days is optimal at the price P if
 *
 *     V(T) = T c(T) - integral of c from 0 to T = P
 *
 * V is the fetch's value; it only grows, so a page is due when V reaches the price. With the change rate D, the
 * importance m and x = D T there are two objectives:
 *
 * - `changes`: the nth unseen change costs m / n ("harmonic"; Kolobov et al., NeurIPS 2019). V = m/D (x - 1 + e^-x).
 *   No page is given up.
 * - `freshness`: a copy costs m while it is not up to date ("binary"; Cho and Garcia-Molina, TODS 2003).
 *   V = m/D (1 - (1 + x) e^-x) <= m/D. Pages that change faster than the budget can follow are given up.
 */

export const OBJECTIVES = ['changes', 'freshness'] as const;
export type RecrawlObjective = (typeof OBJECTIVES)[number];

/** The values by which a page competes with others. */
export interface PageValue {
  /** Above 0. Twice the importance justifies about 1.4 times the fetches. */
  readonly importance: number;
  /** Changes per day, by `changeRate`. */
  readonly changeRate: number;
}

/** A page is not fetched more often than this, whatever the price: each ten minutes. */
export const MIN_INTERVAL_DAYS = 1 / 144;

/**
 * A page that objective `freshness` gives up is fetched each 60 days nevertheless, as its rate may have been
 * estimated too high; more rarely if the price is several times what a fresh copy is worth.
 */
const GIVEN_UP_DAYS = 60;

/**
 * A page is fetched from this part of its interval on. Its interval is computed again when its due time comes: if the
 * price has risen by more than some percent, the page waits, and the budget is kept.
 */
export const NEARLY = 0.97;

/** Returns the days between two fetches of a page that are optimal at `price`. Grows with the price. */
export function fetchIntervalDays(objective: RecrawlObjective, page: PageValue, price: number): number {
  const { importance, changeRate } = page;
  const y = (price * changeRate) / importance;
  const days =
    objective === 'changes'
      ? solveChanges(y) / changeRate
      : Math.min(solveFreshness(y) / changeRate, GIVEN_UP_DAYS * Math.max(1, y));
  return Math.max(MIN_INTERVAL_DAYS, days);
}

/**
 * Solves x - 1 + e^-x = y by Newton's method. This function and the next one are convex, grow, and are x²/2 at 0 and
 * below x. So {@link above} is above the solution and each step stays above it: three to seven steps.
 */
function solveChanges(y: number): number {
  if (y < TINY) return Math.sqrt(2 * y);
  let x = above(y);
  for (let step = 0; step < MAX_STEPS; step++) {
    const slope = -Math.expm1(-x);
    const change = (x - slope - y) / slope;
    x -= change;
    if (change < PRECISION * x) break;
  }
  return x;
}

/** Solves 1 - (1 + x) e^-x = y, by the logarithm: x - ln(1 + x) = -ln(1 - y). */
function solveFreshness(y: number): number {
  if (y >= 1) return Number.POSITIVE_INFINITY;
  const log = -Math.log1p(-y);
  if (log < TINY) return Math.sqrt(2 * log);
  let x = above(log);
  for (let step = 0; step < MAX_STEPS; step++) {
    const change = ((x - Math.log1p(x) - log) * (1 + x)) / x;
    x -= change;
    if (change < PRECISION * x) break;
  }
  return x;
}

const above = (y: number): number => y + Math.sqrt(2 * y);

/** Below it, rounding errors outweigh the second term of the series. */
const TINY = 1e-11;
const MAX_STEPS = 20;
const PRECISION = 1e-9;

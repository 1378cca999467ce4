/**
 * Estimates how often a page changes, from its {@link ChangeHistory} and the rate of pages like it.
 *
 * The model is a Poisson process (Cho and Garcia-Molina, "Estimating frequency of change", TOIT 2003). With n
 * changed intervals of C days together and unchanged ones of U days, the most likely rate is
 *
 *     n / C * ln(1 + C / U)
 *
 * exactly if the changed intervals are equal, and nearly otherwise. Half a changed and half an unchanged interval
 * are added, both as long as the prior rate needs for a change with probability 1/2. So a page without history has
 * the prior rate, and each fetch counts more than the prior does.
 */
import { type ChangeHistory, NO_HISTORY } from './change-history.ts';

/** Bounds of a page's rate, in changes per day: one in five and a half years, one an hour. */
export const MIN_RATE = 0.0005;
export const MAX_RATE = 24;

/**
 * The rate before anything is known, in changes per day: one in ten days. A rate that is too high costs some
 * fetches, one that is too low hides a page for long.
 */
export const DEFAULT_RATE = 0.1;

/** Returns changes per day, within {@link MIN_RATE} and {@link MAX_RATE}. */
export function changeRate(history: ChangeHistory, priorRate: number): number {
  const { changes, changedDays, unchangedDays } = history;
  const halfInterval = Math.LN2 / bounded(priorRate) / 2;
  const changed = changedDays + halfInterval;
  const unchanged = unchangedDays + halfInterval;
  return bounded(((changes + 0.5) / changed) * Math.log1p(changed / unchanged));
}

/** The observations of a group of pages together: a template's, a host's. */
export type ChangePool = ChangeHistory;

export const EMPTY_POOL: ChangePool = NO_HISTORY;

/** The weight of a pool's past at each fetch: half after 1,386 fetches. */
const FORGET_POOL = 0.9995;

/** Adds a fetch of one of the group's pages, `days` after its last one. */
export function observePool(pool: ChangePool, days: number, hasChanged: boolean): ChangePool {
  return {
    changes: pool.changes * FORGET_POOL + (hasChanged ? 1 : 0),
    changedDays: pool.changedDays * FORGET_POOL + (hasChanged ? days : 0),
    unchangedDays: pool.unchangedDays * FORGET_POOL + (hasChanged ? 0 : days),
  };
}

/**
 * Returns the prior rate of a page: of its template if that was observed, as far as it was; of the host otherwise;
 * {@link DEFAULT_RATE} at last. Give the pools from the widest to the narrowest.
 */
export const priorRate = (...pools: readonly ChangePool[]): number =>
  pools.reduce((rate, pool) => changeRate(pool, rate), DEFAULT_RATE);

const bounded = (rate: number): number => Math.min(MAX_RATE, Math.max(MIN_RATE, rate));

const STEPS_PER_OCTAVE = 16;

/** A rate as one byte, for records: within 2.2 % of it. */
export const rateCode = (rate: number): number =>
  Math.min(255, Math.round(STEPS_PER_OCTAVE * Math.log2(bounded(rate) / MIN_RATE)));

export const rateOfCode = (code: number): number => MIN_RATE * 2 ** (code / STEPS_PER_OCTAVE);

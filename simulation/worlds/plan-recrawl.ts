/** Worlds whose crawls fetch their pages again. */
import { between, pick, randomOf } from '../models/random.ts';
import type { RecrawlPlan } from './spec.ts';

/** The share of worlds. */
const RECRAWLING = 0.05;
/** The share of these worlds in which each page has the same interval; in the others, one by a price. */
const BY_INTERVAL = 0.6;
/** The share of these worlds in which the changes of pages are sent. */
const WITH_FEED = 0.7;
const MINUTE = 60_000;
const LEAST_PER_DAY = 40;

/**
 * Intervals of minutes, so that pages are fetched again while faults strike. `calmMs`: when these end; afterwards there
 * are two rounds more.
 */
export function planRecrawl(
  seed: number,
  calmMs: number,
  { isCertain = false } = {},
): RecrawlPlan | undefined {
  const random = randomOf(seed, 'recrawl');
  if (random() >= RECRAWLING && !isCertain) return undefined;
  const everyMs = between(random, 6, 20) * MINUTE;
  const stopAfterMs = calmMs + 2 * everyMs + 30 * MINUTE;
  const changeFeed = randomOf(seed, 'change feed')() < WITH_FEED;
  if (random() < BY_INTERVAL) return { config: { recrawlEveryMs: everyMs, changeFeed }, stopAfterMs };
  const recrawl = pick(random, ['changes', 'freshness'] as const);
  // From less than one in a minute to more than all pages are worth.
  const recrawlPerDay = Math.round(LEAST_PER_DAY * 2 ** (8 * random()));
  return { config: { recrawl, recrawlPerDay, changeFeed }, stopAfterMs };
}

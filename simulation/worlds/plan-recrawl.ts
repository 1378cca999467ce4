/** Worlds whose crawls fetch their pages again. */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { between, pick, type Random, randomOf } from '../models/random.ts';
import type { WebShape } from '../web/shape.ts';
import { periodOf, SCHEDULES, type WorldSchedule } from './schedules.ts';
import type { RecrawlPlan } from './spec.ts';

/** The share of worlds. */
const RECRAWLING = 0.05;
/** The share of these worlds in which each page has the same interval; in the others, one by a price. */
const BY_INTERVAL = 0.6;
/** The share of these worlds in which the changes of pages are sent. */
const WITH_FEED = 0.7;
/** The share of all worlds in which pages vanish besides, and of those that recrawl for certain. */
const VANISHING = 0.02;
const VANISHING_OF_CERTAIN = 0.5;
/** The share of the worlds with a rest whose crawls have a schedule instead of an interval. */
const BY_SCHEDULE = 0.5;
/** The share of these in which most hosts answer 404 for all their pages for hours; and the least pages of a host there. */
const WITH_VANISHED_HOSTS = 0.4;
const MIN_VANISHED = 12;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LEAST_PER_DAY = 40;
/** The share of these worlds in which pages name canonical URLs besides. */
const WITH_CANONICALS = 0.3;

/**
 * Intervals of minutes, so that pages are fetched again while faults strike. `calmMs`: when these end; afterwards there
 * are two rounds more.
 */
export function planRecrawl(
  seed: number,
  calmMs: number,
  { isCertain = false } = {},
): RecrawlPlan | undefined {
  const vanishing = randomOf(seed, 'vanishes');
  if (vanishing() < (isCertain ? VANISHING_OF_CERTAIN : VANISHING))
    return planVanishing(seed, vanishing, calmMs);
  const random = randomOf(seed, 'recrawl');
  if (random() >= RECRAWLING && !isCertain) return undefined;
  const everyMs = between(random, 6, 20) * MINUTE;
  const stopAfterMs = calmMs + 2 * everyMs + 30 * MINUTE;
  const changeFeed = randomOf(seed, 'change feed')() < WITH_FEED;
  if (random() < BY_INTERVAL)
    return { config: { recrawlEveryMs: everyMs, changeFeed }, web: webOf(seed), stopAfterMs };
  const recrawl = pick(random, ['changes', 'freshness'] as const);
  // From less than one in a minute to more than all pages are worth.
  const recrawlPerDay = Math.round(LEAST_PER_DAY * 2 ** (8 * random()));
  return { config: { recrawl, recrawlPerDay, changeFeed }, web: webOf(seed), stopAfterMs };
}

const webOf = (seed: number): Partial<WebShape> => ({
  changes: true,
  ...(randomOf(seed, 'canonical links of recrawl')() < WITH_CANONICALS && { canonicalShare: 0.5 }),
});

/** A page that is not there is asked for again after a week: the crawls rest for longer, and then all of it is due. */
function planVanishing(seed: number, random: Random, calmMs: number): RecrawlPlan {
  const everyMs = between(random, 6, 20) * MINUTE;
  const schedule = planSchedule(randomOf(seed, 'schedule'));
  const againMs = schedule ? periodOf(schedule) + 25 * MINUTE : everyMs + 15 * MINUTE;
  const config = schedule ? configOf(schedule) : { recrawlEveryMs: everyMs };
  return {
    // By their days, hosts would wait for longer than the world lasts.
    config: { ...config, changeFeed: random() < WITH_FEED, overrides: undefined },
    web: { ...webOf(seed), ...vanishingWeb(seed, random) },
    stopAfterMs: calmMs + againMs,
    rest: { restMs: (8 + 2 * random()) * DAY, againMs },
  };
}

/** Small, as each page is fetched many times. */
function vanishingWeb(seed: number, random: Random): Partial<WebShape> {
  const web = { hosts: between(random, 1, 4), maxPages: between(random, 6, 16) };
  if (randomOf(seed, 'vanished hosts')() >= WITH_VANISHED_HOSTS) return { ...web, vanishes: 'pages' };
  // As many pages as it takes to doubt that all of them are gone.
  return {
    ...web,
    vanishes: 'hosts',
    hosts: Math.min(2, web.hosts),
    minPages: MIN_VANISHED,
    kinds: ['ordinary'],
  };
}

const planSchedule = (random: Random): WorldSchedule | undefined =>
  random() < BY_SCHEDULE ? pick(random, SCHEDULES) : undefined;

const configOf = ({ expression, timeZone }: WorldSchedule): CrawlOptions => ({
  recrawlSchedule: expression,
  ...(timeZone !== undefined && { recrawlTimeZone: timeZone }),
});

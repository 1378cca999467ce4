/**
 * Many crawls beside those that a world is about: most are at rest, some need something of the waker at some time, some
 * have ended. They have a host each, of which nothing is left to fetch.
 */
import type { SimCloud } from '../models/cloud.ts';
import { between, type Random, randomOf } from '../models/random.ts';
import { drive } from '../models/virtual-time.ts';
import { NEEDS, type Need, type NeedyCrawl, watchNeeds } from './crowd-needs.ts';
import { type CrawlAtRest, fillRunning, fillStored } from './fill-crawls.ts';
import { openOperator } from './operator-process.ts';

export interface Crowd {
  /** The number of its crawls that run at the beginning. */
  readonly running: number;
  readonly needy: readonly NeedyCrawl[];
  /** Names of those that had ended before the world's beginning. */
  readonly ended: readonly string[];
}

/** The share of worlds with a crowd, and its crawls. */
const WITH_CROWD = 0.06;
const MIN_CRAWLS = 4;
const MAX_CRAWLS = 12;
/** Shares of a crowd; the rest is at rest. */
const NEEDY = 0.3;
const ENDED = 0.3;
/** They need something within this time: while faults strike. */
const NEEDED_FROM_MS = 60_000;
const NEEDED_UNTIL_MS = 1_800_000;
const DAY_MS = 86_400_000;

/** How many crawls the crowd of the world has; 0: none. */
export function crowdSizeOf({ seed, crowd }: { readonly seed: number; readonly crowd?: number }): number {
  if (crowd !== undefined) return crowd;
  const random = randomOf(seed, 'crowd');
  return random() < WITH_CROWD ? between(random, MIN_CRAWLS, MAX_CRAWLS) : 0;
}

/** Stores them, by an operator's process that no fault strikes, and watches when their needs are met. */
export async function beginCrowd(cloud: SimCloud, seed: number, size: number): Promise<Crowd> {
  const { time } = cloud;
  const random = randomOf(seed, 'crawls of the crowd');
  const running: CrawlAtRest[] = [];
  const needy: NeedyCrawl[] = [];
  const ended: string[] = [];
  const now = time.now();
  for (let i = 0; i < size; i++) {
    // Before and after the world's own crawls, in the order of names.
    const crawl = `${random() < 0.5 ? 'a' : 'x'}-${String(i).padStart(4, '0')}`;
    const kind = random();
    if (kind < ENDED) ended.push(crawl);
    else if (kind < ENDED + NEEDY) {
      const need = NEEDS[between(random, 0, NEEDS.length - 1)] as Need;
      const at = need === 'end' ? now : now + between(random, NEEDED_FROM_MS, NEEDED_UNTIL_MS);
      needy.push({ crawl, need, at });
      running.push(settingsOf(crawl, need, at, now));
    } else running.push({ crawl, dueAt: restUntil(random, now) });
  }
  watchNeeds(cloud, needy);
  const operator = openOperator(cloud, seed);
  await drive(time, fillStored(operator, ended));
  await drive(time, fillRunning(operator, running));
  return { running: running.length, needy, ended };
}

export function settingsOf(crawl: string, need: Need, at: number, now: number): CrawlAtRest {
  if (need === 'wake') return { crawl, dueAt: at };
  if (need === 'end') return { crawl, config: {} };
  return { crawl, dueAt: now + DAY_MS, config: { recrawlEveryMs: DAY_MS, maxTimeMs: at - now } };
}

/** Longer than any world lasts whose crawls do not recrawl. */
const restUntil = (random: Random, now: number): number => now + DAY_MS * (30 + between(random, 0, 30));

/** The plan of a world besides its web, as the seed decides it: the stack, and the crawls. */

import type { Sizes } from '../../shared/core/base/sizes.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import { between, pick, type Random, randomOf } from '../models/random.ts';
import {
  addressesOf,
  canonicalShareOf,
  domainsOf,
  feedShareOf,
  hasAssets,
  hasDatesOf,
  namedShareOf,
  usageShareOf,
} from '../web/shape.ts';
import {
  planAddressPace,
  planByteRate,
  planCanonicals,
  planCrawlRate,
  planDomainLimits,
  planFeeds,
  planGivenSitemaps,
  planHours,
  planLimits,
  planPages,
  planPurpose,
  planRendering,
  planRequisites,
  planScope,
  planSitemaps,
  planTemplateQuota,
} from './plan-settings.ts';
import { planSizes } from './sizes.ts';
import type { CrawlPlan, RecrawlPlan, SimWeb } from './spec.ts';

export interface StackPlan {
  readonly settings: Pick<
    StackSettings,
    'workerTimeoutMs' | 'hostsPerWorker' | 'dueShards' | 'smallWorkerMemoryMb'
  >;
  readonly turnQueues: number;
  readonly linkShards: number;
  readonly maxConcurrency: number;
  /** With this number of hosts, a worker's memory is nearly full. */
  readonly hostsInMemory: number;
  readonly routerWindowMs: number;
  readonly hasCompactor: boolean;
  readonly sizes: Sizes;
}

/** Stacks with a small worker, of 1 to 3 hosts. */
const SMALL_CHANCE = 0.6;

export function planStack(seed: number): StackPlan {
  const random = randomOf(seed, 'stack');
  const shards = randomOf(seed, 'link shards');
  const small = randomOf(seed, 'small worker');
  const turnQueues = between(random, 1, 3);
  return {
    settings: {
      workerTimeoutMs: pick(random, [60_000, 60_000, 90_000, 120_000, 600_000]),
      hostsPerWorker: between(random, 1, 12),
      dueShards: between(random, 1, 3),
      ...(small() < SMALL_CHANCE && { smallWorkerMemoryMb: pick(small, [128, 512, 1024]) }),
    },
    turnQueues,
    linkShards: shards() < 0.2 ? between(shards, 2, 3) : 0,
    maxConcurrency: turnQueues * between(random, 2, 5),
    hostsInMemory:
      randomOf(seed, 'memory')() < 0.2 ? between(randomOf(seed, 'hosts in memory'), 0, 6) : Infinity,
    routerWindowMs: pick(random, [0, 1000, 5000]),
    hasCompactor: random() < 0.3,
    sizes: planSizes(seed),
  };
}

/** Crawls that want pages in one language alone. */
const LANGUAGES_CHANCE = 0.1;

/** Crawls that mark or skip pages with nearly the same text. */
const NEAR_DUPLICATES_CHANCE = 0.2;

/** A crawl that fetches its pages again ends when the operator stops it. */
const WITHOUT_LIMITS = {
  maxPages: undefined,
  maxPagesPerHost: undefined,
  maxBytes: undefined,
  maxTimeMs: undefined,
  maxCost: undefined,
};

/** All pages of a large host are reached, and fetched. */
const WITHOUT_ENDS = { ...WITHOUT_LIMITS, maxDepth: 20, maxPagesPerTemplate: undefined };

/** The second of two crawls then does not store again what the first one has stored. */
const DEDUPE_CHANCE = 0.5;

/** One crawl mostly; sometimes two of the same hosts, which SQS keeps apart by one group. */
export function planCrawls(
  seed: number,
  web: Pick<SimWeb, 'seeds' | 'someUrl' | 'someChange' | 'someSitemap' | 'lockedHosts' | 'keysOf'>,
  maxTotalTimeoutMs: number,
  {
    recrawl,
    isPoisoned = false,
    isRendered = false,
  }: {
    readonly recrawl?: RecrawlPlan | undefined;
    readonly isPoisoned?: boolean;
    readonly isRendered?: boolean;
  } = {},
): CrawlPlan[] {
  const random = randomOf(seed, 'crawls');
  const requisites = randomOf(seed, 'requisites');
  const hasSmallTraps = planSizes(seed).minTrapPages < SIZES.minTrapPages;
  const count = random() < 0.25 && !isRendered ? 2 : 1;
  return Array.from({ length: count }, (_, i) => {
    const rates = planByteRate(randomOf(seed, 'byte rate of crawl', i));
    const hours = planHours(randomOf(seed, 'hours of crawl', i));
    const openHosts = planOpenHosts(randomOf(seed, 'passwords of crawl', i), web.lockedHosts);
    const overrides = [...(hours.overrides ?? []), ...(rates.overrides ?? [])];
    const config = {
      ...configOf(random, maxTotalTimeoutMs),
      ...(hasAssets(seed) && planRequisites(requisites)),
      // By its contact the web knows which crawl asks.
      ...planPages(randomOf(seed, 'pages of crawl', i), hasSmallTraps),
      ...planDomainLimits(randomOf(seed, 'domain limits', i), domainsOf(seed)),
      ...planTemplateQuota(randomOf(seed, 'template quota', i)),
      ...planAddressPace(randomOf(seed, 'address pace', i), addressesOf(seed) !== undefined),
      ...(randomOf(seed, 'languages of crawl', i)() < LANGUAGES_CHANCE && { languages: ['de'] }),
      ...planNearDuplicates(randomOf(seed, 'near duplicates of crawl', i)),
      ...rates,
      ...planCrawlRate(randomOf(seed, 'byte rate of all hosts', i)),
      ...(overrides.length > 0 && { overrides }),
      ...planPurpose(randomOf(seed, 'purpose of crawl', i), usageShareOf(seed) > 0),
      ...planSitemaps(randomOf(seed, 'sitemaps of crawl', i)),
      ...(namedShareOf(seed) > 0 &&
        planGivenSitemaps(randomOf(seed, 'given sitemaps', i), {
          someSitemap: web.someSitemap,
          // Crawls that recrawl read of sitemaps when to come again.
          hasDates: hasDatesOf(seed) && !recrawl,
        })),
      ...planFeeds(randomOf(seed, 'alternate feeds', i), feedShareOf(seed) > 0),
      ...planCanonicals(randomOf(seed, 'canonical links of crawl', i), canonicalShareOf(seed) > 0),
      soft404: true,
      ...(isPoisoned && WITHOUT_ENDS),
      ...(isRendered && planRendering(randomOf(seed, 'rendering', i))),
      ...(recrawl && { ...WITHOUT_LIMITS, ...recrawl.config }),
      ...(openHosts.length > 0 && web.keysOf(openHosts)),
      contact: `https://sim.test/crawl-${i}`,
    };
    return {
      id: `crawl-${i}`,
      seeds: [
        ...seedsFor(config, web, random),
        ...changesNamed(randomOf(seed, 'named changes of crawl', i), web),
      ],
      config,
      openHosts,
      ...(i > 0 &&
        randomOf(seed, 'deduplicated crawl', i)() < DEDUPE_CHANCE && { dedupeFrom: `crawl-${i - 1}` }),
    };
  });
}

/** A quarter of the crawls have no password. */
const planOpenHosts = (random: Random, locked: readonly string[]): readonly string[] =>
  random() < 0.75 ? locked : [];

/** Half of the crawls have a seed that changes something. */
function changesNamed(random: Random, web: Pick<SimWeb, 'someChange'>): readonly string[] {
  const url = random() < 0.5 ? web.someChange(random) : undefined;
  return url === undefined ? [] : [url];
}

function planNearDuplicates(random: Random): CrawlOptions {
  if (random() >= NEAR_DUPLICATES_CHANCE) return {};
  return { nearDuplicates: random() < 0.5 ? 'skip' : 'mark' };
}

/** Where the scope is drawn around folders, most seeds have one: otherwise each would be its whole host. */
function seedsFor(
  { scope, exclude = [] }: CrawlOptions,
  { seeds, someUrl }: Pick<SimWeb, 'seeds' | 'someUrl'>,
  random: Random,
): readonly string[] {
  if (scope !== 'prefix') return seeds;
  const isExcluded = (url: string) => exclude.some((pattern) => new RegExp(pattern).test(url));
  const drawn = seeds.map((seed) => (random() < 0.7 ? someUrl(random, seed) : seed));
  return drawn.map((url, i) => (isExcluded(url) ? (seeds[i] as string) : url));
}

function configOf(random: Random, maxTotalTimeoutMs: number): CrawlOptions {
  const totalTimeoutMs = Math.min(maxTotalTimeoutMs, pick(random, [5000, 10_000, 20_000]));
  return {
    ...planScope(random),
    maxDepth: between(random, 3, 7),
    delayMs: pick(random, [100, 500, 1000, 1000, 5000, 15_000, 40_000]),
    adaptive: random() < 0.2,
    totalTimeoutMs,
    headersTimeoutMs: totalTimeoutMs,
    turnMaxPages: pick(random, [1, 3, 10, 100]),
    turnMaxMs: pick(random, [2000, 20_000, 120_000]),
    turnMaxWaitMs: pick(random, [500, 10_000]),
    // Long rests are the waker's: the host has no token then.
    backoffMs: pick(random, [500, 5000, 60_000]),
    maxBackoffMs: pick(random, [60_000, 600_000]),
    maxRetryAfterMs: 60_000,
    retryMs: pick(random, [200, 1000, 45_000]),
    maxAttempts: between(random, 2, 4),
    maxHostFailures: between(random, 4, 8),
    robotsMaxAgeMs: pick(random, [86_400_000, 86_400_000, 120_000, 20_000]),
    ...planLimits(random),
  };
}

/** Returns settings of a running crawl that an operator may change without changing the crawl's promises. */
export function planChanges(random: Random): CrawlOptions {
  return {
    turnMaxPages: between(random, 1, 20),
    turnMaxMs: between(random, 1000, 20_000),
    turnMaxWaitMs: between(random, 500, 10_000),
    retryMs: between(random, 100, 2000),
  };
}

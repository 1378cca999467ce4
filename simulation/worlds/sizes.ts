/**
 * The sizes of a world's program: what a deployment has, or small ones by the seed, for branches that need
 * many pages.
 */

import { SIZES, type Sizes } from '../../shared/core/base/sizes.ts';
import { between, pick, type Random, randomOf } from '../models/random.ts';

/** Sizes that are small together, since one branch needs them all. */
const SMALL: readonly ((random: Random) => Partial<Sizes>)[] = [
  // Segments become one, or a run.
  (random) => ({
    maxSegments: between(random, 1, 4),
    maxSegmentRecords: between(random, 1, 12),
    maxFreshRecords: between(random, 3, 25),
  }),
  // Runs of several levels, with lists of several blocks.
  (random) => ({
    maxSegments: between(random, 1, 3),
    maxSegmentRecords: between(random, 0, 3),
    maxFreshRecords: between(random, 1, 4),
    runRatio: between(random, 1, 4),
    maxRunUrls: pick(random, [5, 15, SIZES.maxRunUrls]),
    blockRecords: between(random, 1, 4),
    readAheadBytes: between(random, 1, 300),
  }),
  // Parts of ledgers, robots rules among them, in S3.
  (random) => ({ maxRowBytes: between(random, 1, 250), maxHeadRules: between(random, 0, 40) }),
  (random) => ({ maxHeadRules: between(random, 0, 40) }),
  // Groups of URLs that close after a few pages (where the crawl looks for them: `plan-settings.ts`).
  (random) => ({
    minTrapPages: between(random, 1, 6),
    minTextPages: between(random, 0, 2),
    minTrapWindow: between(random, 1, 3),
    maxTrapWindow: between(random, 3, 5),
  }),
  // Hosts that are asked for a page that does not exist.
  (random) => ({ minProbeUrls: between(random, 1, 6) }),
  // Turns that end early.
  (random) => ({
    maxTurnChanges: between(random, 1, 20),
    maxWithoutRequest: between(random, 1, 3),
    linksAtOnce: between(random, 1, 4),
  }),
  // Links in several parcels and messages.
  (random) => ({
    maxParcelLinks: between(random, 1, 5),
    maxParcelChars: between(random, 50, 500),
    maxMessageLinks: between(random, 1, 4),
    maxShardParcelLinks: between(random, 1, 4),
  }),
  // Messages that are split, and batches that are full by their bytes.
  (random) => ({ maxMessageBytes: between(random, 1500, 4000) }),
  // Caches that forget.
  (random) => ({
    ledgerCacheBytes: pick(random, [0, 2000, 10_000]),
    maxIdleLanes: between(random, 0, 2),
    maxLoadedHeads: between(random, 1, 2),
  }),
  // Hosts that are woken by several pages.
  (random) => ({
    wakeBatch: between(random, 1, 3),
    dueSlack: between(random, 0, 2),
    wakePageHosts: between(random, 1, 3),
    wakePages: between(random, 1, 2),
    maxScanned: between(random, between(random, 1, 3), 6),
  }),
  (random) => ({
    archiveGatherMs: pick(random, [0, 100, 5000]),
    maxRecentPayloads: pick(random, [1, 3, 1000]),
    maxEarlierBytes: 1_000_000,
    sendGatherMs: pick(random, [0, 10, 1000]),
    settleGatherMs: pick(random, [0, 10, 2000]),
    maxCountsInUpdate: between(random, 1, 3),
  }),
  // WARC objects that are stored when they are full, and uploads in parts.
  (random) => ({ warcObjectBytes: between(random, 500, 6000) }),
  (random) => {
    const uploadPartBytes = between(random, 200, 3000);
    return { uploadPartBytes, copyBytes: between(random, 2, 4) * uploadPartBytes };
  },
  // Several joined files, some of them while the crawl still writes.
  (random) => ({
    joinedBytes: between(random, 1000, 15_000),
    maxCaptures: between(random, 1, 8),
    maxCaptureChars: between(random, 300, 6000),
    maxSources: between(random, 1, 5),
    minJoinAgeMs: pick(random, [10 * 60_000, SIZES.minJoinAgeMs]),
    scanBytes: between(random, 1000, 8000),
  }),
];

/**
 * A deployment's turn sends a few parcels of links, one after the other, and each waits for 100 ms. A hundred small
 * parcels that each wait for a second would outlast any commit.
 */
const GATHER_OF_SMALL_PARCELS_MS = 10;
/** The number of worlds of 100 that have the sizes of a deployment. */
const DEPLOYED_SHARE = 0.2;
/** The share of small sizes in each group, in the other worlds. */
const SMALL_SHARE = 0.35;

export function planSizes(seed: number): Sizes {
  const random = randomOf(seed, 'sizes');
  if (random() < DEPLOYED_SHARE) return SIZES;
  const small = SMALL.filter(() => random() < SMALL_SHARE).map((draw) => draw(random));
  // Few hosts are many here: with a deployment's own size no link would ever go to a shard.
  const sizes: Sizes = Object.assign({ ...SIZES, splitHosts: between(random, 1, 3) }, ...small);
  const isOfSmallParcels = sizes.maxParcelLinks < SIZES.maxParcelLinks;
  const sendGatherMs = Math.min(sizes.sendGatherMs, isOfSmallParcels ? GATHER_OF_SMALL_PARCELS_MS : Infinity);
  const isStamped = randomOf(seed, 'stamps')() < SMALL_SHARE;
  const ofTables = randomOf(seed, 'item tables');
  const itemTableBytes = ofTables() < SMALL_SHARE ? between(ofTables, 1, 2000) : SIZES.itemTableBytes;
  // Hosts are hidden again and again while their worker lives, for longer than a page may block it.
  const ofRenewals = randomOf(seed, 'renewals');
  const isRenewed = ofRenewals() < SMALL_SHARE;
  const renewedMs = isRenewed ? between(ofRenewals, 45_000, 60_000) : SIZES.renewedMs;
  return {
    ...sizes,
    ...{ sendGatherMs, itemTableBytes, renewedMs },
    ...(isStamped && { maxUnstampedBytes: 0 }),
  };
}

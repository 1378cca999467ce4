/**
 * Keys and attribute names of the two tables, defined here only. No crawl's name holds a space or a
 * `#`, no host a space, so the keys made of them cannot be mistaken for each other.
 *
 * | table | pk | sk | attributes |
 * |---|---|---|---|
 * | CrawlState | `CRAWL HOST` | `head` | `version`, `head` (JSON); `dueShard`, `dueAt` where the host is due at some time |
 * | CrawlState | `CRAWL` | `crawl` | `version`, `record` (JSON, gzip), `nonce`, `activeMs`, `runningSince` |
 * | CrawlState | `CRAWL` | `stamp` | `nonce`, `version`: those of the item `crawl`, so that a large one is read only when it has changed |
 * | CrawlState | `CRAWL` | `totals#SHARD` | a number for each count (`crawl-counters.ts`), `lastAdd`, `lastAt`, `exactAt` |
 * | CrawlState | `CRAWL` | `quiet` | `idleSince`, `looks`, `quietSince`, `recounted`, `expiresAt` (`quiet.ts`) |
 * | CrawlState | `CRAWL` | `compact` | `holder`, `leaseUntil`; `planFile`, `planSources` (JSON, gzip), `isStored` (`compact-lease.ts`) |
 * | CrawlState | `CRAWL` | `sites#ID#PART` | `bytes`: a part of a list of its sites (JSON, gzip; `site-lists.ts`) |
 * | CrawlState | `CRAWL` | `itemTables` | `tabled` (JSON, gzip), `writtenBy`: which items are in tables (`item-table-plan.ts`) |
 * | CrawlState | `CRAWL` | `joined#FILE` | `file`, `offset`, `bytes`: where a WARC file's bytes stand now (`joined-warcs.ts`) |
 * | CrawlState | `CRAWL` | `aside#FILE` | `problem`, `etag`: a WARC file that is none (`quarantined-files.ts`) |
 * | CrawlState | `#state CRAWL` | a key of the project | `value` (JSON), `version`: what hooks keep (`hook-state.ts`) |
 * | CrawlState | `#jars CRAWL SHARD` | `DOMAIN` | `jar` (JSON), `cookies` (JSON), `version`: cookies that hosts have set (`jar-store.ts`) |
 * | CrawlState | `#accounts CRAWL` | `DOMAIN ACCOUNT` | likewise, for an account |
 * | CrawlState | `#workers QUEUE` | the worker's id | `hosts`, `maxHosts`, `isEnding`, `aliveUntil`, `expiresAt`: a worker of that turn queue (`worker-pool.ts`) |
 * | CrawlState | `#hosts CRAWL SHARD` | `HOST` | `site`, `version`: the last pass over a host of a site (JSON), and the version of its head: the crawl's directory of hosts, perhaps with some that have no head (`host-directory.ts`) |
 * | CrawlState | `#crawls` | `CRAWL` | none: the directory of crawls |
 * | CrawlState | `#running` | `CRAWL` | none: the directory of those that run |
 * | CrawlState | `#soon`, `#agenda` | `TIME CRAWL`, `TIME CRAWL due`, `TIME CRAWL unsure` | none: when the waker looks at the crawl next, one that is at work and one that rests (`agenda.ts`) |
 * | CrawlState | `#unannounced` | `CRAWL` | `entry`, `tries`, `retryAt`, `finishTries`, `isFinishDone`: a crawl that runs, or whose end its operator's programs have not been sent (`unannounced.ts`) |
 * | CrawlState | `#unjoined` | `CRAWL` | `enteredAt`, `entry`: a crawl that may have WARC objects to join, or items without a table (`unjoined.ts`) |
 * | CrawlState | `#stack` | `totals#SHARD` | the same of what was used for crawls and is not worth a write to theirs |
 * | CrawlState | `#compactor` | `last` | `crawl`: the one that the compactor began last (`unjoined.ts`) |
 * | CrawlState | `#deleted` | `CRAWL` | `requestedAt`, `withArchive`, `stoppedAt`, `deletedAt`, `expiresAt`: a crawl that is or was deleted (`deletions.ts`) |
 * | CrawlState | `#deleting` | `CRAWL` | none: the directory of crawls whose deletion is not complete |
 * | CrawlState | `#referrers` | `CRAWL BY` | none: the archive of the crawl `BY` may refer to records of `CRAWL` (`referrers.ts`) |
 * | CrawlState | `#referred` | `BY CRAWL` | none: the same, found by `BY` |
 * | CrawlState | `#exports` | `CRAWL ID` | `request` (JSON), `state`, `requestedAt`, `endedAt`, `progress` (JSON), `message`, `version`, `holder`, `leaseUntil`, `tries`: an export that the stack makes (`export-jobs.ts`) |
 * | CrawlState | `#spend` | the day | `spent`, `expiresAt`: US dollars of all crawls on that day (`daily-spend.ts`) |
 * | CrawlState | `#untilNextDay` | `CRAWL` | none: the directory of those that are paused until the next day, perhaps with others among them |
 * | CrawlState | `#attention` | `state`, `trouble#NAME` | `json`; `saidAt`, `claim`; `expiresAt`: troubles of the stack (`attention-notes.ts`) |
 * | UrlSeen | `CRAWL HOST` | the part's name | `bytes`, or `object` (S3 key) and `size` |
 */
import { hash } from 'node:crypto';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { shardOf } from '../shard-of.ts';
import { N } from '../table/item.ts';
import type { Condition, Table } from '../table/table.ts';

/** The names of the tables and of the bucket with the engine's state. */
export interface StateNames {
  /** Table: heads, crawls and their totals. */
  readonly crawlState: string;
  /** Table: the parts of ledgers. */
  readonly urlSeen: string;
  /** Bucket: large parts, and the archive. */
  readonly bucket: string;
  /**
   * Partitions of the index of due hosts, for each crawl: 1 to 64, default 8. May grow at any time, as hosts
   * indexed under fewer are found under more; where it shrinks, those of the partitions left out are never
   * woken.
   */
  readonly dueShards?: number;
}

/** The table CrawlState, as a process uses it. */
export interface StateTable extends Table {
  readonly clock: Clock;
}

/**
 * The sparse index of hosts that are due: projects the keys only, so a head that keeps its due time costs
 * nothing.
 */
export const DUE_INDEX = 'due';
/** Its partition key, a string ... */
export const DUE_SHARD = 'dueShard';
/** ... and its sort key, a number: {@link indexedDueAt}. */
export const DUE_AT = 'dueAt';

export const HEAD = 'head';
export const CRAWL = 'crawl';
export const STAMP = 'stamp';
export const TOTALS_PREFIX = 'totals#';
export const QUIET = 'quiet';
export const COMPACTION = 'compact';
export const ITEM_TABLES = 'itemTables';
export const JOINED_PREFIX = 'joined#';
export const ASIDE_PREFIX = 'aside#';
export const SITES_PREFIX = 'sites#';
export const WORKERS_PREFIX = '#workers ';
export const DIRECTORY = '#crawls';
export const RUNNING = '#running';
export const SOON = '#soon';
export const AGENDA = '#agenda';
export const UNANNOUNCED = '#unannounced';
export const UNJOINED = '#unjoined';
export const COMPACTOR = '#compactor';
/** Replaces a crawl: usage of the stack that is not worth a write to the counters of its crawl. */
export const STACK_USAGE = '#stack';
export const DELETED = '#deleted';
export const DELETING = '#deleting';
export const REFERRERS = '#referrers';
export const REFERRED = '#referred';
export const EXPORTS = '#exports';
export const SPEND = '#spend';
export const UNTIL_NEXT_DAY = '#untilNextDay';
export const ATTENTION = '#attention';

/** Attribute of items that may die: the second, since the epoch, from which DynamoDB may delete them. */
export const EXPIRES_AT = 'expiresAt';
/** Its value, for a time in ms. */
export const expiresAt = (time: number) => N(Math.ceil(time / 1000));

/**
 * A partition of a table or an index takes 1,000 write units a second: these take the due times of 8,000
 * commits.
 */
const DEFAULT_DUE_SHARDS = 8;
const MAX_DUE_SHARDS = 64;
/** As above, for the counters, with one write for each commit. */
export const TOTALS_SHARDS = 8;

export const hostPartition = (crawl: CrawlId, host: HostKey): string => `${crawl} ${host}`;
export const hostPrefix = (crawl: CrawlId): string => `${crawl} `;
export const hostOf = (partition: string): HostKey => partition.slice(partition.indexOf(' ') + 1);

/** Throws where the number is not one that all can count on. */
export function dueShardsOf({ dueShards = DEFAULT_DUE_SHARDS }: Pick<StateNames, 'dueShards'>): number {
  if (Number.isInteger(dueShards) && dueShards >= 1 && dueShards <= MAX_DUE_SHARDS) return dueShards;
  throw new RangeError(`Expected 1 to ${MAX_DUE_SHARDS} dueShards, got ${dueShards}`);
}

/** The due index's partition key, for each of its partitions. */
export const allDueShards = (crawl: CrawlId, shards: number): string[] =>
  Array.from({ length: shards }, (_, shard) => dueShard(crawl, shard));
export const dueShardOf = (crawl: CrawlId, host: HostKey, shards: number): string =>
  dueShard(crawl, shardOf(host, shards));
const dueShard = (crawl: CrawlId, shard: number): string => `${crawl} ${shard}`;

/** Partitions of a crawl's directory of hosts: each takes 1,000 new hosts a second. */
export const HOST_SHARDS = 8;

export const allHostShards = (crawl: CrawlId): string[] =>
  Array.from({ length: HOST_SHARDS }, (_, shard) => hostShard(crawl, shard));
export const hostShardOf = (crawl: CrawlId, host: HostKey): string =>
  hostShard(crawl, shardOf(host, HOST_SHARDS));
const hostShard = (crawl: CrawlId, shard: number): string => `#hosts ${crawl} ${shard}`;

/** The partitions of the jars: that of accounts, which are few and listed together, and as many as above. */
export const allJarPartitions = (crawl: CrawlId): string[] => [
  accountsPartition(crawl),
  ...Array.from({ length: HOST_SHARDS }, (_, shard) => jarShard(crawl, shard)),
];
export const accountsPartition = (crawl: CrawlId): string => `#accounts ${crawl}`;
export const jarShardOf = (crawl: CrawlId, domain: string): string =>
  jarShard(crawl, shardOf(domain, HOST_SHARDS));
const jarShard = (crawl: CrawlId, shard: number): string => `#jars ${crawl} ${shard}`;

/** The partition of the values that hooks keep. */
export const statePartition = (crawl: CrawlId): string => `#state ${crawl}`;

/** Prefix of the keys of all objects that hold parts of the crawl's ledgers. */
export const partsPrefix = (crawl: CrawlId): string => `parts/${crawl}/`;
/** Host names are not valid S3 keys (IPv6, length), and a hash spreads the hosts over S3's own partitions. */
export const partObject = (crawl: CrawlId, host: HostKey, name: string): string =>
  `${partsPrefix(crawl)}${hash('sha256', host).slice(0, 24)}/${name}`;

const FINE_MS = 15_000;
const COARSE_MS = 300_000;
const FAR_MS = 600_000;

/**
 * The due time as the index has it: rounded up, so that a host found there is due, or is so within 15 s; and
 * so that most commits leave the index alone, whose every change costs two write units more. Up to ten
 * minutes ahead, to 15 s; beyond that (a token's loss noticed after 15 minutes, a recrawl) to 5 minutes: a
 * turn would else move it each time. The head has the exact time.
 */
export function indexedDueAt(dueAt: number, now: number): number {
  return roundUp(dueAt, dueAt - now > FAR_MS ? COARSE_MS : FINE_MS);
}

/** Hosts due at `now` are in the index up to here. Times rounded to 5 minutes come that much later. */
export const indexedUntil = (now: number): number => roundUp(now, FINE_MS);

const roundUp = (at: number, step: number): number => Math.ceil(at / step) * step;

/** The condition of a write: it replaces the item of that `version`; 0: there is none yet. */
export const replacing = (version: number): Condition =>
  version === 0
    ? { condition: 'attribute_not_exists(pk)' }
    : { condition: '#version = :expected', values: { expected: N(version) } };

/** The condition of a write over no item, or over one of that version or an earlier one. */
export const replacingUpTo = (version: number): Condition => ({
  condition: 'attribute_not_exists(pk) OR #version <= :version',
  values: { version: N(version) },
});

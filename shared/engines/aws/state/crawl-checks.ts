import type { Sizes } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Head } from '../../../core/frontier/head.ts';
import type { LedgerStore } from '../../../crawler/ports/ledger-store.ts';
import { queryIndex } from '../table/query.ts';
import type { CrawlCounters } from './crawl-counters.ts';
import type { CrawlStore } from './crawl-store.ts';
import { type Counts, changedCounts, HOSTS_DUE, sumOfCounts, usageCountsIn } from './head-counts.ts';
import { HostList } from './host-list.ts';
import {
  idleFor,
  isDrained,
  isSettled,
  type QuietNotes,
  type QuietTimes,
  type SettleTimes,
} from './quiet.ts';
import { allDueShards, DUE_INDEX, DUE_SHARD, type StateTable } from './tables.ts';

export interface CrawlChecksOptions extends StateTable, SettleTimes {
  readonly sizes?: Sizes | undefined;
  /** Partitions of the index of due hosts, for each crawl. */
  readonly dueShards: number;
  readonly crawls: Pick<CrawlStore, 'load'>;
  readonly counters: Pick<CrawlCounters, 'read' | 'replace'>;
  readonly quiet: Pick<QuietNotes, 'noteBusy' | 'noteIdle' | 'noteRecounted'>;
  /** Whether the queues hold any message or parcel, received ones too. */
  readonly hasMessages: () => Promise<boolean>;
}

/** The heads of a larger crawl are not read to check its counters: that would take the waker's time. */
const MAX_RECOUNTED = 50_000;
const RECOUNT_ATTEMPTS = 5;

/**
 * Checks of a crawl by the index of due hosts, the queues and the heads: whether it has nothing to do, and whether its
 * counters are right. As queue counts and index lag, a crawl is quiet when it had nothing to do at two looks, `settleMs` or
 * more apart, and none between them found something, no head was committed and nobody changed the crawl or sent it seeds;
 * the looks may be those of different processes (`quiet.ts`).
 */
export class CrawlChecks {
  readonly #options: CrawlChecksOptions;
  readonly #hosts: HostList;

  constructor(options: CrawlChecksOptions) {
    this.#options = options;
    this.#hosts = new HostList(options);
  }

  /** As of the registry. */
  async isQuiet(crawl: CrawlId, requisitesOnly?: boolean): Promise<boolean> {
    const { crawls, counters, quiet, hasMessages } = this.#options;
    if (requisitesOnly) {
      const { counts, lastAt } = await counters.read(crawl);
      return isDrained(counts, idleFor(lastAt, this.#now()), this.#options);
    }
    const isRunning = (await crawls.load(crawl))?.record.status === 'running';
    if (isRunning && (await this.#isAnyDue(crawl))) {
      await quiet.noteBusy(crawl);
      return false;
    }
    const times = await quiet.noteIdle(crawl, await hasMessages());
    const { counts, lastAt } = await counters.read(crawl);
    // Hosts of a crawl that does not run may stay due.
    const known = { ...times, lastAt, ...(isRunning && { hostsDue: counts[HOSTS_DUE] }) };
    const isSettledNow = (of: QuietTimes) => isSettled(of, this.#now(), this.#options);
    const mayRecount = isRunning && !times.isRecounted && isSettledNow({ ...known, hostsDue: 0 });
    if (!mayRecount || (counts.hosts ?? 0) > MAX_RECOUNTED) return isSettledNow(known);
    // No turn is in progress, so the counters should be those of the heads; a worker that died has left them wrong.
    if (!(await this.#recountOnce(crawl, this.#hosts.all(crawl)))) return false;
    await quiet.noteRecounted(crawl);
    const after = await counters.read(crawl);
    return isSettledNow({ ...times, lastAt: after.lastAt, hostsDue: after.counts[HOSTS_DUE] });
  }

  async recount(crawl: CrawlId, ledgers: Pick<LedgerStore, 'hosts'>): Promise<void> {
    for (let attempt = 1; attempt <= RECOUNT_ATTEMPTS; attempt++)
      if (await this.#recountOnce(crawl, ledgers.hosts(crawl))) return;
    throw new Error(`the counters of ${crawl} are being changed: recount them when the crawl does not run`);
  }

  async countWaitingHosts(crawl: CrawlId): Promise<number | undefined> {
    const { counts } = await this.#options.counters.read(crawl);
    if ((counts.hosts ?? 0) > MAX_RECOUNTED) return undefined;
    return (await sumOfHeads(this.#hosts.all(crawl))).hostsWaiting ?? 0;
  }

  /** False if something was counted meanwhile. */
  async #recountOnce(crawl: CrawlId, hosts: AsyncIterable<{ readonly head: Head }>): Promise<boolean> {
    const { counters } = this.#options;
    const read = await counters.read(crawl);
    const sum = await sumOfHeads(hosts);
    return counters.replace(crawl, read, { ...sum, ...usageCountsIn(read.counts) });
  }

  async #isAnyDue(crawl: CrawlId): Promise<boolean> {
    const shards = allDueShards(crawl, this.#options.dueShards).map(async (shard) => {
      const found = queryIndex(this.#options, { index: DUE_INDEX, partition: [DUE_SHARD, shard], limit: 1 });
      return !(await found.next()).done;
    });
    return (await Promise.all(shards)).includes(true);
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

async function sumOfHeads(hosts: AsyncIterable<{ readonly head: Head }>): Promise<Counts> {
  let sum: Counts = {};
  for await (const { head } of hosts) sum = sumOfCounts(sum, changedCounts(undefined, head));
  return sum;
}

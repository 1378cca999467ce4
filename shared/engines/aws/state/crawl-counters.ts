/**
 * The sums over a crawl's heads, kept in a few counter items, so that a query of them reads no head; and with them the
 * crawl's use of AWS, so that noting it costs no further call.
 */
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { coalesced } from '../../coalesced.ts';
import type { Meter } from '../cost/meter.ts';
import { costOf, priceOf, type Usage } from '../cost/prices.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { type Condition, deleteOf, putOf, updateItem } from '../table/table.ts';
import { transact } from '../table/transact.ts';
import { type Addition, Additions } from './additions.ts';
import { type Counts, sumOfCounts, usageCounts } from './head-counts.ts';
import { STACK_USAGE, type StateTable, TOTALS_PREFIX, TOTALS_SHARDS } from './tables.ts';

const COUNT_PREFIX = 'n.';
/** US dollars: two writes. */
const LEAST_OWN_COST = 0.000_001_25;
/** Prices of all regions are about equal. */
const PRICES = priceOf('us-east-1');
/** The addition is not the one that the counters have seen last. */
const IS_ANOTHER = 'attribute_exists(pk) AND (attribute_not_exists(lastAdd) OR lastAdd <> :id)';
const IS_NEW_OR_ANOTHER = 'attribute_not_exists(lastAdd) OR lastAdd <> :id';

export interface CrawlCounters {
  /**
   * Adds the differences (perhaps none: then only the time is noted); resolves when they are stored, or when
   * that failed: then they are added with the next ones. Calls at the same time share one update. Not part of
   * any head's write: a process that ends between head and counter loses the difference (see `recount` of the
   * registry).
   */
  add(crawl: CrawlId, counts: Counts): Promise<void>;
  /**
   * Adds what the meter has gathered for any crawl and no difference has taken along: for the end of an
   * invocation. What this itself uses, the next one adds. Begins nothing from `until` on; the rest is for the next
   * time, as is what fails. What is worth less than a write of its own is added to the usage of the stack.
   */
  flush(until?: number): Promise<void>;
  /** The sums, read consistently. */
  read(crawl: CrawlId): Promise<ReadCounts>;
  /**
   * Replaces the sums that were read by exact ones. Returns false, and replaces nothing, if something was added
   * meanwhile.
   */
  replace(crawl: CrawlId, read: ReadCounts, counts: Counts): Promise<boolean>;
}

export interface ReadCounts {
  readonly counts: Counts;
  /** When `add` last added something. */
  readonly lastAt: number;
  /** The sums are those of a `replace`, and nothing has been added since. */
  readonly isExact: boolean;
  /** The items that hold them. */
  readonly shards: readonly Item[];
}

export interface CrawlCountersOptions extends StateTable {
  readonly sizes?: Sizes;
  /** Its usage is added to the crawls' counts. */
  readonly meter?: Meter;
  /**
   * Whether there is such a crawl. Usage creates no counters for one that is not there, or was deleted. Default: all
   * are there.
   */
  readonly exists?: (crawl: CrawlId) => Promise<boolean>;
  /** Called with differences that could not be stored yet, and those that never can. */
  readonly warn?: (message: string) => void;
}

export function createCrawlCounters(options: CrawlCountersOptions): CrawlCounters {
  return new TotalsCounters(options);
}

class TotalsCounters implements CrawlCounters {
  readonly #options: CrawlCountersOptions;
  /** A process keeps to one shard: then the last addition to it is most often the process's own. */
  readonly #ownShard: string;
  readonly #additions: Additions;
  /** Usage that the meter reported and that is not among the additions yet. */
  readonly #usage = new Map<CrawlId, Usage>();
  /** The time from which on a run begins nothing. */
  #until = Number.POSITIVE_INFINITY;
  /** Stores the gathered counts. Calls at the same time share one run. */
  readonly #send = coalesced(() => this.#additions.store(() => this.#until));

  constructor(options: CrawlCountersOptions) {
    const { clock, meter, warn } = options;
    this.#options = options;
    this.#ownShard = `${TOTALS_PREFIX}${Math.floor(clock.random() * TOTALS_SHARDS)}`;
    this.#additions = new Additions({
      clock,
      maxCounts: sizesOf(options).maxCountsInUpdate,
      takeUsage: (crawl) => this.#usageOf(crawl),
      store: (addition) => {
        const store = () => this.#store(addition);
        return meter ? meter.run(addition.crawl, store) : store();
      },
      warn,
    });
  }

  async add(crawl: CrawlId, counts: Counts): Promise<void> {
    this.#additions.gather(crawl, counts, false);
    await this.#send();
  }

  async flush(until = Number.POSITIVE_INFINITY): Promise<void> {
    this.#takeUsage();
    for (const [crawl, usage] of [...this.#usage]) {
      // The last addition to that of the stack has used something, which goes along with the next one.
      if (crawl === STACK_USAGE) continue;
      const isOwn = this.#additions.has(crawl) || costOf(usage, PRICES).total >= LEAST_OWN_COST;
      this.#additions.gather(isOwn ? crawl : STACK_USAGE, isOwn ? {} : this.#usageOf(crawl), true);
    }
    this.#until = until;
    try {
      await this.#send();
    } finally {
      this.#until = Number.POSITIVE_INFINITY;
    }
  }

  async read(crawl: CrawlId): Promise<ReadCounts> {
    const shards = await this.#readShards(crawl);
    const lastAt = Math.max(0, ...shards.map(({ lastAt }) => Number(lastAt?.N ?? 0)));
    return {
      counts: shards.map(countsIn).reduce(sumOfCounts, {}),
      lastAt,
      isExact: shards.some(({ exactAt }) => exactAt !== undefined && Number(exactAt.N) === lastAt),
      shards,
    };
  }

  async replace(crawl: CrawlId, { shards, lastAt }: ReadCounts, counts: Counts): Promise<boolean> {
    const [first = '', ...others] = Array.from(
      { length: TOTALS_SHARDS },
      (_, shard) => `${TOTALS_PREFIX}${shard}`,
    );
    const shardAt = (name: string) => shards.find(({ sk }) => sk?.S === name);
    const sums = Object.entries(counts).map(([name, count]) => [COUNT_PREFIX + name, N(count)]);
    const id = S(this.#options.clock.uuid());
    const item = {
      ...itemKey(crawl, first),
      lastAdd: id,
      lastAt: N(lastAt),
      exactAt: N(lastAt),
      ...Object.fromEntries(sums),
    };
    const isOurs = ({ lastAdd }: Item) => lastAdd?.S === id.S;
    return transact(this.#options, [
      putOf(this.#options, item, { ...unchanged(shardAt(first)), isOurs }),
      // Including counters that do not exist yet: another process may make its first addition just now.
      ...others.map((name) => deleteOf(this.#options, itemKey(crawl, name), unchanged(shardAt(name)))),
    ]);
  }

  #takeUsage(): void {
    for (const [crawl, used] of this.#options.meter?.take() ?? [])
      this.#usage.set(crawl, sumOfCounts(this.#usage.get(crawl) ?? {}, used));
  }

  /** Takes what the crawl has used up to now, to be added. */
  #usageOf(crawl: CrawlId): Counts {
    this.#takeUsage();
    const used = this.#usage.get(crawl) ?? {};
    this.#usage.delete(crawl);
    return usageCounts(used);
  }

  /** A repeated update would count twice: it is refused while it is the last that its shard has seen. */
  async #store(addition: Addition): Promise<void> {
    const { exists } = this.#options;
    const { crawl, counts, isUsageOnly } = addition;
    if (!isUsageOnly || crawl === STACK_USAGE || exists === undefined)
      await this.#update(addition, IS_NEW_OR_ANOTHER);
    else if (await this.#update(addition, IS_ANOTHER)) return;
    // A turn has committed something for any other addition, so the crawl is there.
    else if (await exists(crawl)) await this.#update(addition, IS_NEW_OR_ANOTHER);
    // It was deleted: its deletion has used something, too.
    else this.#additions.gather(STACK_USAGE, counts, true);
  }

  /** Returns false if the counters are not there, and the condition wants them to be. */
  async #update({ id, crawl, counts, isUsageOnly }: Addition, condition: string): Promise<boolean> {
    const sums: string[] = [];
    const names: Record<string, string> = {};
    const values: Item = { id: S(id), now: N(this.#options.clock.now()) };
    for (const name in counts) {
      const i = sums.length;
      sums.push(`#${i} :${i}`);
      names[i] = COUNT_PREFIX + name;
      values[i] = N(counts[name] as number);
    }
    const { isWritten, found } = await updateItem(this.#options, itemKey(crawl, this.#ownShard), {
      update: `SET lastAdd = :id${isUsageOnly ? '' : ', lastAt = :now'}${sums.length > 0 ? ' ADD ' : ''}${sums.join(', ')}`,
      condition,
      names,
      values,
    });
    return isWritten || found !== undefined;
  }

  async #readShards(crawl: CrawlId): Promise<Item[]> {
    const shards: Item[] = [];
    const query = queryItems(this.#options, { partition: crawl, prefix: TOTALS_PREFIX });
    for await (const shard of query) shards.push(shard);
    return shards;
  }
}

/** The condition that nothing was added since the shard was read. */
function unchanged(shard: Item | undefined): Condition {
  if (shard === undefined) return { condition: 'attribute_not_exists(pk)' };
  if (shard.lastAdd === undefined) return { condition: 'attribute_not_exists(lastAdd)' };
  return { condition: 'lastAdd = :seen', values: { seen: shard.lastAdd } };
}

/** Returns the counts in a row of counters. */
export function countsIn(item: Readonly<Item>): Counts {
  const counts: Record<string, number> = {};
  for (const name in item)
    if (name.startsWith(COUNT_PREFIX)) counts[name.slice(COUNT_PREFIX.length)] = Number(item[name]?.N);
  return counts;
}

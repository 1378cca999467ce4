/**
 * The sums over a crawl's heads, kept in a few counter items, so that a query of them reads no head; and with them the
 * crawl's use of AWS, so that noting it costs no further call.
 */
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { coalesced } from '../../coalesced.ts';
import type { Meter } from '../cost/meter.ts';
import { costOf, priceOf, type Usage } from '../cost/prices.ts';
import { withRetry } from '../retry.ts';
import { type Addition, Additions } from './additions.ts';
import { type PagesContext, queryItems } from './dynamo-pages.ts';
import { type Counts, sumOfCounts, usageCounts } from './head-counts.ts';
import { type Item, itemKey, N, S, STACK_USAGE, TOTALS_PREFIX, TOTALS_SHARDS } from './tables.ts';
import { transact } from './transact.ts';

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

export interface CrawlCountersOptions extends PagesContext {
  readonly table: string;
  readonly clock: Clock;
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
    const { table, clock } = this.#options;
    const allShards = Array.from({ length: TOTALS_SHARDS }, (_, shard) => `${TOTALS_PREFIX}${shard}`);
    const [first = ''] = allShards;
    const sums = Object.entries(counts).map(([name, count]) => [COUNT_PREFIX + name, N(count)]);
    const isFirst = ({ sk }: Item) => sk?.S === first;
    const id = clock.uuid();
    const failed = await transact(this.#options, 'replacing totals', [
      {
        Put: {
          TableName: table,
          Item: {
            ...itemKey(crawl, first),
            lastAdd: S(id),
            lastAt: N(lastAt),
            exactAt: N(lastAt),
            ...Object.fromEntries(sums),
          },
          ...unchanged(shards.find(isFirst)),
        },
      },
      // Including counters that do not exist yet: another process may make its first addition just now.
      ...allShards.slice(1).map((sk) => ({
        Delete: {
          TableName: table,
          Key: itemKey(crawl, sk),
          ...unchanged(shards.find((shard) => shard.sk?.S === sk)),
        },
      })),
    ]);
    // Replaced by this very call, whose answer was lost?
    return failed === undefined || (await this.#readShards(crawl)).find(isFirst)?.lastAdd?.S === id;
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
    const { dynamo, table, clock } = this.#options;
    const sums: string[] = [];
    const names: Record<string, string> = {};
    const values: Item = { ':id': S(id) };
    if (!isUsageOnly) values[':now'] = N(clock.now());
    for (const name in counts) {
      const i = sums.length;
      sums.push(`#${i} :${i}`);
      names[`#${i}`] = COUNT_PREFIX + name;
      values[`:${i}`] = N(counts[name] as number);
    }
    const command = new UpdateItemCommand({
      TableName: table,
      Key: itemKey(crawl, this.#ownShard),
      UpdateExpression: `SET lastAdd = :id${isUsageOnly ? '' : ', lastAt = :now'}${sums.length > 0 ? ' ADD ' : ''}${sums.join(', ')}`,
      ConditionExpression: condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...(sums.length > 0 && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: values,
    });
    try {
      await withRetry('adding to totals', () => dynamo.send(command), { clock });
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item !== undefined;
    }
  }

  async #readShards(crawl: CrawlId): Promise<Item[]> {
    const { dynamo, table, clock } = this.#options;
    const shards: Item[] = [];
    const query = queryItems(
      { dynamo, clock },
      {
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :totals)',
        ExpressionAttributeValues: { ':pk': S(crawl), ':totals': S(TOTALS_PREFIX) },
        ConsistentRead: true,
      },
    );
    for await (const shard of query) shards.push(shard);
    return shards;
  }
}

/** The condition that nothing was added since the shard was read. */
function unchanged(shard: Item | undefined) {
  if (shard === undefined) return { ConditionExpression: 'attribute_not_exists(pk)' };
  if (shard.lastAdd === undefined) return { ConditionExpression: 'attribute_not_exists(lastAdd)' };
  return { ConditionExpression: 'lastAdd = :seen', ExpressionAttributeValues: { ':seen': shard.lastAdd } };
}

/** Returns the counts in a row of counters. */
export function countsIn(item: Readonly<Item>): Counts {
  const counts: Record<string, number> = {};
  for (const name in item)
    if (name.startsWith(COUNT_PREFIX)) counts[name.slice(COUNT_PREFIX.length)] = Number(item[name]?.N);
  return counts;
}

/**
 * The sums over a crawl's heads, kept in a few counter items, so that to ask for them reads no head; and with
 * them what the crawl has used of AWS, so that to note it costs no further call.
 */
import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import { messageOf } from '../../../error-message.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type Sizes, sizesOf } from '../../../sizes.ts';
import { coalesced } from '../../coalesced.ts';
import type { Meter } from '../cost/meter.ts';
import { withRetry } from '../retry.ts';
import { type PagesContext, queryItems } from './dynamo-pages.ts';
import { type Counts, sumOfCounts, usageCounts } from './head-counts.ts';
import { type Item, itemKey, N, S, TOTALS_PREFIX, TOTALS_SHARDS } from './tables.ts';
import { transact } from './transact.ts';

const COUNT_PREFIX = 'n.';
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
   * invocation. What this itself uses, the next one adds. Resolves as `add` does.
   */
  flush(): Promise<void>;
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

interface Addition {
  readonly id: string;
  readonly crawl: CrawlId;
  readonly counts: Counts;
  /** Nothing happened in the crawl: only its usage is added. */
  readonly isUsageOnly: boolean;
}

export function createCrawlCounters(options: CrawlCountersOptions): CrawlCounters {
  return new TotalsCounters(options);
}

class TotalsCounters implements CrawlCounters {
  readonly #options: CrawlCountersOptions;
  /** A process keeps to one shard: then the last addition to it is most often the process's own. */
  readonly #ownShard: string;
  #gathered = new Map<CrawlId, Counts>();
  /** Crawls of which more is gathered than their usage. */
  #changed = new Set<CrawlId>();
  /** Usage that the meter reported and that is not among the additions yet. */
  readonly #usage = new Map<CrawlId, Counts>();
  #additions: Addition[] = [];
  /** Stores what was gathered. Calls at the same time share one run. */
  readonly #send = coalesced(() => this.#storeAll());

  constructor(options: CrawlCountersOptions) {
    this.#options = options;
    this.#ownShard = `${TOTALS_PREFIX}${Math.floor(options.clock.random() * TOTALS_SHARDS)}`;
  }

  async add(crawl: CrawlId, counts: Counts): Promise<void> {
    this.#gathered.set(crawl, sumOfCounts(this.#gathered.get(crawl) ?? {}, counts));
    this.#changed.add(crawl);
    await this.#send();
    // The run may have been one that caught up with a failed one's.
    if (this.#additions.length === 0 && this.#gathered.has(crawl)) await this.#send();
  }

  async flush(): Promise<void> {
    this.#takeUsage();
    for (const crawl of this.#usage.keys()) this.#gathered.set(crawl, this.#gathered.get(crawl) ?? {});
    await this.#send();
    if (this.#additions.length === 0 && this.#gathered.size > 0) await this.#send();
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
      // Those that are not there yet, too: another process may make its first addition just now.
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
      this.#usage.set(crawl, sumOfCounts(this.#usage.get(crawl) ?? {}, usageCounts(used)));
  }

  /** A crawl's usage goes along when the crawl is written to in any case. */
  #takeGathered(): Addition[] {
    this.#takeUsage();
    const { clock } = this.#options;
    const maxCounts = sizesOf(this.#options).maxCountsInUpdate;
    const next = [...this.#gathered].flatMap(([crawl, counts]) => {
      const used = this.#usage.get(crawl) ?? {};
      this.#usage.delete(crawl);
      const isUsageOnly = !this.#changed.has(crawl);
      return partsOf(sumOfCounts(counts, used), maxCounts).map(
        (counts): Addition => ({ id: clock.uuid(), crawl, counts, isUsageOnly }),
      );
    });
    this.#gathered = new Map();
    this.#changed = new Set();
    return next;
  }

  async #storeAll(): Promise<void> {
    const { meter, warn } = this.#options;
    // Those of a failed run first, and alone: so there are never more than two runs' worth.
    if (this.#additions.length === 0) this.#additions = this.#takeGathered();
    try {
      for (let first = this.#additions[0]; first; first = this.#additions[0]) {
        const addition = first;
        const store = () => this.#store(addition);
        try {
          await (meter ? meter.run(addition.crawl, store) : store());
        } catch (error) {
          if (!isInvalid(error)) throw error;
          // It would fail for ever, and all others wait behind it.
          warn?.(`totals of ${addition.crawl}: an addition is refused, and left out: ${messageOf(error)}`);
        }
        this.#additions.shift();
      }
    } catch (error) {
      warn?.(`totals of ${this.#additions[0]?.crawl} are behind: ${messageOf(error)}`);
    }
  }

  /** A repeated update would count twice: it is refused while it is the last that its shard has seen. */
  async #store(addition: Addition): Promise<void> {
    const { exists } = this.#options;
    if (!addition.isUsageOnly || exists === undefined) await this.#update(addition, IS_NEW_OR_ANOTHER);
    else if (await this.#update(addition, IS_ANOTHER)) return;
    // A turn has committed something for any other addition, so the crawl is there.
    else if (await exists(addition.crawl)) await this.#update(addition, IS_NEW_OR_ANOTHER);
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

/** Whether DynamoDB will refuse the request at each try (DynamoDB developer guide, "Error handling"). */
const isInvalid = (error: unknown): boolean =>
  error instanceof Error && ['ValidationException', 'SerializationException'].includes(error.name);

/** The condition that nothing was added since the shard was read. */
function unchanged(shard: Item | undefined) {
  if (shard === undefined) return { ConditionExpression: 'attribute_not_exists(pk)' };
  if (shard.lastAdd === undefined) return { ConditionExpression: 'attribute_not_exists(lastAdd)' };
  return { ConditionExpression: 'lastAdd = :seen', ExpressionAttributeValues: { ':seen': shard.lastAdd } };
}

/** Splits counts into parts of at most `maxCounts`; one empty part for none. */
function partsOf(counts: Counts, maxCounts: number): Counts[] {
  const entries = Object.entries(counts);
  return Array.from({ length: Math.max(1, Math.ceil(entries.length / maxCounts)) }, (_, i) =>
    Object.fromEntries(entries.slice(i * maxCounts, (i + 1) * maxCounts)),
  );
}

/** Returns the counts in a row of counters. */
export function countsIn(item: Readonly<Item>): Counts {
  const counts: Record<string, number> = {};
  for (const name in item)
    if (name.startsWith(COUNT_PREFIX)) counts[name.slice(COUNT_PREFIX.length)] = Number(item[name]?.N);
  return counts;
}

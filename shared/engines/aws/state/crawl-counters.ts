/**
 * The sums over a crawl's heads, kept in a few counter items, so that to ask for them reads no head; and with
 * them what the crawl has used of AWS, so that to note it costs no further call.
 */
import {
  ConditionalCheckFailedException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type Sizes, sizesOf } from '../../../sizes.ts';
import { coalesced } from '../../coalesced.ts';
import type { Meter } from '../cost/meter.ts';
import { withRetry } from '../retry.ts';
import { type PagesContext, queryItems } from './dynamo-pages.ts';
import { type Counts, sumOfCounts, usageCounts } from './head-counts.ts';
import { type Item, itemKey, N, S, TOTALS_PREFIX, TOTALS_SHARDS } from './tables.ts';

const COUNT_PREFIX = 'n.';

export interface CrawlCounters {
  /**
   * Adds the differences (perhaps none: then only the time is noted); resolves when they are stored, or when
   * that failed: then they are added with the next ones. Calls at the same time share one update. Not part of
   * any head's write: a process that ends between head and counter loses the difference, for good (see
   * `recount` of the registry).
   */
  add(crawl: CrawlId, counts: Counts): Promise<void>;
  /**
   * Adds what the meter has gathered for any crawl and no difference has taken along: for the end of an
   * invocation. What this itself uses, the next one adds. Resolves as `add` does.
   */
  flush(): Promise<void>;
  /** The sums, and when `add` last added something; read consistently. */
  read(crawl: CrawlId): Promise<{ counts: Counts; lastAt: number }>;
  /** Replaces the sums. What others add at the same time may be kept or lost. */
  replace(crawl: CrawlId, counts: Counts): Promise<void>;
}

export interface CrawlCountersOptions extends PagesContext {
  readonly table: string;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** Its usage is added to the crawls' counts. */
  readonly meter?: Meter;
  /** Called with differences that could not be stored yet. */
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
  const { dynamo, table, clock, meter, warn = () => {} } = options;
  const maxCounts = sizesOf(options).maxCountsInUpdate;
  /** A process keeps to one shard: then the last addition to it is most often the process's own. */
  const ownShard = `${TOTALS_PREFIX}${Math.floor(clock.random() * TOTALS_SHARDS)}`;
  let gathered = new Map<CrawlId, Counts>();
  /** Crawls of which more is gathered than their usage. */
  let changed = new Set<CrawlId>();
  /** What the meter gave and is not among the additions yet. */
  const usage = new Map<CrawlId, Counts>();
  let additions: Addition[] = [];

  function takeUsage(): void {
    for (const [crawl, used] of meter?.take() ?? [])
      usage.set(crawl, sumOfCounts(usage.get(crawl) ?? {}, usageCounts(used)));
  }

  /** A crawl's usage goes along when the crawl is written to in any case. */
  function takeGathered(): Addition[] {
    takeUsage();
    const next = [...gathered].flatMap(([crawl, counts]) => {
      const used = usage.get(crawl) ?? {};
      usage.delete(crawl);
      const isUsageOnly = !changed.has(crawl);
      return partsOf(sumOfCounts(counts, used), maxCounts).map(
        (counts): Addition => ({ id: clock.uuid(), crawl, counts, isUsageOnly }),
      );
    });
    gathered = new Map();
    changed = new Set();
    return next;
  }

  const send = coalesced(async () => {
    // Those of a failed run first, and alone: so there are never more than two runs' worth.
    if (additions.length === 0) additions = takeGathered();
    try {
      for (let first = additions[0]; first; first = additions[0]) {
        await payFor(first.crawl, () => store(first));
        additions.shift();
      }
    } catch (error) {
      warn(`totals of ${additions[0]?.crawl} are behind: ${(error as Error).message}`);
    }
  });

  const payFor = <T>(crawl: CrawlId, work: () => T): T => (meter ? meter.run(crawl, work) : work());

  /** A repeated update would count twice: it is refused while it is the last that its shard has seen. */
  async function store({ id, crawl, counts, isUsageOnly }: Addition): Promise<void> {
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
      Key: itemKey(crawl, ownShard),
      UpdateExpression: `SET lastAdd = :id${isUsageOnly ? '' : ', lastAt = :now'}${sums.length > 0 ? ' ADD ' : ''}${sums.join(', ')}`,
      ConditionExpression: 'attribute_not_exists(lastAdd) OR lastAdd <> :id',
      ...(sums.length > 0 && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: values,
    });
    try {
      await withRetry('adding to totals', () => dynamo.send(command), { clock });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async function readShards(crawl: CrawlId): Promise<Item[]> {
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

  return {
    async add(crawl, counts) {
      gathered.set(crawl, sumOfCounts(gathered.get(crawl) ?? {}, counts));
      changed.add(crawl);
      await send();
      // The run may have been one that caught up with a failed one's.
      if (additions.length === 0 && gathered.has(crawl)) await send();
    },

    async flush() {
      takeUsage();
      for (const crawl of usage.keys()) gathered.set(crawl, gathered.get(crawl) ?? {});
      await send();
      if (additions.length === 0 && gathered.size > 0) await send();
    },

    async read(crawl) {
      const shards = await readShards(crawl);
      return {
        counts: shards.map(countsIn).reduce(sumOfCounts, {}),
        lastAt: Math.max(0, ...shards.map(({ lastAt }) => Number(lastAt?.N ?? 0))),
      };
    },

    async replace(crawl, counts) {
      const first = `${TOTALS_PREFIX}0`;
      const sums = Object.entries(counts).map(([name, count]) => [COUNT_PREFIX + name, N(count)]);
      const others = (await readShards(crawl)).map(({ sk }) => sk?.S as string).filter((sk) => sk !== first);
      const command = new TransactWriteItemsCommand({
        TransactItems: [
          {
            Put: {
              TableName: table,
              Item: { ...itemKey(crawl, first), lastAt: N(clock.now()), ...Object.fromEntries(sums) },
            },
          },
          ...others.map((sk) => ({ Delete: { TableName: table, Key: itemKey(crawl, sk) } })),
        ],
      });
      await withRetry('replacing totals', () => dynamo.send(command), { clock });
    },
  };
}

/** Splits counts into parts of at most `maxCounts`; one empty part for none. */
function partsOf(counts: Counts, maxCounts: number): Counts[] {
  const entries = Object.entries(counts);
  return Array.from({ length: Math.max(1, Math.ceil(entries.length / maxCounts)) }, (_, i) =>
    Object.fromEntries(entries.slice(i * maxCounts, (i + 1) * maxCounts)),
  );
}

/** What a row of counters holds. */
export function countsIn(item: Readonly<Item>): Counts {
  const counts: Record<string, number> = {};
  for (const name in item)
    if (name.startsWith(COUNT_PREFIX)) counts[name.slice(COUNT_PREFIX.length)] = Number(item[name]?.N);
  return counts;
}

import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Head } from '../../../frontier/head.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { CrawlRecord, CrawlRegistry } from '../../../ports/crawl-registry.ts';
import type { LedgerStore } from '../../../ports/ledger-store.ts';
import type { Sizes } from '../../../sizes.ts';
import type { Meter } from '../cost/meter.ts';
import { costOf, priceOf } from '../cost/prices.ts';
import { retryWaitMs, withRetry } from '../retry.ts';
import { createCrawlCounters } from './crawl-counters.ts';
import { activeMsOf, createCrawlDecoder, encodeCrawl, type StoredCrawl } from './crawl-record.ts';
import { queryItems } from './dynamo-pages.ts';
import {
  type Counts,
  changedCounts,
  HOSTS_DUE,
  sumOfCounts,
  totalsOf,
  usageCountsIn,
} from './head-counts.ts';
import { createQuietNotes, idleFor, isDrained, isSettled, type SettleTimes } from './quiet.ts';
import {
  allDueShards,
  CRAWL,
  DIRECTORY,
  DUE_INDEX,
  dueShardsOf,
  itemKey,
  RUNNING,
  replacing,
  S,
  type StateNames,
} from './tables.ts';

export interface AwsCrawlRegistry extends CrawlRegistry {
  /** Call it for every head that is replaced. Never rejects. */
  onCommit(crawl: CrawlId, before: Head | undefined, after: Head): Promise<void>;
  /**
   * Sums up all heads of the crawl and rewrites its totals: for when a process ended between a head and its
   * counter, as that difference is lost otherwise. Exact while nothing is committed; of what is, some may be
   * counted twice or not at all. What the crawl has used of AWS is kept as it is. Scans the whole table.
   */
  recount(crawl: CrawlId, ledgers: Pick<LedgerStore, 'hosts'>): Promise<void>;
  /** Notes what the crawls have used since the last commits: for the end of an invocation. Never rejects. */
  flushUsage(): Promise<void>;
  /** The names of all crawls. */
  list(): Promise<CrawlId[]>;
  /**
   * Those that run, and perhaps some others: what must be done every minute for each crawl shall cost nothing
   * for those that ended long ago. A process that ends while it sets a crawl running may leave it out: look
   * at `list` now and then.
   */
  listRunning(): Promise<CrawlId[]>;
}

export interface RegistryOptions extends SettleTimes {
  readonly dynamo: DynamoDBClient;
  readonly names: Pick<StateNames, 'crawlState' | 'dueShards'>;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** Whether the queues hold any message or parcel, received ones too. */
  readonly hasMessages: () => Promise<boolean>;
  /** Whose list prices the cost is by. Default us-east-1. */
  readonly region?: string;
  /** Its usage becomes the crawls'. */
  readonly meter?: Meter;
  readonly warn?: (message: string) => void;
}

/** Rounds of a change that others' changes come before. */
const CHANGE_ATTEMPTS = 20;

/**
 * Crawls in CrawlState. A change reads the record and writes it under the condition that nobody else did
 * meanwhile, as often as it takes. Totals are sums kept up with each commit (`onCommit`), exact but for what
 * ended processes have lost: `recount`. As queue counts and index lag, a crawl is quiet when it had nothing
 * to do at two looks, `settleMs` or more apart, and none between them found something, no head was committed
 * and nobody changed the crawl; the looks may be those of different processes (`quiet.ts`). A crawl's active
 * time is the time that its status was `running`.
 */
export function createRegistry(options: RegistryOptions): AwsCrawlRegistry {
  const { dynamo, names, clock, hasMessages, meter, warn } = options;
  const prices = priceOf(options.region ?? 'us-east-1');
  const table = names.crawlState;
  const dueShards = dueShardsOf(names);
  const context = { dynamo, clock };
  const decode = createCrawlDecoder();
  const quiet = createQuietNotes({ dynamo, table, clock });
  const counters = createCrawlCounters({ dynamo, table, clock, sizes: options.sizes, meter, warn });

  async function load(crawl: CrawlId): Promise<StoredCrawl | undefined> {
    const command = new GetItemCommand({
      TableName: table,
      Key: itemKey(crawl, CRAWL),
      ConsistentRead: true,
    });
    const { Item } = await withRetry('loading a crawl', () => dynamo.send(command), { clock });
    return Item && decode(crawl, Item);
  }

  /** Writes the crawl over its last version. False if another has written meanwhile. */
  async function put(crawl: CrawlId, next: StoredCrawl): Promise<boolean> {
    const nonce = clock.uuid();
    const command = new PutItemCommand({
      TableName: table,
      Item: { ...itemKey(crawl, CRAWL), ...encodeCrawl(next), nonce: S(nonce) },
      ...replacing(next.version - 1),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await withRetry('storing a crawl', () => dynamo.send(command), { clock });
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Written by this very call, whose answer was lost?
      return error.Item?.nonce?.S === nonce;
    }
  }

  async function change(crawl: CrawlId, changes: (stored: StoredCrawl) => StoredCrawl): Promise<void> {
    // A caller that changes a crawl may send it work next, which a look at the queues need not show at once.
    await quiet.noteBusy(crawl);
    for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
      const stored = await load(crawl);
      if (!stored) throw new Error(`there is no crawl ${crawl}`);
      const changed = changes(stored);
      if (changed === stored) return;
      if (await put(crawl, { ...changed, version: stored.version + 1 })) return;
      await clock.sleep(retryWaitMs(Math.min(attempt, 4), clock.random()));
    }
    throw new Error(`the crawl ${crawl} is being changed by too many at once`);
  }

  const changeRecord = (crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord) =>
    change(crawl, (stored) => {
      const record = changes(stored.record);
      return record === stored.record ? stored : { ...stored, record };
    });

  async function isAnyDue(crawl: CrawlId): Promise<boolean> {
    const shards = allDueShards(crawl, dueShards).map(async (shard) => {
      const found = queryItems(context, {
        TableName: table,
        IndexName: DUE_INDEX,
        KeyConditionExpression: 'dueShard = :shard',
        ExpressionAttributeValues: { ':shard': S(shard) },
        Limit: 1,
      });
      return !(await found.next()).done;
    });
    return (await Promise.all(shards)).includes(true);
  }

  async function enter(directory: string, crawl: CrawlId): Promise<void> {
    const command = new PutItemCommand({ TableName: table, Item: itemKey(directory, crawl) });
    await withRetry('entering a crawl into a directory', () => dynamo.send(command), { clock });
  }

  async function strike(directory: string, crawl: CrawlId): Promise<void> {
    const command = new DeleteItemCommand({ TableName: table, Key: itemKey(directory, crawl) });
    await withRetry('striking a crawl out of a directory', () => dynamo.send(command), { clock });
  }

  async function entriesOf(directory: string): Promise<CrawlId[]> {
    const found: CrawlId[] = [];
    const entries = queryItems(context, {
      TableName: table,
      KeyConditionExpression: 'pk = :directory',
      ExpressionAttributeValues: { ':directory': S(directory) },
      ConsistentRead: true,
    });
    for await (const { sk } of entries) found.push(sk?.S as string);
    return found;
  }

  return {
    isShared: true,
    async load(crawl) {
      return (await load(crawl))?.record;
    },

    async create(crawl, record) {
      // The directories first: a name there without a crawl does no harm.
      await enter(DIRECTORY, crawl);
      if (record.status === 'running') await enter(RUNNING, crawl);
      const runningSince = record.status === 'running' ? clock.now() : undefined;
      if (!(await put(crawl, { record, version: 1, activeMs: 0, runningSince })))
        throw new Error(`there is a crawl ${crawl} already`);
    },

    async setStatus(crawl, status, reason, condition) {
      let isSet = false;
      const isRunning = status === 'running';
      if (isRunning) await enter(RUNNING, crawl);
      await change(crawl, (stored) => {
        isSet = condition?.from.includes(stored.record.status) ?? true;
        if (!isSet) return stored;
        const now = clock.now();
        return {
          ...stored,
          record: { ...stored.record, status, reason },
          activeMs: activeMsOf(stored, now),
          runningSince: isRunning ? now : undefined,
        };
      });
      // Another process that sets a status at the same time may delete it between our two writes, or we what
      // they entered: so the one enters it again, and the other looks again.
      if (isSet && isRunning) await enter(RUNNING, crawl);
      else if (isSet) {
        await strike(RUNNING, crawl);
        if ((await load(crawl))?.record.status === 'running') await enter(RUNNING, crawl);
      }
      return isSet;
    },

    async configure(crawl, changes) {
      await changeRecord(crawl, (record) => ({ ...record, config: { ...record.config, ...changes } }));
    },

    async addScopeSeeds(crawl, urls) {
      await changeRecord(crawl, (record) => {
        const scopeSeeds = [...new Set([...record.scopeSeeds, ...urls])];
        return scopeSeeds.length === record.scopeSeeds.length ? record : { ...record, scopeSeeds };
      });
    },

    async totals(crawl) {
      const [stored, { counts }] = await Promise.all([load(crawl), counters.read(crawl)]);
      const totals = totalsOf(counts);
      return {
        ...totals,
        activeMs: stored ? activeMsOf(stored, clock.now()) : 0,
        ...(totals.usage && { cost: costOf(totals.usage, prices).total }),
      };
    },

    async isQuiet(crawl, requisitesOnly) {
      if (requisitesOnly) {
        const { counts, lastAt } = await counters.read(crawl);
        return isDrained(counts, idleFor(lastAt, clock.now()), options);
      }
      const isRunning = (await load(crawl))?.record.status === 'running';
      if (isRunning && (await isAnyDue(crawl))) {
        await quiet.noteBusy(crawl);
        return false;
      }
      const times = await quiet.noteIdle(crawl, await hasMessages());
      const { counts, lastAt } = await counters.read(crawl);
      return isSettled({ ...times, lastAt, hostsDue: counts[HOSTS_DUE] }, clock.now(), options);
    },

    onCommit: (crawl, before, after) => counters.add(crawl, changedCounts(before, after)),

    async recount(crawl, ledgers) {
      let sum: Counts = {};
      for await (const { head } of ledgers.hosts(crawl))
        sum = sumOfCounts(sum, changedCounts(undefined, head));
      const { counts } = await counters.read(crawl);
      await counters.replace(crawl, { ...sum, ...usageCountsIn(counts) });
    },

    flushUsage: counters.flush,

    list: () => entriesOf(DIRECTORY),
    listRunning: () => entriesOf(RUNNING),
  };
}

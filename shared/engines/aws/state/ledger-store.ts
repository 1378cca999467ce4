import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Head } from '../../../frontier/head.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LedgerStore } from '../../../ports/ledger-store.ts';
import { StaleTurn } from '../../../ports/stale-turn.ts';
import { type Sizes, sizesOf } from '../../../sizes.ts';
import type { HostKey } from '../../../url/host-key.ts';
import { withRetry } from '../retry.ts';
import { getItems } from './dynamo-batch.ts';
import { queryItems, scanItems } from './dynamo-pages.ts';
import { entryOf, type HostPage, headIn, headScan, hostPage } from './host-page.ts';
import { createPartStore } from './part-store.ts';
import {
  allDueShards,
  DUE_INDEX,
  dueShardOf,
  dueShardsOf,
  HEAD,
  hostPartition,
  type Item,
  indexedDueAt,
  indexedUntil,
  itemKey,
  N,
  replacing,
  S,
  type StateNames,
} from './tables.ts';

export interface LedgerStoreOptions {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly names: StateNames;
  readonly clock: Clock;
  readonly sizes?: Sizes;
  /** Called for each head that was replaced, before `commit` resolves. What it throws, `commit` throws. */
  readonly onCommit?: (crawl: CrawlId, before: Head | undefined, after: Head) => Promise<void>;
}

export interface AwsLedgerStore extends LedgerStore {
  /**
   * Like `hosts`, page by page, for those who cannot hold out till the end: from the beginning without a
   * cursor, on from there with the cursor that the page before gave. At most `limit` hosts, and perhaps fewer
   * or none, as a call looks at some thousands of items at most; the last page has no cursor. Throws for a
   * cursor that no page gave.
   */
  hostPage(crawl: CrawlId, cursor: string | undefined, limit: number): Promise<HostPage>;
}

/**
 * Heads in CrawlState, parts in UrlSeen and S3. A commit is one conditional PutItem, and the head that it
 * replaces comes with the answer. If the condition fails while the stored head is the very one that was to be
 * written, then it was, and only the answer was lost: that is success.
 *
 * `hosts` scans the whole table, other crawls' items too: it is for asking, resuming and counting, not for
 * crawling. `dueHosts` gives an order that is exact among hosts due within the same 15 s while they are some
 * hundreds, and lags behind the commits as the index does, mostly by less than a second; each host it gives
 * is read consistently.
 */
export function createLedgerStore(options: LedgerStoreOptions): AwsLedgerStore {
  const { dynamo, s3, names, clock, onCommit } = options;
  const { maxLoadedHeads, dueSlack, maxRowBytes } = sizesOf(options);
  const table = names.crawlState;
  const dueShards = dueShardsOf(names);
  const context = { dynamo, clock };
  const loaded = new Map<string, Head>();

  /** The head that the host had at that version, if it was loaded here. */
  function takeLoaded(partition: string, version: number): Head | undefined {
    const head = loaded.get(partition);
    loaded.delete(partition);
    return head?.version === version ? head : undefined;
  }

  async function putHead(crawl: CrawlId, host: HostKey, next: Head): Promise<Head | undefined> {
    const text = JSON.stringify(next);
    const partition = hostPartition(crawl, host);
    const isFirst = next.version === 1;
    const command = new PutItemCommand({
      TableName: table,
      Item: {
        ...itemKey(partition, HEAD),
        version: N(next.version),
        head: S(text),
        ...(next.dueAt !== undefined && {
          dueShard: S(dueShardOf(crawl, host, dueShards)),
          dueAt: N(indexedDueAt(next.dueAt, clock.now())),
        }),
      },
      ...replacing(next.version - 1),
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const atHand = takeLoaded(partition, next.version - 1);
    try {
      const { Attributes } = await withRetry('committing a head', () => dynamo.send(command), { clock });
      return Attributes && headIn(Attributes);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Where the replaced head is not at hand, the difference is not known: then there is none.
      if (error.Item?.head?.S === text) return isFirst ? undefined : (atHand ?? next);
      const stored = error.Item?.version?.N ?? 'none';
      throw new StaleTurn(
        `${host} is at version ${stored}, not ${next.version - 1}: another turn went first`,
        {
          cause: error,
        },
      );
    }
  }

  async function indexedHosts(
    shard: string,
    condition: '<=' | '>',
    time: number,
    limit: number,
  ): Promise<Item[]> {
    const found: Item[] = [];
    const query = queryItems(context, {
      TableName: table,
      IndexName: DUE_INDEX,
      KeyConditionExpression: `dueShard = :shard AND dueAt ${condition} :time`,
      ExpressionAttributeValues: { ':shard': S(shard), ':time': N(time) },
      Limit: limit,
    });
    for await (const item of query) if (found.push(item) >= limit) break;
    return found;
  }

  return {
    ...createPartStore({ dynamo, s3, names, clock, maxRowBytes }),

    async loadHead(crawl, host) {
      const partition = hostPartition(crawl, host);
      const command = new GetItemCommand({
        TableName: table,
        Key: itemKey(partition, HEAD),
        ConsistentRead: true,
      });
      const { Item } = await withRetry('loading a head', () => dynamo.send(command), { clock });
      if (!Item) return undefined;
      const head = headIn(Item);
      loaded.delete(partition);
      loaded.set(partition, head);
      if (loaded.size > maxLoadedHeads) loaded.delete(loaded.keys().next().value as string);
      return head;
    },

    async commit(crawl, host, next) {
      const before = await putHead(crawl, host, next);
      await onCommit?.(crawl, before, next);
    },

    async *hosts(crawl) {
      for await (const item of scanItems(context, headScan(table, crawl))) yield entryOf(item);
    },

    hostPage: (crawl, cursor, limit) =>
      hostPage({ ...context, sizes: options.sizes }, headScan(table, crawl), cursor, limit),

    async dueHosts(crawl, now, limit, farAfter = Infinity) {
      const most = limit + dueSlack;
      const shards = allDueShards(crawl, dueShards);
      const found = await Promise.all([
        ...shards.map((shard) => indexedHosts(shard, '<=', indexedUntil(now), most)),
        ...(farAfter < Infinity ? shards.map((shard) => indexedHosts(shard, '>', farAfter, most)) : []),
      ]);
      // One that is due within the index's step after `farAfter` is found twice.
      const unique = new Map(found.flat().map((item) => [item.pk?.S, item]));
      const first = [...unique.values()]
        .sort((a, b) => Number(a.dueAt?.N) - Number(b.dueAt?.N))
        .slice(0, most);
      const keys = first.map(({ pk }) => itemKey(pk?.S as string, HEAD));
      return (await getItems(context, table, keys))
        .map(entryOf)
        .filter(({ head: { dueAt } }) => dueAt !== undefined && (dueAt <= now || dueAt > farAfter))
        .sort((a, b) => (a.head.dueAt as number) - (b.head.dueAt as number))
        .slice(0, limit)
        .map(({ host, head: { version } }) => ({ host, version }));
    },
  };
}

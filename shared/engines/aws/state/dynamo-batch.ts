/**
 * DynamoDB's batch calls, whose entries fail one by one: unprocessed entries are sent again, with jitter.
 */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { RETRY_ATTEMPTS, retryWaitMs, withRetry } from '../retry.ts';
import type { Item } from './tables.ts';

/** Limits of the two calls (API reference of BatchGetItem and BatchWriteItem). */
const MAX_KEYS = 100;
const MAX_WRITES = 25;

export interface BatchContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
}

/** The items of those keys that are there, in any order; read consistently. The keys are distinct. */
export async function getItems(context: BatchContext, table: string, keys: readonly Item[]): Promise<Item[]> {
  const items: Item[] = [];
  await inBatches(
    context,
    { what: `reading ${table}`, entries: keys, maxEntries: MAX_KEYS },
    async (batch) => {
      const { Responses, UnprocessedKeys } = await context.dynamo.send(
        new BatchGetItemCommand({ RequestItems: { [table]: { Keys: batch, ConsistentRead: true } } }),
      );
      items.push(...(Responses?.[table] ?? []));
      return UnprocessedKeys?.[table]?.Keys ?? [];
    },
  );
  return items;
}

/** Puts and deletes, without conditions and in any order. The keys are distinct. */
export async function writeItems(
  context: BatchContext,
  table: string,
  requests: readonly WriteRequest[],
): Promise<void> {
  await inBatches(
    context,
    { what: `writing ${table}`, entries: requests, maxEntries: MAX_WRITES },
    async (batch) => {
      const { UnprocessedItems } = await context.dynamo.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: batch } }),
      );
      return UnprocessedItems?.[table] ?? [];
    },
  );
}

export interface Batches<T> {
  /** For errors: `writing CrawlState`. */
  readonly what: string;
  readonly entries: readonly T[];
  /** The maximal number of items in one call. */
  readonly maxEntries: number;
}

/** Calls `send` until it leaves nothing over. Gives up after some calls in a row that did nothing at all. */
export async function inBatches<T>(
  { clock }: Pick<BatchContext, 'clock'>,
  { what, entries, maxEntries }: Batches<T>,
  send: (batch: T[]) => Promise<T[]>,
): Promise<void> {
  let left = [...entries];
  for (let attempt = 1; left.length > 0; ) {
    const batch = left.slice(0, maxEntries);
    const over = await withRetry(what, () => send(batch), { clock });
    left = [...over, ...left.slice(batch.length)];
    if (over.length === 0) continue;
    attempt = over.length < batch.length ? 1 : attempt + 1;
    if (attempt > RETRY_ATTEMPTS) throw new Error(`${what}: ${left.length} entries were never processed`);
    await clock.sleep(retryWaitMs(attempt, clock.random()));
  }
}

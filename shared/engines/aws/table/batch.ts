/**
 * DynamoDB's batch calls, whose entries fail one by one: unprocessed entries are sent again, with jitter.
 */
import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { RETRY_ATTEMPTS, retryWaitMs, withRetry } from '../retry.ts';
import type { Item } from './item.ts';
import type { Table } from './table.ts';

/** Limits of the two calls (API reference of BatchGetItem and BatchWriteItem). */
const MAX_KEYS = 100;
const MAX_WRITES = 25;

/** The items of those keys that are there, in any order; read consistently. The keys are distinct. */
export async function getItems(table: Table, keys: readonly Item[]): Promise<Item[]> {
  const { dynamo, table: name } = table;
  const items: Item[] = [];
  await inBatches(table, { what: `reading ${name}`, entries: keys, maxEntries: MAX_KEYS }, async (batch) => {
    const { Responses, UnprocessedKeys } = await dynamo.send(
      new BatchGetItemCommand({ RequestItems: { [name]: { Keys: batch, ConsistentRead: true } } }),
    );
    items.push(...(Responses?.[name] ?? []));
    return UnprocessedKeys?.[name]?.Keys ?? [];
  });
  return items;
}

/** In any order. The keys are distinct. */
export const putItems = (table: Table, items: readonly Item[]): Promise<void> =>
  writeItems(
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  );

/** In any order. The keys are distinct. */
export const deleteItems = (table: Table, keys: readonly Item[]): Promise<void> =>
  writeItems(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );

const writeItems = (table: Table, entries: readonly WriteRequest[]): Promise<void> => {
  const { dynamo, table: name } = table;
  const batches = { what: `writing ${name}`, entries, maxEntries: MAX_WRITES };
  return inBatches(table, batches, async (batch) => {
    const command = new BatchWriteItemCommand({ RequestItems: { [name]: batch } });
    return (await dynamo.send(command)).UnprocessedItems?.[name] ?? [];
  });
};

export interface Batches<T> {
  /** For errors: `writing CrawlState`. */
  readonly what: string;
  readonly entries: readonly T[];
  /** The maximal number of items in one call. */
  readonly maxEntries: number;
}

/** Calls `send` until it leaves nothing over. Gives up after some calls in a row that did nothing at all. */
export async function inBatches<T>(
  { clock }: Pick<Table, 'clock'>,
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

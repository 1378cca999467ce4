/** DynamoDB's paged calls, each page tried again when throttled. */
import { type DynamoDBClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { type Item, S } from './tables.ts';

export interface PagesContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
}

/** All items that the query finds; the caller may stop early, and costs are those of the pages begun. */
export async function* queryItems(
  { dynamo, clock }: PagesContext,
  input: QueryCommandInput,
): AsyncGenerator<Item> {
  yield* items((start) =>
    withRetry(
      `querying ${input.TableName}`,
      () => dynamo.send(new QueryCommand({ ...input, ExclusiveStartKey: start })),
      { clock },
    ),
  );
}

export interface PartitionOptions {
  readonly table: string;
  readonly partition: string;
  /** Items whose sort key begins so. Default: all. */
  readonly prefix?: string | undefined;
  /** The attributes that are read. Default: all. */
  readonly attributes?: string | undefined;
}

/** The items of a partition in the order of their sort keys, read consistently. */
export const partitionItems = (
  context: PagesContext,
  { table, partition, prefix = '', attributes }: PartitionOptions,
): AsyncGenerator<Item> =>
  queryItems(context, {
    TableName: table,
    KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': S(partition), ...(prefix !== '' && { ':prefix': S(prefix) }) },
    ...(attributes !== undefined && { ProjectionExpression: attributes }),
    ConsistentRead: true,
  });

interface Page {
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

async function* items(load: (start: Item | undefined) => Promise<Page>): AsyncGenerator<Item> {
  let start: Item | undefined;
  do {
    const page = await load(start);
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

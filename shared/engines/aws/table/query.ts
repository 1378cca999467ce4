/** Reads partitions of a table or an index, page by page. A page is read again while it is throttled. */
import { type AttributeValue, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { withRetry } from '../retry.ts';
import { type Item, itemKey, PARTITION_KEY, S, SORT_KEY } from './item.ts';
import type { Table } from './table.ts';

export interface Query {
  readonly partition: string;
  /** Items whose sort key begins so. Default: all. */
  readonly prefix?: string;
  /** Items whose sort key comes before or after that one. Default: all. */
  readonly bound?: readonly [comparator: '<' | '>', sort: string] | undefined;
  /** The attributes that are read. Default: all. */
  readonly attributes?: string | undefined;
  /** Default true. If false, the items may be some seconds old, and cost half. */
  readonly isConsistent?: boolean;
  /** Items of a page. Default: as many as have 1 MB. */
  readonly limit?: number;
}

export interface IndexQuery {
  readonly index: string;
  /** The attribute that is the index's partition key, and its value. */
  readonly partition: readonly [attribute: string, value: string];
  /** Items whose sort key in the index compares so. Default: all. */
  readonly bound?: readonly [attribute: string, comparator: '<=' | '>', value: AttributeValue] | undefined;
  /** Items of a page. */
  readonly limit: number;
}

export interface Page {
  readonly items: Item[];
  /** The sort key after which the next page begins. Absent: there is none. */
  readonly next?: string | undefined;
}

/** The items of a partition in the order of their sort keys. The caller may stop early: further pages are not read. */
export const queryItems = (table: Table, query: Query): AsyncGenerator<Item> =>
  allPages(table, inputOf(query));

/** A page of the items of a partition, after that sort key. */
export async function queryPage(table: Table, query: Query, after: string | undefined): Promise<Page> {
  const start = after === undefined ? undefined : itemKey(query.partition, after);
  const { Items = [], LastEvaluatedKey } = await readPage(table, inputOf(query), start);
  return { items: Items, next: LastEvaluatedKey?.[SORT_KEY]?.S };
}

/** The items of a partition of an index in the order of their sort keys there. They may be some seconds old. */
export const queryIndex = (
  table: Table,
  { index, partition: [attribute, value], bound, limit }: IndexQuery,
): AsyncGenerator<Item> =>
  allPages(table, {
    IndexName: index,
    ...keyCondition(`${attribute} = :partition`, value, bound && [`${bound[0]} ${bound[1]} :sort`, bound[2]]),
    Limit: limit,
  });

type Input = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>;

function inputOf({ partition, prefix = '', bound, attributes, isConsistent = true, limit }: Query): Input {
  const sort = prefix
    ? ([`begins_with(${SORT_KEY}, :sort)`, S(prefix)] as const)
    : bound && ([`${SORT_KEY} ${bound[0]} :sort`, S(bound[1])] as const);
  return {
    ...keyCondition(`${PARTITION_KEY} = :partition`, partition, sort),
    ...(attributes !== undefined && { ProjectionExpression: attributes }),
    ...(isConsistent && { ConsistentRead: true }),
    ...(limit !== undefined && { Limit: limit }),
  };
}

const keyCondition = (
  isPartition: string,
  partition: string,
  sort: readonly [condition: string, value: AttributeValue] | undefined,
) => ({
  KeyConditionExpression: sort ? `${isPartition} AND ${sort[0]}` : isPartition,
  ExpressionAttributeValues: { ':partition': S(partition), ...(sort && { ':sort': sort[1] }) },
});

function readPage({ dynamo, table, clock }: Table, input: Input, start: Item | undefined) {
  const command = new QueryCommand({ TableName: table, ...input, ExclusiveStartKey: start });
  return withRetry(`querying ${table}`, () => dynamo.send(command), { clock });
}

async function* allPages(table: Table, input: Input): AsyncGenerator<Item> {
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await readPage(table, input, start);
    yield* Items;
    start = LastEvaluatedKey;
  } while (start);
}

/**
 * Reads and writes single items of a table of DynamoDB. A call is made again while it is throttled. A conditional write whose
 * answer was lost is made again by the SDK, and finds what it has written itself: then it counts as written.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type RetryOptions, withRetry } from '../retry.ts';
import type { Item } from './item.ts';

export interface Table {
  readonly dynamo: DynamoDBClient;
  /** Its name. */
  readonly table: string;
  readonly clock: RetryOptions['clock'];
}

/** In an expression, `#name` stands for the attribute `name`, and `:name` for the value of that name. */
export interface Condition {
  readonly condition?: string;
  /** Only the values that an expression uses are sent. */
  readonly values?: Item;
  /** Whether the stored item shows that this very write was carried out before. Default: it does not. */
  readonly isOurs?: (found: Item) => boolean;
}

export interface Change extends Condition {
  /** `SET tries = :tries REMOVE holder` */
  readonly update: string;
  /** By placeholder without `#`: attributes that have other names, as `n.pages`. */
  readonly names?: Readonly<Record<string, string>>;
}

export interface Written {
  /** False: nothing was written, as the condition does not hold. */
  readonly isWritten: boolean;
  /** The item that the call was to return. */
  readonly returned?: Item | undefined;
  /** The stored item, if the condition does not hold. It may be our own write. */
  readonly found?: Item | undefined;
}

/** A write of one item, for a transaction. */
export type Write = TransactWriteItem & Pick<Condition, 'isOurs'>;

/** Reads consistently, unless `isConsistent` is false: that costs half. */
export async function getItem(
  { dynamo, table, clock }: Table,
  key: Item,
  { isConsistent = true } = {},
): Promise<Item | undefined> {
  const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: isConsistent });
  const { Item } = await withRetry(`reading ${table}`, () => dynamo.send(command), { clock });
  return Item;
}

export function putItem(table: Table, item: Item, when?: Condition, returns?: 'ALL_OLD'): Promise<Written> {
  const { Put } = putOf(table, item, when);
  const command = new PutItemCommand({ ...Put, ReturnValues: returns });
  return written(table, () => table.dynamo.send(command), when);
}

export function updateItem(table: Table, key: Item, change: Change, returns?: 'ALL_NEW'): Promise<Written> {
  const { Update } = updateOf(table, key, change);
  const command = new UpdateItemCommand({ ...Update, ReturnValues: returns });
  return written(table, () => table.dynamo.send(command), change);
}

export function deleteItem(table: Table, key: Item, when?: Condition): Promise<Written> {
  const { Delete } = deleteOf(table, key, when);
  return written(table, () => table.dynamo.send(new DeleteItemCommand(Delete)), when);
}

export const putOf = ({ table }: Table, item: Item, when?: Condition) => ({
  Put: { TableName: table, Item: item, ...conditionOf(when) },
  isOurs: when?.isOurs,
});

export const updateOf = ({ table }: Table, key: Item, change: Change) => ({
  Update: { TableName: table, Key: key, UpdateExpression: change.update, ...conditionOf(change) },
  isOurs: change.isOurs,
});

export const deleteOf = ({ table }: Table, key: Item, when?: Condition) => ({
  Delete: { TableName: table, Key: key, ...conditionOf(when) },
  isOurs: when?.isOurs,
});

async function written(
  { table, clock }: Table,
  send: () => Promise<{ readonly Attributes?: Item | undefined }>,
  when: Condition | undefined,
): Promise<Written> {
  try {
    const { Attributes } = await withRetry(`writing ${table}`, send, { clock });
    return { isWritten: true, returned: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isWritten: isOwnWrite(when, error.Item), found: error.Item };
  }
}

/** Whether a write whose condition does not hold has found what it has written itself before. */
export const isOwnWrite = (when: Pick<Condition, 'isOurs'> | undefined, found: Item | undefined): boolean =>
  found !== undefined && when?.isOurs?.(found) === true;

function conditionOf({ condition = '', update = '', values = {}, names = {} }: Partial<Change> = {}) {
  const used = `${update} ${condition}`;
  const usedNames = used.match(/#\w+/g)?.map((name) => [name, names[name.slice(1)] ?? name.slice(1)]);
  const usedValues = used.match(/:\w+/g)?.map((name) => [name, values[name.slice(1)]]);
  return {
    ...(condition && {
      ConditionExpression: condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }),
    ...(usedNames && { ExpressionAttributeNames: Object.fromEntries(usedNames) as Record<string, string> }),
    ...(usedValues && { ExpressionAttributeValues: Object.fromEntries(usedValues) as Item }),
  };
}

/** DynamoDB's calls that read. What need not be consistent may be as it was some moments ago. */
import type {
  BatchGetItemCommandInput,
  GetItemCommandInput,
  KeysAndAttributes,
  QueryCommandInput,
  ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { attributeAt, checkPlaceholders, holds, nameOf, type Placeholders } from './dynamo-conditions.ts';
import { invalid, refuseOthers } from './dynamo-errors.ts';
import { type Parsed, type Path, parseCondition, parseProjection } from './dynamo-grammar.ts';
import { type KeyRange, keyRange } from './dynamo-key-condition.ts';
import { FORMER_MS } from './dynamo-rows.ts';
import { bareKeyOf, type IndexKey, keyOf, type Table } from './dynamo-table.ts';
import { createBill, readUnits } from './dynamo-units.ts';
import { copyStored, copyValue, type Item } from './dynamo-values.ts';
import { type DynamoContext, isLeft } from './dynamo-writes.ts';
import { createIndexLag } from './index-lag.ts';

const NAMED = ['ProjectionExpression', 'ExpressionAttributeNames', 'ConsistentRead'];
const PAGED = [
  ...NAMED,
  ...['TableName', 'FilterExpression', 'ExpressionAttributeValues', 'ExclusiveStartKey', 'Limit'],
  'ReturnConsumedCapacity',
];
const GET = new Set([...NAMED, 'TableName', 'Key', 'ReturnConsumedCapacity']);
const QUERY = new Set([...PAGED, 'KeyConditionExpression', 'IndexName']);
const SCAN = new Set(PAGED);
const BATCH = new Set(['RequestItems', 'ReturnConsumedCapacity']);
const KEYS = new Set([...NAMED, 'Keys']);

const MAX_BATCH = 100;
/** A page ends behind the item that fills it. */
const PAGE_BYTES = 1024 * 1024;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const MIN_LAG_MS = 100;
/** Items of a page that ends early. */
const MAX_EARLY = 10;

interface Read {
  readonly item: Readonly<Item>;
  readonly bytes: number;
}

export function createReads({ tableOf, faults, random, trace, now, onUnits }: DynamoContext) {
  const indexAt = createIndexLag(now, faults);

  /** The moment that a reading shows; undefined: this one. */
  function shownAt(isConsistent: boolean, what: string): number | undefined {
    if (isConsistent || !faults.strikes('staleRead')) return undefined;
    const lagMs = MIN_LAG_MS + Math.floor(faults.random('staleRead') * (FORMER_MS - MIN_LAG_MS));
    trace?.({ what: `${what} is read as it was ${lagMs} ms ago` });
    return now() - lagMs;
  }

  function page(
    found: Iterable<Read>,
    input: QueryCommandInput | ScanCommandInput,
    expressions: readonly (Parsed<unknown> | undefined)[],
    lastKeyOf: (item: Readonly<Item>) => Item,
  ) {
    const { Limit = Number.POSITIVE_INFINITY, FilterExpression } = input;
    if (Limit < 1) throw invalid(`Expected a Limit of at least 1, got ${Limit}`);
    const placeholders = input as Placeholders;
    const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression);
    const projection = projectionOf(input.ProjectionExpression);
    checkPlaceholders(placeholders, [...expressions, filter, projection]);
    const isEarly = faults.strikes('unprocessedKeys');
    const most = isEarly
      ? Math.min(Limit, 1 + Math.floor(faults.random('unprocessedKeys') * MAX_EARLY))
      : Limit;
    const Items: Item[] = [];
    let ScannedCount = 0;
    let bytes = 0;
    let LastEvaluatedKey: Item | undefined;
    for (const read of found) {
      ScannedCount++;
      bytes += read.bytes;
      if (!filter || holds(filter.tree, read.item, placeholders))
        Items.push(projected(read.item, projection, placeholders));
      if (ScannedCount < most && bytes < PAGE_BYTES) continue;
      LastEvaluatedKey = copyStored(lastKeyOf(read.item));
      break;
    }
    return { Items, Count: Items.length, ScannedCount, LastEvaluatedKey, bytes };
  }

  return {
    get(input: GetItemCommandInput) {
      refuseOthers(input, GET);
      const table = tableOf(input.TableName);
      const bill = createBill(input);
      const projection = projectionOf(input.ProjectionExpression);
      checkPlaceholders(input as Placeholders, [projection]);
      const { pk, sk } = bareKeyOf(input.Key ?? {});
      const isConsistent = input.ConsistentRead === true;
      const row = table.rows.get(pk, sk, shownAt(isConsistent, `${table.spec.name} ${pk}`));
      const units = readUnits(row?.bytes ?? 0, isConsistent);
      bill.add(table, units);
      onUnits(table.spec.name, pk, undefined, 0, units);
      return {
        ...(row && { Item: projected(row.item, projection, input as Placeholders) }),
        ConsumedCapacity: bill.consumed()?.[0],
      };
    },

    query(input: QueryCommandInput) {
      refuseOthers(input, QUERY);
      const table = tableOf(input.TableName);
      const bill = createBill(input);
      const condition = parseCondition(input.KeyConditionExpression ?? '');
      const source = input.IndexName === undefined ? rowsOf(table) : entriesOf(table, input.IndexName);
      const isConsistent = input.ConsistentRead === true;
      if (isConsistent && input.IndexName !== undefined)
        throw invalid('Consistent reads are not supported on global secondary indexes');
      const range = keyRange(condition.tree, source.keys, input as Placeholders);
      const partition = range.partition.S;
      if (partition === undefined) throw invalid('Condition parameter type does not match schema type');
      const found = source.read(
        partition,
        range,
        input.ExclusiveStartKey,
        (input.IndexName === undefined ? undefined : indexAt()) ??
          shownAt(isConsistent, `${table.spec.name} ${partition}`),
      );
      const { bytes, ...answer } = page(found, input, [condition], source.lastKeyOf);
      const units = readUnits(bytes, isConsistent);
      bill.add(table, units);
      onUnits(table.spec.name, partition, input.IndexName, 0, units);
      return { ...answer, ConsumedCapacity: bill.consumed()?.[0] };
    },

    scan(input: ScanCommandInput) {
      refuseOthers(input, SCAN);
      const table = tableOf(input.TableName);
      const bill = createBill(input);
      const isConsistent = input.ConsistentRead === true;
      const at = shownAt(isConsistent, table.spec.name);
      const { bytes, ...answer } = page(scanned(table, input.ExclusiveStartKey, at), input, [], bareKey);
      const units = readUnits(bytes, isConsistent);
      bill.add(table, units);
      return { ...answer, ConsumedCapacity: bill.consumed()?.[0] };
    },

    batch(input: BatchGetItemCommandInput) {
      refuseOthers(input, BATCH);
      const bill = createBill(input);
      const entries = Object.entries(input.RequestItems ?? {});
      const count = entries.reduce((sum, [, { Keys = [] }]) => sum + Keys.length, 0);
      if (count < 1 || count > MAX_BATCH)
        throw invalid(`Expected 1 to ${MAX_BATCH} keys in the request, got ${count}`);
      const left = isLeft(count, faults);
      const Responses: Record<string, Item[]> = {};
      const UnprocessedKeys: Record<string, KeysAndAttributes> = {};
      let place = 0;
      let bytes = 0;
      for (const [name, wanted] of entries) {
        refuseOthers(wanted, KEYS);
        const table = tableOf(name);
        const isConsistent = wanted.ConsistentRead === true;
        const at = shownAt(isConsistent, name);
        const projection = projectionOf(wanted.ProjectionExpression);
        checkPlaceholders(wanted as Placeholders, [projection]);
        const keys = (wanted.Keys ?? []).map((Key) => ({ Key, ...bareKeyOf(Key) }));
        if (new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < keys.length)
          throw invalid('Provided list of item keys contains duplicates');
        const items: Item[] = [];
        const over: Item[] = [];
        for (const { Key, pk, sk } of keys) {
          if (left.has(place++) || bytes > MAX_BATCH_BYTES) {
            over.push(Key);
            continue;
          }
          const row = table.rows.get(pk, sk, at);
          const units = readUnits(row?.bytes ?? 0, isConsistent);
          bytes += row?.bytes ?? 0;
          bill.add(table, units);
          onUnits(name, pk, undefined, 0, units);
          if (row) items.push(projected(row.item, projection, wanted as Placeholders));
        }
        // In no order that is promised.
        Responses[name] = random() < 0.5 ? items : items.reverse();
        if (over.length > 0) UnprocessedKeys[name] = { ...wanted, Keys: over };
      }
      return { Responses, UnprocessedKeys, ConsumedCapacity: bill.consumed() };
    },
  };
}

interface Source {
  readonly keys: { readonly partitionKey: string; readonly sortKey: string };
  read(partition: string, range: KeyRange, start: Item | undefined, at: number | undefined): Iterable<Read>;
  lastKeyOf(item: Readonly<Item>): Item;
}

const bareKey = ({ pk, sk }: Readonly<Item>): Item => ({ pk, sk }) as Item;

function rowsOf(table: Table): Source {
  return {
    keys: { partitionKey: 'pk', sortKey: 'sk' },
    lastKeyOf: bareKey,
    read(partition, range, start, at) {
      const from = start ? bareKeyOf(start).sk : range.from && textOf(range.from.S);
      const found = table.rows.from(partition, from, start !== undefined, at);
      return within(found, range, (item) => item.sk);
    },
  };
}

function entriesOf(table: Table, name: string): Source {
  const { index } = table.spec;
  if (index?.name !== name) throw invalid(`The table does not have the specified index: ${name}`);
  const { partitionKey, sortKey } = index;

  function startOf(start: Item): IndexKey {
    const sort = start[sortKey]?.N;
    if (sort === undefined || start[partitionKey]?.S === undefined)
      throw invalid('The provided starting key is invalid');
    return { sort: Number(sort), ...keyOf(start) };
  }

  return {
    keys: index,
    lastKeyOf: (item) => ({ ...item }),
    read(partition, range, start, at) {
      const lowest = range.from && { sort: Number(textOf(range.from.N)), pk: '', sk: '' };
      const found = table.entries.from(partition, start ? startOf(start) : lowest, start !== undefined, at);
      return within(found, range, (item) => item[sortKey]);
    },
  };
}

function textOf(text: string | undefined): string {
  if (text === undefined) throw invalid('Condition parameter type does not match schema type');
  return text;
}

function* within<R extends Read>(
  found: Iterable<R>,
  range: KeyRange,
  sortOf: (item: Readonly<Item>) => Item[string] | undefined,
): Generator<Read> {
  for (const read of found) {
    const has = range.has(sortOf(read.item) as Item[string]);
    if (has === 'over') return;
    if (has) yield read;
  }
}

/** In the order of the partitions' hashes, which has nothing to do with when they came. */
function* scanned(table: Table, start: Item | undefined, at: number | undefined): Generator<Read> {
  const after = start && bareKeyOf(start);
  if (after) yield* table.rows.from(after.pk, after.sk, true, at);
  for (const partition of table.rows.partitions(after?.pk))
    yield* table.rows.from(partition, undefined, false, at);
}

const projectionOf = (text: string | undefined): Parsed<Path[]> | undefined =>
  text === undefined ? undefined : parseProjection(text);

function projected(
  item: Readonly<Item>,
  projection: Parsed<Path[]> | undefined,
  placeholders: Placeholders,
): Item {
  if (!projection) return copyStored(item);
  const some: Item = {};
  for (const path of projection.tree) {
    if (path.length > 1) throw invalid('Projections from within lists and maps are not part of the model');
    const value = attributeAt(item, path, placeholders);
    if (value) some[nameOf(path[0], placeholders)] = copyValue(value);
  }
  return some;
}

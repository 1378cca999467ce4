/** A table with keys `pk` and `sk`, both texts, and perhaps one sparse index that projects keys only. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid, unreadable } from './dynamo-errors.ts';
import { createRows, type Rows } from './dynamo-rows.ts';
import { copyItem, type Item, itemBytes, typeOf } from './dynamo-values.ts';
import { MAX_INDEX_LAG_MS } from './index-lag.ts';
import { compareUtf8 } from './sorted-list.ts';

export interface TableSpec {
  readonly name: string;
  /** Items that have both attributes, a text and a number, are in it. */
  readonly index?: { readonly name: string; readonly partitionKey: string; readonly sortKey: string };
}

/** An item as stored. Never changed. */
export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly item: Readonly<Item>;
  readonly bytes: number;
  /** Its entry in the index. */
  readonly entry: IndexRow | undefined;
}

export interface IndexKey {
  readonly sort: number;
  readonly pk: string;
  readonly sk: string;
}

export interface IndexRow extends IndexKey {
  readonly partition: string;
  readonly item: Readonly<Item>;
  readonly bytes: number;
}

export interface Table {
  readonly spec: TableSpec;
  readonly rows: Rows<Row, string>;
  readonly entries: Rows<IndexRow, IndexKey>;
  /** How many entries were written or removed, by partition of the index. */
  write(pk: string, sk: string, before: Row | undefined, after: Row | undefined): readonly string[];
  /**
   * The item as it would be stored; a copy of its own, unless `isOwn`. Throws for what DynamoDB does not
   * store.
   */
  rowOf(item: Readonly<Item>, isOwn?: boolean): Row;
}

const MAX_ITEM_BYTES = 400 * 1024;
const MAX_PARTITION_KEY_BYTES = 2048;
const MAX_SORT_KEY_BYTES = 1024;

export function createTable(spec: TableSpec, now: () => number): Table {
  const rows = createRows<Row, string>({ now, keyOf: ({ sk }) => sk, compareKeys: compareUtf8 });
  const entries = createRows<IndexRow, IndexKey>({
    now,
    keyOf: (row) => row,
    compareKeys: compareEntries,
    formerMs: MAX_INDEX_LAG_MS,
  });

  function entryOf(item: Readonly<Item>, pk: string, sk: string): IndexRow | undefined {
    if (!spec.index) return undefined;
    const { partitionKey, sortKey } = spec.index;
    const { [partitionKey]: partition, [sortKey]: sort } = item;
    if (partition) checkIndexKey(partitionKey, partition, 'S');
    if (sort) checkIndexKey(sortKey, sort, 'N');
    if (partition?.S === undefined || sort?.N === undefined) return undefined;
    const keys = { pk: { S: pk }, sk: { S: sk }, [partitionKey]: partition, [sortKey]: sort };
    return { partition: partition.S, sort: Number(sort.N), pk, sk, item: keys, bytes: itemBytes(keys) };
  }

  return {
    spec,
    rows,
    entries,

    rowOf(item, isOwn = false) {
      const { pk, sk } = keyOf(item);
      const stored = isOwn ? item : copyItem(item);
      const bytes = itemBytes(stored);
      if (bytes > MAX_ITEM_BYTES) throw invalid('Item size has exceeded the maximum allowed size');
      return { pk, sk, item: stored, bytes, entry: entryOf(stored, pk, sk) };
    },

    write(pk, sk, before, after) {
      rows.set(pk, sk, after);
      const [old, next] = [before?.entry, after?.entry];
      if (old === undefined && next === undefined) return [];
      if (old && next && old.partition === next.partition && old.sort === next.sort) return [];
      if (old) entries.set(old.partition, old, undefined);
      if (next) entries.set(next.partition, next, next);
      return [old, next].flatMap((entry) => (entry ? entry.partition : []));
    },
  };
}

/** The key among the attributes. Throws where it is none. */
export function keyOf({ pk, sk }: Readonly<Item>): { readonly pk: string; readonly sk: string } {
  return { pk: keyText('pk', pk, MAX_PARTITION_KEY_BYTES), sk: keyText('sk', sk, MAX_SORT_KEY_BYTES) };
}

/** The same of what must be nothing but a key. */
export function bareKeyOf(key: Readonly<Item>): { readonly pk: string; readonly sk: string } {
  if (Object.keys(key).length !== 2) throw invalid('The provided key element does not match the schema');
  return keyOf(key);
}

function keyText(name: string, value: AttributeValue | undefined, maxBytes: number): string {
  if (!value) throw invalid(`One of the required keys was not given a value: ${name}`);
  if (value.S === undefined)
    throw invalid(`Type mismatch for key ${name} expected: S actual: ${typeOf(value)}`);
  if (typeof value.S !== 'string') throw unreadable('Start of structure or map found where not expected');
  if (value.S === '') throw invalid(`The AttributeValue for a key attribute cannot be empty: ${name}`);
  if (value.S.length * 3 > maxBytes && Buffer.byteLength(value.S) > maxBytes)
    throw invalid(`Size of ${name} has exceeded the maximum size limit of ${maxBytes} bytes`);
  return value.S;
}

function checkIndexKey(name: string, value: AttributeValue, type: 'S' | 'N'): void {
  if (typeOf(value) !== type)
    throw invalid(`Type mismatch for Index Key ${name} Expected: ${type} Actual: ${typeOf(value)}`);
  if (value.S === '')
    throw invalid(`A value specified for a secondary index key is not supported: ${name} is empty`);
}

const compareEntries = (a: IndexKey, b: IndexKey): number =>
  a.sort - b.sort || compareUtf8(a.pk, b.pk) || compareUtf8(a.sk, b.sk);

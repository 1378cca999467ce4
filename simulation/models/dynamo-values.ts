/**
 * Attributes and items: copied in and out, so that nobody holds a part of what is stored; their sizes; their
 * order.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './dynamo-errors.ts';
import { compareNumbers, normalNumber } from './dynamo-numbers.ts';
import { compareUtf8 } from './sorted-list.ts';

export type Item = Record<string, AttributeValue>;

/** `S`, `N`, ... Throws for what is not exactly one. */
export function typeOf(value: AttributeValue): string {
  const [type, ...others] = Object.keys(value);
  if (type === undefined || others.length > 0)
    throw invalid(`Supplied AttributeValue is empty or has more than one type: ${JSON.stringify(value)}`);
  return type;
}

/**
 * A copy of the value, with bytes of its own. Numbers come as DynamoDB gives them; throws for what it does
 * not take.
 */
export function copyValue(value: AttributeValue): AttributeValue {
  // Frozen, so that items that are read can share them: see `copyStored`.
  if (value.S !== undefined) return Object.freeze({ S: value.S });
  if (value.N !== undefined) return Object.freeze({ N: normalNumber(value.N) });
  if (value.B !== undefined) return { B: new Uint8Array(value.B) };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.L !== undefined) return { L: value.L.map(copyValue) };
  if (value.M !== undefined) return { M: copyItem(value.M) };
  if (value.SS !== undefined) return { SS: filled(value.SS) };
  if (value.NS !== undefined) return { NS: filled(value.NS).map(normalNumber) };
  if (value.BS !== undefined) return { BS: filled(value.BS).map((bytes) => new Uint8Array(bytes)) };
  throw invalid(`Supplied AttributeValue is empty: ${JSON.stringify(value)}`);
}

function filled<T>(set: readonly T[]): T[] {
  if (set.length === 0) throw invalid('An empty set is not allowed');
  return [...set];
}

export function copyItem(item: Readonly<Item>): Item {
  const copy: Item = {};
  for (const name in item) if (item[name] !== undefined) copy[name] = copyValue(item[name]);
  return copy;
}

/**
 * A copy of an item that `copyItem` made. Texts and numbers are the same objects, which nobody can change.
 */
export function copyStored(item: Readonly<Item>): Item {
  const copy: Item = { ...item };
  if (isShared(item)) return copy;
  for (const name in copy) {
    const value = copy[name] as AttributeValue;
    if (value.S === undefined && value.N === undefined) copy[name] = copyValue(value);
  }
  return copy;
}

/** By stored item, which is never changed: whether it has nothing but texts and numbers. Counters are read often. */
const shared = new WeakMap<Readonly<Item>, boolean>();

function isShared(item: Readonly<Item>): boolean {
  let known = shared.get(item);
  if (known === undefined) {
    known = Object.values(item).every(({ S, N }) => S !== undefined || N !== undefined);
    shared.set(item, known);
  }
  return known;
}

/** Names and values (DynamoDB developer guide, "Item sizes and formats"). */
export function itemBytes(item: Readonly<Item>): number {
  let bytes = 0;
  for (const name in item) bytes += textBytes(name) + valueBytes(item[name] as AttributeValue);
  return bytes;
}

/** Texts up to this are counted here if they are ASCII: a call of Node costs more. */
const SHORT = 40;

function textBytes(text: string): number {
  if (text.length > SHORT) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}
const sum = <T>(all: readonly T[], bytesOf: (one: T) => number): number =>
  all.reduce((bytes, one) => bytes + bytesOf(one), 0);

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return textBytes(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return value.B.length;
  if (value.L !== undefined) return 3 + sum(value.L, (one) => 1 + valueBytes(one));
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  if (value.SS !== undefined) return sum(value.SS, textBytes);
  if (value.NS !== undefined) return sum(value.NS, numberBytes);
  if (value.BS !== undefined) return sum(value.BS, ({ length }) => length);
  return 1;
}

/** About a byte for two digits, and one more; negative ones another. */
const numberBytes = (number: string): number => Math.ceil(number.length / 2) + 1;

/** Negative, 0 or positive; undefined where the two cannot be compared. */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.S !== undefined && b.S !== undefined) return compareUtf8(a.S, b.S);
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(a.B, b.B);
  return undefined;
}

export function equalValues(a: AttributeValue, b: AttributeValue): boolean {
  const order = compareValues(a, b);
  if (order !== undefined) return order === 0;
  if (typeOf(a) !== typeOf(b)) return false;
  if (a.L !== undefined && b.L !== undefined) {
    const others = b.L;
    return (
      a.L.length === others.length && a.L.every((one, i) => equalValues(one, others[i] as AttributeValue))
    );
  }
  if (a.M !== undefined && b.M !== undefined) {
    const others = b.M;
    const names = Object.keys(a.M);
    return (
      names.length === Object.keys(others).length &&
      Object.entries(a.M).every(([name, one]) => others[name] !== undefined && equalValues(one, others[name]))
    );
  }
  const [set, other] = [membersOf(a), membersOf(b)];
  if (!set || !other) return a.BOOL === b.BOOL && a.NULL === b.NULL;
  return set.length === other.length && set.every((one) => other.some((two) => equalValues(one, two)));
}

/** A set's or list's. */
export const membersOf = (value: AttributeValue): AttributeValue[] | undefined =>
  value.L ?? value.SS?.map((S) => ({ S })) ?? value.NS?.map((N) => ({ N })) ?? value.BS?.map((B) => ({ B }));

/** From what `onPage` gave to lines of JSON. */

import { messageOf } from '../../core/base/error-message.ts';
import type { ItemSchema } from '../project/project.ts';

/** A longer item is refused: readers of the file take a line at a time into memory. */
const MAX_LINE_BYTES = 1024 * 1024;
/** The items of one page: they wait in memory until the turn is committed. */
const MAX_PAGE_BYTES = 8 * MAX_LINE_BYTES;
const MAX_ITEMS = 1_000_000;

export interface ItemLines {
  readonly lines: readonly string[];
  /** A message for each item that was refused. */
  readonly faults: readonly string[];
}

type Checked = { readonly value: object } | { readonly fault: string };

/**
 * Nothing, one object, or several in an array; each becomes what the schema makes of it. Resolves at once
 * where the schema does. Never throws, but runs code of the project (`toJSON`, the schema).
 */
export function toItemLines(given: unknown, schema: ItemSchema | undefined): ItemLines | Promise<ItemLines> {
  if (given === undefined || given === null) return { lines: [], faults: [] };
  const checked: (Checked | Promise<Checked>)[] = [];
  // A loop: `map` would leave out the holes of a list.
  for (const item of Array.isArray(given) ? given : [given]) {
    if (checked.length >= MAX_ITEMS) {
      checked.push({ fault: `Expected at most ${MAX_ITEMS} items from one page: the rest is left out` });
      break;
    }
    checked.push(check(item, schema));
  }
  return checked.some((one) => one instanceof Promise)
    ? Promise.all(checked).then(format)
    : format(checked as Checked[]);
}

function check(item: unknown, schema: ItemSchema | undefined): Checked | Promise<Checked> {
  if (!isObject(item)) return { fault: `Expected an item to be an object, got ${nameOf(item)}` };
  if (schema === undefined) return { value: item };
  try {
    const result = schema['~standard'].validate(item);
    return result instanceof Promise ? result.then(outcomeOf).catch(faultOf) : outcomeOf(result);
  } catch (error) {
    return faultOf(error);
  }
}

type Result = Awaited<ReturnType<ItemSchema['~standard']['validate']>>;

function outcomeOf(result: Result): Checked {
  if (result.issues) return { fault: `The item is not as its schema says: ${issuesText(result.issues)}` };
  if (isObject(result.value)) return { value: result.value };
  return { fault: `Expected the schema to give an object, got ${nameOf(result.value)}` };
}

const faultOf = (error: unknown) => ({ fault: `The item cannot be kept: ${messageOf(error)}` });

function format(checked: readonly Checked[]): ItemLines {
  const lines: string[] = [];
  const faults: string[] = [];
  let bytes = 0;
  for (const one of checked) {
    const line = 'fault' in one ? one : toLine(one.value);
    if (typeof line === 'object') {
      faults.push(line.fault);
      continue;
    }
    bytes += Buffer.byteLength(line);
    if (bytes > MAX_PAGE_BYTES) {
      faults.push(`Expected at most ${MAX_PAGE_BYTES} bytes of items from one page: the rest is left out`);
      break;
    }
    lines.push(line);
  }
  return { lines, faults };
}

function toLine(value: object): string | { readonly fault: string } {
  try {
    const json = JSON.stringify(value, keepable);
    // By `toJSON`.
    if (!json?.startsWith('{')) return { fault: 'Expected an item to be an object in JSON' };
    const line = wellFormed(json);
    const bytes = Buffer.byteLength(line);
    if (bytes <= MAX_LINE_BYTES) return line;
    return { fault: `Expected an item of at most ${MAX_LINE_BYTES} bytes, got ${bytes}` };
  } catch (error) {
    return faultOf(error);
  }
}

/**
 * A text that was cut within an emoji has half of it. JSON can hold that as an escape, which few readers take (RFC
 * 8259, section 8.2), so U+FFFD replaces it, as in documents.
 */
const wellFormed = (json: string): string =>
  json.includes('\\ud')
    ? json.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/g, (part) => (part.length > 2 ? '\ufffd' : part))
    : json;

/** Objects of which JSON keeps nothing, or something else. A promise is one that was not awaited. */
const EMPTIED = [Map, Set, Promise, RegExp, Error, WeakMap, WeakSet, ArrayBuffer];

/**
 * Refuses values that `JSON.stringify` would change silently: `NaN`, an invalid date and a hole of a list become
 * `null`, a `Map` and a generator become `{}`. To be called by it, with the object that has the key as `this`.
 */
export function keepable(this: unknown, key: string, value: unknown): unknown {
  const isLost =
    (typeof value === 'number' && !Number.isFinite(value)) ||
    typeof value === 'function' ||
    typeof value === 'symbol' ||
    (value === undefined && Array.isArray(this)) ||
    (typeof value === 'object' && value !== null && isEmptied(value));
  if (isLost)
    throw new Error(
      `JSON cannot hold ${key === '' ? 'the item' : key}: ${typeof value === 'object' ? nameOf(value) : String(value).slice(0, 50)}`,
    );
  // If it were replaced, two keys could become one.
  if (!key.isWellFormed()) throw new Error(`JSON cannot hold the key ${key}: it has half of a character`);
  // Its `toJSON` has made `null` of it.
  const given = value === null ? (this as Record<string, unknown>)[key] : value;
  if (given instanceof Date) throw new Error(`JSON cannot hold ${key}: Invalid Date`);
  return value;
}

/** Also an object whose class keeps all that it has to itself, such as an iterator, `Headers` and `URLSearchParams`. */
function isEmptied(value: object): boolean {
  if (EMPTIED.some((type) => value instanceof type) || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value) || isPlain(value)) return false;
  const isIterator = 'next' in value && (Symbol.iterator in value || Symbol.asyncIterator in value);
  return isIterator || Object.keys(value).length === 0;
}

/** Also an object of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const MAX_ISSUES = 5;

function issuesText(issues: NonNullable<Result['issues']>): string {
  const texts = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(isObject(part) && 'key' in part ? part.key : part));
    return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
  });
  const more = issues.length - MAX_ISSUES;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  if (Array.isArray(value)) return 'an array';
  return `a ${value.constructor?.name || Object.prototype.toString.call(value).slice(8, -1)}`;
}

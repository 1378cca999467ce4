/** Values that hooks keep from page to page, for the whole crawl. */
import { MAX_STATE_KEYS } from '../../crawler/ports/shared-state.ts';
import type { PageState } from '../../crawler/turn/page/visit-state.ts';
import type { CrawlState } from '../project/project.ts';
import { keepable } from './item-lines.ts';

/** Values as JSON by key. Each call is atomic, for all threads of the crawl. */
export interface StateStore {
  get(key: string): string | undefined;
  /** Replaces `before` (undefined: no value). Returns false if the value is another one now. */
  swap(key: string, before: string | undefined, after: string): boolean;
  delete(key: string): void;
  /** By key. */
  entries(): readonly (readonly [key: string, value: string])[];
}

const MAX_KEY_CHARS = 200;
const MAX_VALUE_CHARS = 1024 * 1024;
/** An update is tried again when another thread has changed the value meanwhile. */
const MAX_TRIES = 1000;

export class TooManyKeys extends RangeError {
  constructor() {
    super(
      `Expected at most ${MAX_STATE_KEYS} keys in the state of a crawl: keep several values under one key`,
    );
  }
}

export function createCrawlState(store: StateStore): CrawlState {
  function swap(key: string, change: (before: string | undefined) => unknown): unknown {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = store.get(key);
      const after = change(before);
      if (store.swap(key, before, toJson(key, after))) return after;
    }
    throw new Error(`The state ${key} was changed by others ${MAX_TRIES} times in a row: use several keys`);
  }
  return {
    get: (key) => parsed(store.get(checkedKey(key))),
    set: (key, value) => void swap(checkedKey(key), () => value),
    update: <T>(key: string, change: (value: T | undefined) => T) =>
      swap(checkedKey(key), (before) => change(parsed(before))) as T,
    delete: (key) => store.delete(checkedKey(key)),
    entries: () => store.entries().map(([key, value]) => [key, JSON.parse(value)] as const),
  };
}

/**
 * State that one visit may change. The changes are applied when the turn commits, to the values stored at that time.
 * `guard` runs the project's functions then: an error is the project's, and leaves the value as it is.
 */
export function createVisitState(
  page: PageState,
  guard: (key: string, change: () => string | undefined) => string | undefined,
): CrawlState {
  function change<T>(key: string, made: (before: T | undefined) => T): T {
    const apply = (before: string | undefined) => toJson(key, made(parsed<T>(before)));
    const later = (before: string | undefined) => guard(key, () => apply(before)) ?? before;
    return parsed<T>(page.change({ key: checkedKey(key), apply }, later)) as T;
  }
  function set(key: string, value: unknown): void {
    const json = toJson(checkedKey(key), value);
    page.change({ key, apply: () => json });
  }
  return {
    get: (key) => parsed(page.get(checkedKey(key))),
    set,
    update: change,
    delete: (key) => void page.change({ key: checkedKey(key), apply: () => undefined }),
    entries: () => page.entries().map(([key, value]) => [key, JSON.parse(value)] as const),
  };
}

/** State of this process alone. */
export function createMemoryStore(): StateStore {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key),
    swap(key, before, after) {
      if (values.get(key) !== before) return false;
      if (before === undefined && values.size >= MAX_STATE_KEYS) throw new TooManyKeys();
      values.set(key, after);
      return true;
    },
    delete: (key) => void values.delete(key),
    entries: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

const parsed = <T>(json: string | undefined): T | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as T);

function checkedKey(key: unknown): string {
  if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS && key.isWellFormed()) return key;
  throw new TypeError(`Expected a key of 1 to ${MAX_KEY_CHARS} characters, got ${String(key).slice(0, 80)}`);
}

function toJson(key: string, value: unknown): string {
  const json = value instanceof Promise ? undefined : JSON.stringify(value, keepable);
  if (json === undefined)
    throw new TypeError(`Expected the state ${key} to be a value that JSON can hold, got ${typeof value}`);
  if (json.length > MAX_VALUE_CHARS)
    throw new RangeError(
      `Expected the state ${key} to have at most ${MAX_VALUE_CHARS} characters as JSON, got ${json.length}`,
    );
  return json;
}

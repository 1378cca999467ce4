/** The state of hooks of one crawl as a process knows it. */
import type { SharedValues } from '../../../crawler/ports/shared-state.ts';
import { type Item, S } from '../table/item.ts';

/** A value with the version of its item: a name that no other write uses. */
export interface StoredValue {
  readonly json: string;
  readonly version: string;
}

export class StateValues implements SharedValues {
  readonly #items = new Map<string, StoredValue>();
  #chars = 0;
  /** Keys that were set since the reading in progress began: what it finds may be older. */
  #setMeanwhile: Set<string> | undefined;

  get size(): number {
    return this.#items.size;
  }

  get chars(): number {
    return this.#chars;
  }

  get(key: string): string | undefined {
    return this.#items.get(key)?.json;
  }

  stored(key: string): StoredValue | undefined {
    return this.#items.get(key);
  }

  *entries(): IterableIterator<[string, string]> {
    for (const [key, { json }] of this.#items) yield [key, json];
  }

  /** Undefined: no value. */
  set(key: string, stored: StoredValue | undefined): void {
    this.#chars += (stored?.json.length ?? 0) - (this.#items.get(key)?.json.length ?? 0);
    if (stored === undefined) this.#items.delete(key);
    else this.#items.set(key, stored);
    this.#setMeanwhile?.add(key);
  }

  /** Replaces all values by those that are read, but for those that are set meanwhile. */
  async refresh(items: AsyncIterable<Item>): Promise<void> {
    const setMeanwhile = new Set<string>();
    this.#setMeanwhile = setMeanwhile;
    try {
      const found = new Map<string, StoredValue | undefined>();
      for await (const item of items) found.set(item.sk?.S as string, storedValueIn(item));
      for (const key of this.#items.keys()) if (!found.has(key)) found.set(key, undefined);
      this.#setMeanwhile = undefined;
      for (const [key, stored] of found) if (!setMeanwhile.has(key)) this.set(key, stored);
    } finally {
      this.#setMeanwhile = undefined;
    }
  }
}

/** Undefined for no item. */
export const storedValueIn = (item: Item | undefined): StoredValue | undefined =>
  item && { json: item.value?.S as string, version: item.version?.S as string };

/** The attributes of a value's item besides its key. */
export const valueAttributes = ({ json, version }: StoredValue): Item => ({
  value: S(json),
  version: S(version),
});

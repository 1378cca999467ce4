/**
 * Lists kept in an order, for what is looked up, changed and read on from anywhere: some steps for each, with
 * lists of millions too. A list is plain data, chunks of a fixed number of items; what may be done with it is
 * a set of functions for its order.
 */

/** Begins as `[]`. No chunk is empty. */
export type SortedList<T> = T[][];

/** Negative: the item stands before the key; 0: it has the key. */
export type CompareTo<T, K> = (item: T, key: K) => number;

export interface Sorting<T, K> {
  find(list: SortedList<T>, key: K): T | undefined;
  /** Puts the item where its key says, instead of the one that has the key, if any. */
  set(list: SortedList<T>, key: K, item: T): void;
  remove(list: SortedList<T>, key: K): void;
  /**
   * The items from the key on, with that of the key itself or behind it; all of them without a key. The list
   * must not change meanwhile.
   */
  from(list: SortedList<T>, key: K | undefined, isAfter?: boolean): Generator<T>;
}

/**
 * Small enough to be moved by one for each change, and large enough for a list of a million to have few
 * chunks.
 */
const MAX_CHUNK = 256;

export function sortingBy<T, K>(compare: CompareTo<T, K>): Sorting<T, K> {
  /** The first chunk that reaches as far as the key; that behind the last if none does. */
  function chunkOf(list: SortedList<T>, key: K): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = list[middle] as T[];
      if (compare(chunk[chunk.length - 1] as T, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The place of the chunk's first item that does not stand before the key. */
  function placeIn(chunk: readonly T[], key: K): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(chunk[middle] as T, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const hasKey = (chunk: readonly T[], place: number, key: K): boolean =>
    place < chunk.length && compare(chunk[place] as T, key) === 0;

  return {
    find(list, key) {
      const chunk = list[chunkOf(list, key)];
      if (!chunk) return undefined;
      const place = placeIn(chunk, key);
      return hasKey(chunk, place, key) ? chunk[place] : undefined;
    },

    set(list, key, item) {
      if (list.length === 0) {
        list.push([item]);
        return;
      }
      const at = Math.min(chunkOf(list, key), list.length - 1);
      const chunk = list[at] as T[];
      const place = placeIn(chunk, key);
      if (hasKey(chunk, place, key)) {
        chunk[place] = item;
        return;
      }
      chunk.splice(place, 0, item);
      if (chunk.length > MAX_CHUNK) list.splice(at + 1, 0, chunk.splice(MAX_CHUNK >> 1));
    },

    remove(list, key) {
      const at = chunkOf(list, key);
      const chunk = list[at];
      if (!chunk) return;
      const place = placeIn(chunk, key);
      if (!hasKey(chunk, place, key)) return;
      if (chunk.length === 1) list.splice(at, 1);
      else chunk.splice(place, 1);
    },

    *from(list, key, isAfter = false) {
      let at = key === undefined ? 0 : chunkOf(list, key);
      let place = key === undefined || !list[at] ? 0 : placeIn(list[at] as T[], key);
      if (isAfter && key !== undefined && list[at] && hasKey(list[at] as T[], place, key)) place++;
      for (; at < list.length; at++, place = 0) {
        const chunk = list[at] as T[];
        for (; place < chunk.length; place++) yield chunk[place] as T;
      }
    },
  };
}

/**
 * The order of the texts' bytes in UTF-8, which is that of their code points: keys of DynamoDB and S3 are in
 * it.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates, which represent code points beyond all others, come behind what UTF-16 has behind them. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

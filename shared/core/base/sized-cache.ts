/** Values by key, within a size for all together and an age for each. The oldest ones go first. */
export interface SizedCache<T> {
  /** `now`: ms, as of `set`. */
  get(key: string, now: number): T | undefined;
  /** Replaces the value of that key. `size`: bytes or characters, counted for the value. */
  set(key: string, value: T, entry: { readonly size: number; readonly at: number }): void;
}

export interface SizedCacheOptions {
  readonly maxSize: number;
  readonly maxAgeMs: number;
}

/** Counted for each entry besides: else entries without content would be kept without end. */
const ENTRY_SIZE = 1000;

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly at: number;
}

export function createSizedCache<T>({ maxSize, maxAgeMs }: SizedCacheOptions): SizedCache<T> {
  // In the order in which they were set.
  const kept = new Map<string, Entry<T>>();
  let total = 0;

  function remove(key: string): void {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }

  return {
    get(key, now) {
      const entry = kept.get(key);
      if (entry === undefined || now - entry.at < maxAgeMs) return entry?.value;
      remove(key);
      return undefined;
    },
    set(key, value, { size, at }) {
      remove(key);
      const entry = { value, size: size + key.length + ENTRY_SIZE, at };
      kept.set(key, entry);
      total += entry.size;
      for (const oldest of kept.keys()) {
        if (total <= maxSize) break;
        remove(oldest);
      }
    },
  };
}

/** Values that are remembered for a fixed time: deduplication ids, attempts to receive. */
export interface Recent<V> {
  get(key: string, now: number): V | undefined;
  /** `now` never goes back. */
  set(key: string, value: V, now: number): void;
}

export function createRecent<V>(keepMs: number): Recent<V> {
  const entries = new Map<string, { readonly value: V; readonly until: number }>();
  let cleanedAt = 0;

  /** All at once and seldom: a map's first entry is slow to find where many before it were deleted. */
  function clean(now: number): void {
    if (now < cleanedAt + keepMs / 4) return;
    cleanedAt = now;
    for (const [key, { until }] of entries) {
      if (until > now) return;
      entries.delete(key);
    }
  }

  return {
    get(key, now) {
      const entry = entries.get(key);
      return entry && entry.until > now ? entry.value : undefined;
    },
    set(key, value, now) {
      clean(now);
      // Entries are in the order in which they expire.
      entries.delete(key);
      entries.set(key, { value, until: now + keepMs });
    },
  };
}

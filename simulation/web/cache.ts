/** The last results of a pure function, up to a limit. */
export function cached<K, V>(max: number, make: (key: K) => V): (key: K) => V {
  const kept = new Map<K, V>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    // All at once: a rare new start is cheaper than order kept at each call.
    if (kept.size >= max) kept.clear();
    const value = make(key);
    kept.set(key, value);
    return value;
  };
}

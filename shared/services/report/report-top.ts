/** The largest few of very many, in bounded memory. */
export interface Top<T> {
  add(value: T): void;
  /** The largest first; of equals the one that came first. */
  values(): T[];
}

/** Keeps `size` values by `weight`. Values without weight (0 or less) are left out. */
export function createTop<T>(size: number, weight: (value: T) => number): Top<T> {
  const kept: { readonly value: T; readonly weight: number }[] = [];
  return {
    add(value) {
      const own = weight(value);
      if (!(own > 0) || (kept.length === size && own <= kept[size - 1]!.weight)) return;
      let at = kept.length;
      while (at > 0 && kept[at - 1]!.weight < own) at--;
      kept.splice(at, 0, { value, weight: own });
      if (kept.length > size) kept.pop();
    },
    values: () => kept.map(({ value }) => value),
  };
}

export interface Width {
  /** Values that are worked on at a time. */
  readonly count: number;
  /** As much of what `sizeOf` returns, except that one value may be larger. Default: no limit. */
  readonly size?: number;
}

/**
 * Yields what `task` makes of each value, in the order of the values, while it works on the next ones. Throws what the
 * source or a task throws, after those that have begun are over.
 */
export async function* mapInOrder<From, To>(
  values: AsyncIterable<From>,
  { count, size = Number.POSITIVE_INFINITY }: Width,
  task: (value: From) => Promise<To>,
  sizeOf: (value: From) => number = () => 0,
): AsyncGenerator<To, void, undefined> {
  const begun: { readonly made: Promise<To>; readonly size: number }[] = [];
  let begunSize = 0;
  const first = (): Promise<To> => {
    const { made, size } = begun.shift()!;
    begunSize -= size;
    return made;
  };
  try {
    for await (const value of values) {
      const ownSize = sizeOf(value);
      while (begun.length > 0 && (begun.length >= count || begunSize + ownSize > size)) yield await first();
      const made = task(value);
      // It is reported when its turn comes.
      made.catch(() => {});
      begun.push({ made, size: ownSize });
      begunSize += ownSize;
      // The source may be slow: finished results need not wait for its next value.
      if (count === 1) yield await first();
    }
    while (begun.length > 0) yield await first();
  } finally {
    await Promise.allSettled(begun.map(({ made }) => made));
  }
}

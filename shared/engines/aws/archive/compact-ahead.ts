/**
 * The results of `job` in the items' order, up to `places` jobs at once. The items are requested no sooner
 * than needed. After a failure, or when the caller stops, no job is begun, and those in progress are waited
 * for.
 */
export async function* ahead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  places: number,
  job: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const rest = iterate(items);
  const begun: Promise<R>[] = [];
  try {
    for (;;) {
      while (begun.length < places) {
        const next = await rest.next();
        if (next.done) break;
        const result = job(next.value);
        // Met when its turn comes, below.
        result.catch(() => {});
        begun.push(result);
      }
      const first = begun.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    await Promise.allSettled(begun);
    await rest.return(undefined);
  }
}

async function* iterate<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}

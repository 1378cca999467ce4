/** Replaces an error by one that says what to do. Returns other errors as they are. */
export type Explain = (error: unknown) => unknown;

/** Runs `work`; an error that it throws or rejects with is explained. */
export function orExplained<T>(work: () => T, explain: Explain): T {
  const fail = (error: unknown): never => {
    throw explain(error);
  };
  let result: T;
  try {
    result = work();
  } catch (error) {
    return fail(error);
  }
  return result instanceof Promise ? (result.catch(fail) as T) : result;
}

/** The object, whose functions throw explained errors. They may return promises and async iterables. */
export function explainErrors<T extends object>(functions: T, explain: Explain): T {
  const guarded = Object.entries(functions).map(([name, value]) => [
    name,
    typeof value === 'function'
      ? (...given: unknown[]) => {
          const result: unknown = orExplained(() => value(...given), explain);
          return isAsyncIterable(result) ? explainedAll(result, explain) : result;
        }
      : value,
  ]);
  return Object.fromEntries(guarded) as T;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* explainedAll<T>(values: AsyncIterable<T>, explain: Explain): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (error) {
    throw explain(error);
  }
}

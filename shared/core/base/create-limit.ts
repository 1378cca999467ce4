import { Semaphore } from './semaphore.ts';

/** Returns a function that runs the tasks it is given, at most `limit` at a time, in order. */
export function createLimit(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const places = new Semaphore(limit);
  return async (task) => {
    const release = places.tryAcquire() ?? (await places.acquire());
    try {
      return await task();
    } finally {
      release?.();
    }
  };
}

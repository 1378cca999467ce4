/**
 * How long a project's own code may still run when the crawl is being stopped: a signal takes effect within 5
 * s.
 */
const GRACE_MS = 3000;

/**
 * Resolves to the result of `work`; to undefined if it has not ended {@link GRACE_MS} after `stopping` was
 * aborted.
 */
export function unlessStopped<T>(
  work: Promise<T>,
  stopping: AbortSignal,
  clock: { sleep(ms: number): Promise<void> },
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => void clock.sleep(GRACE_MS).then(() => resolve(undefined), reject);
    const end = () => stopping.removeEventListener('abort', stop);
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    work.then(resolve, reject).finally(end);
  });
}

import { type Release, Semaphore } from '../../core/base/semaphore.ts';
import type { Clock } from '../../crawler/ports/clock.ts';

/** Memory for bodies: callers for whom too few bytes are left wait in line. */
export interface Room {
  /**
   * Waits until `size` can be acquired; resolves to the function that releases it. A size above the limit runs alone.
   * Rejects after too long a wait.
   */
  enter(size: number): Promise<Release>;
}

export interface RoomOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly limitMs: number;
}

/** `capacity`: in bytes. */
export function createMemorySemaphore(capacity: number, { clock, limitMs }: RoomOptions): Room {
  const bytes = new Semaphore(capacity);
  return {
    async enter(size) {
      const release = await bytes.acquire(size, { deadline: { clock, ms: limitMs } });
      if (!release)
        throw new Error(
          `No memory for a body of ${size} bytes within ${limitMs} ms: hooks for other pages use it`,
        );
      return release;
    },
  };
}

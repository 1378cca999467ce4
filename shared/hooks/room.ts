import type { Clock } from '../ports/clock.ts';

/** A semaphore over bytes: callers for whom too few are left wait in line. */
export interface Room {
  /**
   * Resolves, when there is room for `size`, to what frees it. More than there ever is has it alone. Rejects
   * where there was none for too long.
   */
  enter(size: number): Promise<() => void>;
}

export interface RoomOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly limitMs: number;
}

export function createRoom(capacity: number, { clock, limitMs }: RoomOptions): Room {
  let taken = 0;
  const waiting: { readonly size: number; readonly admit: () => void }[] = [];

  function admitAll(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (taken > 0 && taken + next.size > capacity) return;
      waiting.shift();
      taken += next.size;
      next.admit();
    }
  }

  return {
    async enter(size) {
      const ending = new AbortController();
      const entry = { size, admit: () => ending.abort() };
      waiting.push(entry);
      admitAll();
      await clock.sleep(limitMs, ending.signal);
      if (!ending.signal.aborted) {
        waiting.splice(waiting.indexOf(entry), 1);
        admitAll();
        throw new Error(`Expected room for a body of ${size} bytes within ${limitMs} ms`);
      }
      return () => {
        taken -= size;
        admitAll();
      };
    },
  };
}

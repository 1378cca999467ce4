/** Long polls and listeners, which are notified when a queue may have something to receive. */
import type { VirtualTime } from './virtual-time.ts';

export interface Waiters<R> {
  /** Whether there are waiters. */
  readonly isAny: boolean;
  listen(listener: () => void): () => void;
  /** Resolves with what `receive` gives once it is something, or with undefined after `ms`. */
  wait(receive: () => R | undefined, ms: number): Promise<R | undefined>;
  /**
   * Notifies the polls, one by one, the longest waiting first, until one gets nothing; then all listeners.
   */
  notify(): void;
}

export function createWaiters<R>(time: VirtualTime): Waiters<R> {
  const listeners = new Set<() => void>();
  /** Each tries to receive, and says whether it got something. */
  const polls = new Set<() => boolean>();

  return {
    get isAny() {
      return listeners.size + polls.size > 0;
    },
    listen(listener) {
      // The same function may listen twice.
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    wait(receive, ms) {
      return new Promise((resolve) => {
        const cancel = time.at(time.now() + ms, () => {
          polls.delete(poll);
          resolve(undefined);
        });
        function poll() {
          const received = receive();
          if (received === undefined) return false;
          polls.delete(poll);
          cancel();
          resolve(received);
          return true;
        }
        polls.add(poll);
      });
    },
    notify() {
      for (const poll of polls) if (!poll()) break;
      for (const listener of listeners) listener();
    },
  };
}

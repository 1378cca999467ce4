/** Lets others wait for something to happen. No semaphore: all are woken, and nothing is taken. */
export interface Signal {
  notify(): void;
  /** Resolves at the next `notify`, after `ms`, or when `signal` aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  const waiting = new Set<() => void>();
  return {
    notify() {
      for (const wake of waiting) wake();
    },
    wait(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.add(wake);
        signal?.addEventListener('abort', wake);
      });
    },
  };
}

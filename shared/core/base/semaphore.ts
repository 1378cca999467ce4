/** Releases the acquired amount. Calls after the first do nothing. */
export type Release = () => void;

export interface AcquireOptions {
  /** The capacity for this caller, instead of the semaphore's. */
  readonly capacity?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Ends the wait after `ms`. */
  readonly deadline?: Deadline;
}

interface Deadline {
  readonly ms: number;
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
}

interface Waiter {
  readonly weight: number;
  readonly capacity: number;
  readonly admit: () => void;
}

/**
 * A weighted semaphore. Callers are admitted in the order of their calls: none overtakes another, however
 * little it wants. What weighs more than the whole capacity is admitted alone.
 */
export class Semaphore {
  readonly #capacity: number;
  #taken = 0;
  readonly #waiters: Waiter[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The weight of all that is admitted. */
  get taken(): number {
    return this.#taken;
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** Admits the caller at once, or not at all: undefined if it would have to wait. */
  tryAcquire(weight = 1, capacity = this.#capacity): Release | undefined {
    return this.#waiters.length === 0 && this.#hasRoom(weight, capacity) ? this.#take(weight) : undefined;
  }

  /**
   * Resolves when the caller is admitted; to undefined if the signal or the deadline came first. Never
   * rejects.
   */
  async acquire(weight = 1, options: AcquireOptions = {}): Promise<Release | undefined> {
    const { capacity, signal, deadline } = options;
    if (signal?.aborted) return undefined;
    const release = this.tryAcquire(weight, capacity);
    if (release) return release;
    return deadline && deadline.ms <= 0 ? undefined : this.#wait(weight, options);
  }

  #wait(
    weight: number,
    { capacity = this.#capacity, signal, deadline }: AcquireOptions,
  ): Promise<Release | undefined> {
    const { promise, resolve } = Promise.withResolvers<Release | undefined>();
    const timing = deadline && new AbortController();
    const end = (release?: Release) => {
      signal?.removeEventListener('abort', giveUp);
      timing?.abort();
      resolve(release);
    };
    const waiter = { weight, capacity, admit: () => end(this.#take(weight)) };
    const giveUp = () => {
      const at = this.#waiters.indexOf(waiter);
      // Not there any more: it was admitted.
      if (at < 0) return;
      this.#waiters.splice(at, 1);
      end();
      this.#admit();
    };
    this.#waiters.push(waiter);
    signal?.addEventListener('abort', giveUp);
    if (deadline) void deadline.clock.sleep(deadline.ms, timing?.signal).then(giveUp);
    return promise;
  }

  #hasRoom(weight: number, capacity: number): boolean {
    return this.#taken === 0 || this.#taken + weight <= capacity;
  }

  #take(weight: number): Release {
    this.#taken += weight;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#taken -= weight;
      this.#admit();
    };
  }

  /** Admits waiters in order while capacity is left. */
  #admit(): void {
    for (let next = this.#waiters[0]; next; next = this.#waiters[0]) {
      if (!this.#hasRoom(next.weight, next.capacity)) return;
      this.#waiters.shift();
      next.admit();
    }
  }
}

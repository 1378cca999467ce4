/**
 * How many invocations a poller may have in progress: few at first, more with time, fewer again after
 * failures.
 */

export interface PollerScaleOptions {
  readonly now: () => number;
  readonly isFifo: boolean;
  readonly max: number;
}

export interface PollerScale {
  limit(): number;
  /** A function failed, or was throttled: the poller backs off. */
  noteTrouble(): void;
  /** Nothing came for so long: what had grown is given up. */
  noteIdle(ms: number): void;
  /** When the limit grows next, if it does: a poller that has met it looks again then. */
  growsInMs(): number | undefined;
}

/**
 * For a standard queue: 5 at once, and 300 more each minute. A FIFO queue's are as many as it has active
 * groups.
 */
const FIRST = 5;
const MORE_MS = 60_000 / 300;
const IDLE_MS = 60_000;

export function createPollerScale({ now, isFifo, max }: PollerScaleOptions): PollerScale {
  const first = isFifo ? max : Math.min(FIRST, max);
  let base = first;
  let since = now();
  const limit = () => Math.min(max, base + Math.floor((now() - since) / MORE_MS));
  return {
    limit,
    noteTrouble() {
      base = Math.max(1, Math.floor(limit() / 2));
      since = now();
    },
    noteIdle(ms) {
      if (ms < IDLE_MS) return;
      base = first;
      since = now();
    },
    growsInMs() {
      if (limit() >= max) return undefined;
      return MORE_MS - ((now() - since) % MORE_MS);
    },
  };
}

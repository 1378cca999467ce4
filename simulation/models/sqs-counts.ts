/**
 * The sizes that a queue reports: "approximate", and right only a minute after the last change
 * (GetQueueAttributes).
 */
import type { Faults } from './faults.ts';
import type { QueueSize } from './sqs-store.ts';

export interface SeenSizes {
  /** Called before each change, with the size until then. */
  changes(size: QueueSize, now: number): void;
  /** The size as somebody sees it who asks now. */
  seen(size: QueueSize, now: number): QueueSize;
}

const STALE_MS = 60_000;
/** Sizes that did not last so long are not kept. */
const GRAIN_MS = 1000;

export function createSeenSizes(faults: Faults): SeenSizes {
  /** Earlier sizes, and until when they were right, the latest last. */
  const past: { readonly size: QueueSize; readonly until: number }[] = [];

  return {
    changes(size, now) {
      const latest = past.at(-1);
      if (latest && now < latest.until + GRAIN_MS) return;
      past.push({ size, until: now });
      if (past.length > STALE_MS / GRAIN_MS) past.shift();
    },
    seen(size, now) {
      const other = past.filter(({ until, size: was }) => now - until < STALE_MS && isOther(was, size));
      if (other.length === 0 || !faults.strikes('staleRead')) return size;
      return other[Math.floor(faults.random('staleRead') * other.length)]?.size ?? size;
    },
  };
}

const isOther = (a: QueueSize, b: QueueSize): boolean =>
  a.visible !== b.visible || a.inFlight !== b.inFlight || a.delayed !== b.delayed;

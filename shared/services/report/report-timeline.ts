/** Events over time, in intervals long enough to keep their number bounded. */
export interface Timeline {
  /** When the first interval begins: ms since the epoch. */
  readonly startAt: number;
  readonly intervalMs: number;
  /** By interval, the first to the last that is not empty. */
  readonly counts: readonly number[];
}

const MAX_INTERVALS = 120;
const FIRST_INTERVAL_MS = 1000;

/** Intervals double when there are too many: events may come in any order. */
export function createTimeline() {
  let intervalMs = FIRST_INTERVAL_MS;
  let counts = new Map<number, number>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;

  const widen = () => {
    const wider = new Map<number, number>();
    for (const [at, count] of counts) wider.set(half(at), (wider.get(half(at)) ?? 0) + count);
    counts = wider;
    intervalMs *= 2;
    first = half(first);
    last = half(last);
  };

  return {
    add(time: number): void {
      let at = Math.floor(time / intervalMs);
      while (Math.max(last, at) - Math.min(first, at) >= MAX_INTERVALS) {
        if (counts.size > 0) widen();
        at = Math.floor(time / intervalMs);
      }
      first = Math.min(first, at);
      last = Math.max(last, at);
      counts.set(at, (counts.get(at) ?? 0) + 1);
    },
    timeline: (): Timeline | undefined =>
      counts.size === 0
        ? undefined
        : {
            startAt: first * intervalMs,
            intervalMs,
            counts: Array.from({ length: last - first + 1 }, (_, i) => counts.get(first + i) ?? 0),
          },
  };
}

/** Not by shifting: the numbers have more than 32 bits. */
const half = (at: number): number => Math.floor(at / 2);

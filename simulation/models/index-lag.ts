/**
 * A global secondary index that gets no updates for minutes, as while its partitions are split or throttled.
 */
import type { Faults } from './faults.ts';

const WINDOW_MS = 60_000;
export const MAX_INDEX_LAG_MS = 480_000;

/**
 * The moment that the index shows: undefined for this one. It stops from a read on, at most once for each
 * minute, and has all updates again when it continues.
 */
export function createIndexLag(now: () => number, faults: Faults): () => number | undefined {
  let window = -1;
  let from = 0;
  let until = 0;
  return () => {
    const at = now();
    if (at < until) return from;
    const current = Math.floor(at / WINDOW_MS);
    if (current === window) return undefined;
    window = current;
    if (!faults.strikes('indexLags')) return undefined;
    from = at;
    until = at + faults.random('indexLags') * MAX_INDEX_LAG_MS;
    return from;
  };
}

/**
 * A worker's processor as a queue: work is done in the order requested, at the share of a
 * CPU that the memory buys. So a worker that is given too much to do becomes slow, as a real one would.
 */
import type { VirtualTime } from '../models/virtual-time.ts';

/** MB of memory that buy one whole CPU (Lambda developer guide, "Configure Lambda function memory"). */
const MB_PER_CPU = 1769;

export interface Cpu {
  /**
   * Resolves when `ms` milliseconds of one whole CPU have been worked off, after all that was requested
   * before.
   */
  use(ms: number): Promise<void>;
  /** CPU ms worked or promised since the beginning, of one whole CPU. */
  usedMs(): number;
  /** Milliseconds of virtual time that work now requested has to wait. */
  backlogMs(): number;
}

/** A crawler's worker has one thread: a second CPU does not make it faster. */
export function createCpu(time: Pick<VirtualTime, 'now' | 'sleep'>, memoryMb: number): Cpu {
  const share = Math.min(1, memoryMb / MB_PER_CPU);
  /** Fractions of a millisecond count, while virtual time knows whole ones only. */
  let freeAt = 0;
  let used = 0;
  const backlogMs = () => Math.max(0, freeAt - time.now());
  return {
    use(ms) {
      used += ms;
      freeAt = Math.max(freeAt, time.now()) + ms / share;
      return time.sleep(Math.floor(backlogMs()));
    },
    usedMs: () => used,
    backlogMs,
  };
}

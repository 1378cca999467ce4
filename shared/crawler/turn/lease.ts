import type { Clock } from '../ports/clock.ts';
import type { HostDeliveries, TurnQueue } from '../ports/turn-queue.ts';

/** The time for which a worker has a host. */
export interface Lease {
  /** The end of the host's lock, or of the whole process: all must be done before. */
  readonly endsAt: number;
  /**
   * The worker receives no hosts after that: turns end then, if they have had time for some pages. It becomes earlier if
   * the worker is to end.
   */
  readonly receiveUntil: number;
  /**
   * When it resolves, nobody will be given the host for so long; if this process dies, for `restMs` after that. Throws
   * `StaleTurn` if somebody may have been already. Undefined: nothing had to be done for it.
   */
  lockFor(ms: number, restMs?: number): Promise<void> | undefined;
}

/** The lock lasts this much longer than requested, because the response takes time. */
const SLACK_MS = 2000;

/** The times of a worker's process. */
export interface WorkerTimes {
  /** No host is received after that. */
  readonly receiveUntil: number;
  /** The process ends then. */
  readonly deadline: number;
}

export function leaseOf(
  queue: Pick<TurnQueue, 'hold' | 'isHeld'>,
  clock: Pick<Clock, 'now'>,
  received: HostDeliveries,
  times: WorkerTimes,
): Lease {
  let lockedUntil = received.leaseUntil;
  const isLockedFor = (ms: number, restMs: number) =>
    clock.now() + ms <= lockedUntil && (queue.isHeld?.(received, restMs) ?? true);
  /** More than once where the process froze meanwhile. */
  async function lock(ms: number, restMs: number): Promise<void> {
    while (!isLockedFor(ms, restMs)) {
      const until = clock.now() + ms + SLACK_MS;
      await queue.hold(received, until, restMs + SLACK_MS);
      lockedUntil = Math.max(lockedUntil, until);
    }
  }
  return {
    endsAt: Math.min(received.leaseUntil, times.deadline),
    get receiveUntil() {
      return times.receiveUntil;
    },
    lockFor: (ms, restMs = ms) => (isLockedFor(ms, restMs) ? undefined : lock(ms, restMs)),
  };
}

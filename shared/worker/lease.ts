import type { HostDeliveries, TurnQueue } from '../ports.ts';

/** The time for which a worker has a host. */
export interface Lease {
  /** The host's lock, or the whole process, ends then: all is to be done before. */
  readonly endsAt: number;
  /**
   * Sees to it that nobody is given the host before that time, whatever becomes of this process. Throws `StaleTurn` if
   * somebody may have been already.
   */
  lockUntil(time: number): Promise<void>;
}

/** `deadline`: when the process ends. */
export function leaseOf(queue: Pick<TurnQueue, 'hold'>, received: HostDeliveries, deadline: number): Lease {
  let lockedUntil = received.leaseUntil;
  return {
    endsAt: Math.min(received.leaseUntil, deadline),
    async lockUntil(time) {
      if (time <= lockedUntil) return;
      await queue.hold(received, time);
      lockedUntil = time;
    },
  };
}

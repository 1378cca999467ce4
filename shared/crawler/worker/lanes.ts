import { Semaphore } from '../../core/base/semaphore.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lanes } from '../turn/services.ts';
import { createAddressLines } from './address-lines.ts';
import { createReceives } from './receives.ts';
import { timedRequest } from './timed-request.ts';

interface Lane {
  /** The requests in flight, and those that wait. */
  readonly places: Semaphore;
  /** By the clock's `elapsed`, both. */
  lastEndedAt: number;
  restUntil: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Above `maxIdle` hosts those are forgotten that have rested for long. */
export function createLanes(clock: Clock, maxIdle: number): Lanes {
  const lanes = new Map<HostKey, Lane>();
  // A clock that is set forward must hurry no host, and one that is set back must stall none.
  const elapsed = clock.elapsed ?? clock.now;

  function laneOf(host: HostKey): Lane {
    let lane = lanes.get(host);
    if (!lane) {
      lane = { places: new Semaphore(1), lastEndedAt: NEVER, restUntil: NEVER };
      lanes.set(host, lane);
    }
    return lane;
  }

  return {
    addresses: createAddressLines(clock, maxIdle),
    rates: new Map(),
    receives: createReceives(),
    async run(host, { perHost, gapMs, latestAt, signal }, request, isCounted = () => true) {
      const lane = laneOf(host);
      const { places } = lane;
      // Crawls may allow different numbers of requests at once to the same host.
      const release = places.tryAcquire(1, perHost) ?? (await places.acquire(1, { capacity: perHost }));
      try {
        const now = clock.now();
        const restMs = perHost === 1 ? Math.max(0, lane.lastEndedAt + gapMs - elapsed()) : 0;
        if (now + restMs > latestAt) return undefined;
        if (restMs > 0) await clock.sleep(restMs, signal);
        if (signal?.aborted) return undefined;
        return await timedRequest(request, isCounted, () => {
          lane.lastEndedAt = elapsed();
        });
      } finally {
        release?.();
        if (lanes.size > maxIdle) forgetIdle(lanes, elapsed());
      }
    },
    rest(host, until) {
      const lane = laneOf(host);
      lane.restUntil = Math.max(lane.restUntil, elapsed() + until - clock.now());
    },
    restAfterLast(host, ms) {
      const lane = laneOf(host);
      lane.restUntil = Math.max(lane.restUntil, lane.lastEndedAt + ms);
    },
    restUntil(host) {
      const restMs = (lanes.get(host)?.restUntil ?? NEVER) - elapsed();
      return restMs > 0 ? clock.now() + Math.ceil(restMs) : 0;
    },
  };
}

/** By then the host's clock in its head has the say. */
const IDLE_MS = 300_000;

function forgetIdle(lanes: Map<HostKey, Lane>, elapsed: number): void {
  for (const [host, lane] of lanes)
    if (lane.places.taken === 0 && elapsed > lane.lastEndedAt + IDLE_MS && elapsed > lane.restUntil)
      lanes.delete(host);
}

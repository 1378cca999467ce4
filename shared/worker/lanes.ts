import type { Clock, HostKey } from '../ports.ts';

/**
 * Lets requests to one host go one after the other within this process, whoever makes them: the host's own turn, or
 * another host's whose robots.txt redirects here. Between processes the queue's lock does that.
 */
export interface Lanes {
  /**
   * Runs `request` when fewer than `perHost` of the host are in flight and `gapMs` have passed since the last one
   * ended (with one lane).
   */
  run<T>(host: HostKey, perHost: number, gapMs: number, request: () => Promise<T>): Promise<T>;
  /** Keeps in mind that the host is to be left alone until then, where no head says so: its turn was thrown away. */
  rest(host: HostKey, until: number): void;
  /** Until when, by {@link Lanes.rest}; 0 if nothing is in mind. */
  restUntil(host: HostKey): number;
}

interface Lane {
  inFlight: number;
  lastEndedAt: number;
  restUntil: number;
  readonly waiting: (() => void)[];
}

export function createLanes(clock: Clock): Lanes {
  const lanes = new Map<HostKey, Lane>();

  function laneOf(host: HostKey): Lane {
    let lane = lanes.get(host);
    if (!lane) {
      lane = { inFlight: 0, lastEndedAt: 0, restUntil: 0, waiting: [] };
      lanes.set(host, lane);
    }
    return lane;
  }

  return {
    async run(host, perHost, gapMs, request) {
      const lane = laneOf(host);
      while (lane.inFlight >= perHost) await new Promise<void>((wake) => lane.waiting.push(wake));
      lane.inFlight++;
      try {
        const restMs = perHost === 1 ? lane.lastEndedAt + gapMs - clock.now() : 0;
        if (restMs > 0) await clock.sleep(restMs);
        return await request();
      } finally {
        lane.inFlight--;
        lane.lastEndedAt = clock.now();
        lane.waiting.shift()?.();
        if (lanes.size > MAX_IDLE_LANES) forgetIdle(lanes, clock.now());
      }
    },
    rest(host, until) {
      const lane = laneOf(host);
      lane.restUntil = Math.max(lane.restUntil, until);
    },
    restUntil: (host) => lanes.get(host)?.restUntil ?? 0,
  };
}

const MAX_IDLE_LANES = 10_000;
/** By then the host's clock in its head has the say. */
const IDLE_MS = 300_000;

function forgetIdle(lanes: Map<HostKey, Lane>, now: number): void {
  for (const [host, lane] of lanes)
    if (
      lane.inFlight === 0 &&
      lane.waiting.length === 0 &&
      now > Math.max(lane.lastEndedAt + IDLE_MS, lane.restUntil)
    )
      lanes.delete(host);
}

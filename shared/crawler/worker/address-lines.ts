import QuickLRU from 'quick-lru';
import { type Release, Semaphore } from '../../core/base/semaphore.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { AddressLines, LineSpacing } from '../turn/pace/address-lines.ts';
import { timedRequest } from './timed-request.ts';

interface Line {
  /** The request in flight, and those that wait. */
  readonly places: Semaphore;
  /** By the clock's `elapsed`, both. */
  lastEndedAt: number;
  /** Before this time all places are given. */
  tail: number;
  /** How long requests to the address take, on average over the last ones. */
  tookMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** Hosts whose slot, or whose address, is remembered. */
const MAX_HOSTS = 20_000;
/** A new request counts for this part of the average. */
const NEW_SHARE = 0.2;
/** Lines that have rested for longer say nothing. */
const IDLE_MS = 300_000;

/** Above `maxIdle` addresses those are forgotten that have rested for long. */
export function createAddressLines(clock: Clock, maxIdle: number): AddressLines {
  const lines = new Map<string, Line>();
  const elapsed = clock.elapsed ?? clock.now;
  const places = new QuickLRU<HostKey, number>({ maxSize: MAX_HOSTS });
  const lastAddresses = new QuickLRU<HostKey, string>({ maxSize: MAX_HOSTS });
  let owner: string | undefined;

  function lineOf(address: string): Line {
    let line = lines.get(address);
    if (!line) {
      line = { places: new Semaphore(1), lastEndedAt: NEVER, tail: NEVER, tookMs: 0 };
      lines.set(address, line);
    }
    return line;
  }

  return {
    owner: () => {
      owner ??= clock.uuid();
      return owner;
    },
    join(host, addresses, delayMs) {
      const now = elapsed();
      const kept = places.get(host);
      places.delete(host);
      if (kept !== undefined) return Math.max(now, kept);
      const joined = addresses.map(lineOf);
      const at = Math.max(now, ...joined.map((line) => Math.max(line.tail, line.lastEndedAt + delayMs)));
      for (const line of joined) line.tail = at + delayMs + line.tookMs;
      return at;
    },
    keep: (host, at) => void places.set(host, at),
    leave(addresses, delayMs) {
      for (const address of addresses) {
        const line = lineOf(address);
        line.tail -= delayMs + line.tookMs;
      }
    },
    isIdle: (address) => (lines.get(address)?.places.taken ?? 0) === 0,
    note: (host, address) => void lastAddresses.set(host, address),
    lastOf: (host) => lastAddresses.get(host),
    async run(addresses, spacing, request, isCounted) {
      // In one order for all, so that no two wait for each other.
      const taken = [...addresses].sort().map(lineOf);
      try {
        return await runInLines(clock, taken, spacing, () => timed(taken, elapsed, request, isCounted));
      } finally {
        if (lines.size > maxIdle) forgetIdle(lines, elapsed());
      }
    },
  };
}

/** Undefined: it would have begun too late. */
async function runInLines<T>(
  clock: Clock,
  lines: readonly Line[],
  { delayMs, latestAt, signal }: LineSpacing,
  request: () => Promise<T>,
): Promise<T | undefined> {
  const elapsed = clock.elapsed ?? clock.now;
  const releases: Release[] = [];
  try {
    for (const { places } of lines) {
      const deadline = { ms: latestAt - clock.now(), clock };
      const release =
        places.tryAcquire() ?? (await places.acquire(1, { ...(signal && { signal }), deadline }));
      if (!release) return undefined;
      releases.push(release);
    }
    const restMs = Math.max(0, ...lines.map(({ lastEndedAt }) => lastEndedAt + delayMs - elapsed()));
    if (clock.now() + restMs > latestAt) return undefined;
    if (restMs > 0) await clock.sleep(restMs, signal);
    return signal?.aborted ? undefined : await request();
  } finally {
    for (const release of releases) release();
  }
}

/** Notes how long the request takes, and when it ends. */
function timed<T>(
  lines: readonly Line[],
  elapsed: () => number,
  request: () => Promise<T>,
  isCounted: (result: T) => boolean,
): Promise<T> {
  const startedAt = elapsed();
  return timedRequest(request, isCounted, () => {
    const endedAt = elapsed();
    for (const line of lines) {
      line.lastEndedAt = endedAt;
      line.tookMs += NEW_SHARE * (endedAt - startedAt - line.tookMs);
    }
  });
}

function forgetIdle(lines: Map<string, Line>, elapsed: number): void {
  for (const [address, { places, lastEndedAt, tail }] of lines)
    if (places.taken === 0 && elapsed > Math.max(lastEndedAt, tail) + IDLE_MS) lines.delete(address);
}

import type { HostDeliveries } from '../ports/turn-queue.ts';
import { areSuspicious } from '../turn/lost-turns.ts';
import type { TurnServices } from '../turn/services.ts';

/** Ordinary hosts are served for this long between suspicious ones ... */
const GAP_MS = 20_000;
/** ... unless this share of a suspicious host's lease is over. */
const MAX_KEPT_SHARE = 1 / 8;
/** Ordinary turns end within this share of the lease, or suspicious hosts are served beside them. */
const MAX_WAIT_SHARE = 1 / 4;
/** ... and within this time, where leases are long. */
const MAX_WAIT_MS = 120_000;

/**
 * Hosts whose messages came back so often that they have perhaps killed their workers. They are served while the
 * process serves no others: a death then costs the ordinary hosts nothing but the time until another process has
 * started. The ordinary turns end first: their length is limited.
 */
export class SuspectHosts {
  readonly #services: Pick<TurnServices, 'engine' | 'lanes' | 'stats'>;
  readonly #hosts: HostDeliveries[] = [];
  #nextAt = Number.NEGATIVE_INFINITY;
  #dueAt = 0;

  constructor(services: Pick<TurnServices, 'engine' | 'lanes' | 'stats'>) {
    this.#services = services;
  }

  /** Hosts that are kept. */
  get size(): number {
    return this.#hosts.length;
  }

  /** Whether the kept hosts are to be served now. */
  get areDue(): boolean {
    const { engine, stats } = this.#services;
    return this.size > 0 && (stats.hostsActive === 0 || engine.clock.now() >= this.#dueAt);
  }

  /** Keeps a host that was received, if it is suspicious. A park would make it come back once more. */
  keep(received: HostDeliveries): boolean {
    const { engine, lanes } = this.#services;
    if (!areSuspicious(received.deliveries, lanes.receives)) return false;
    const now = engine.clock.now();
    const latestAt = now + (received.leaseUntil - now) * MAX_KEPT_SHARE;
    this.#dueAt = Math.min(latestAt, this.size === 0 ? Math.max(now, this.#nextAt) : this.#dueAt);
    this.#hosts.push(received);
    return true;
  }

  /**
   * Waits until the turns in progress have ended, but not beyond `until`, and not so long that the kept hosts' leases
   * would be too short.
   */
  async othersEnd(ended: Promise<unknown>, until: number): Promise<void> {
    const { clock } = this.#services.engine;
    const now = clock.now();
    const leaseMs = Math.min(...this.#hosts.map(({ leaseUntil }) => leaseUntil)) - now;
    const waitMs = Math.min(MAX_WAIT_MS, leaseMs * MAX_WAIT_SHARE, until - now);
    const waiting = new AbortController();
    this.#services.stats.quarantineSince = now;
    await Promise.race([ended, clock.sleep(waitMs, waiting.signal)]);
    waiting.abort();
  }

  /**
   * Returns the kept hosts, in random order: the one that kills the process is not always the first, so that some of the
   * others are cleared before.
   */
  take(): readonly HostDeliveries[] {
    const { random } = this.#services.engine.clock;
    const keyed = this.#hosts.splice(0).map((received) => ({ received, key: random() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ received }) => received);
  }

  /** The hosts that were taken are served. */
  end(): void {
    this.#services.stats.quarantineSince = undefined;
    this.#nextAt = this.#services.engine.clock.now() + GAP_MS;
  }
}

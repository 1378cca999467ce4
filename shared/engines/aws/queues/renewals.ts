/** Keeps received groups hidden while this process lives: their visibility is short, and renewed. */
import type { Clock } from '../../../crawler/ports/clock.ts';

/** A received group. */
export interface Held {
  /** By delivery: the receipt handles of what is not acknowledged, in the order received. */
  readonly handles: Map<string, string>;
  readonly receivedAt: number;
  /** When the lease ends: perhaps later than it was to when received. It is not renewed beyond. */
  until: number;
  /** Hidden until then, even if this process dies now. */
  hiddenUntil: number;
  /** So long the group must stay hidden at any time, for the rest after its requests. */
  aheadMs: number;
  /** The renewal in progress. Never rejects. */
  renewing: Promise<void>;
}

export interface RenewalsOptions {
  readonly clock: Clock;
  /** The visibility of a group that was just received or renewed. */
  readonly renewedMs: number;
  /** Hides the groups for these times from now. Resolves to those that are no longer ours. */
  readonly hide: (groups: ReadonlyMap<Held, number>) => Promise<ReadonlySet<Held>>;
}

/** A group is hidden for at least this share of the renewed visibility at any time, as long as renewals do not fail. */
const LEAST_SHARE = 1 / 2;
/** Groups are looked at this often in a renewed visibility. */
const LOOKS = 9;
/** A renewal may take this number of looks. */
const LATE_LOOKS = 1.5;

export class Renewals {
  readonly #options: RenewalsOptions;
  readonly #groups = new Set<Held>();
  /** Ends the loop, which runs while there are groups. */
  #ending: AbortController | undefined;

  constructor(options: RenewalsOptions) {
    this.#options = options;
  }

  /** From now on the group is renewed, until its lease ends. */
  add(held: Held): void {
    if (held.until <= held.hiddenUntil) return;
    this.#groups.add(held);
    if (this.#ending) return;
    this.#ending = new AbortController();
    void this.#run(this.#ending.signal);
  }

  /** When it resolves, no renewal of the group is in progress, and none follows. */
  async remove(held: Held): Promise<void> {
    this.#groups.delete(held);
    if (this.#groups.size === 0) {
      this.#ending?.abort();
      this.#ending = undefined;
    }
    await held.renewing;
  }

  /** How long a group is hidden by a renewal. */
  msOf({ aheadMs, until }: Held): number {
    const { renewedMs, clock } = this.#options;
    const ms = Math.max(renewedMs, aheadMs + renewedMs * (1 - LEAST_SHARE));
    return Math.max(aheadMs, Math.min(ms, until - clock.now()));
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, renewedMs } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(renewedMs / LOOKS, signal);
      if (!signal.aborted) await this.#renewDue();
    }
  }

  async #renewDue(): Promise<void> {
    const { clock, hide } = this.#options;
    const now = clock.now();
    for (const held of this.#groups)
      if (Math.min(held.until, held.hiddenUntil) <= now) void this.remove(held);
    const due = new Map<Held, number>();
    for (const held of this.#groups) if (this.#isDue(held, now)) due.set(held, this.msOf(held));
    if (due.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const held of due.keys()) held.renewing = promise;
    try {
      const gone = await hide(due);
      for (const [held, ms] of due) {
        if (gone.has(held)) this.#lose(held);
        else held.hiddenUntil = Math.max(held.hiddenUntil, now + ms);
      }
    } catch {
      // Tried again at the next look. A turn asks before each request whether the group is still ours.
    } finally {
      resolve();
    }
  }

  #isDue({ until, hiddenUntil, aheadMs }: Held, now: number): boolean {
    const { renewedMs } = this.#options;
    const leastMs = Math.max(renewedMs * LEAST_SHARE, aheadMs) + (LATE_LOOKS * renewedMs) / LOOKS;
    return hiddenUntil < until && hiddenUntil - now < leastMs;
  }

  #lose(held: Held): void {
    held.hiddenUntil = Number.NEGATIVE_INFINITY;
    void this.remove(held);
  }
}

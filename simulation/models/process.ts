/**
 * A process of the simulated world: what it waits for comes only while it lives and goes. When it is
 * killed, nothing of it continues and no one is notified; the calls that it has sent still take effect. A
 * frozen process makes no progress: responses and timers wait for it.
 */

import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { createSteadyClock } from '../../shared/engines/steady-clock.ts';
import type { Faults } from './faults.ts';
import { type Random, uuidsOf } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimProcess {
  readonly name: string;
  /** As this process sees it: perhaps ahead of the world's, or behind. */
  readonly clock: Clock;
  readonly isDead: boolean;
  readonly isFrozen: boolean;
  /** Resolves when it dies, with why. */
  readonly died: Promise<string>;
  /**
   * Begins `work`, which is the world's and continues even if the process dies, and gives its outcome
   * to the process when that can take it.
   */
  io<T>(work: () => Promise<T> | T): Promise<T>;
  kill(why: string): void;
  freeze(): void;
  thaw(): void;
}

export interface ProcessOptions {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Makes its UUIDs. Default: from `random`. */
  readonly uuid?: () => string;
  readonly faults: Faults;
  readonly trace?: Trace;
  /** Added to the world's time. */
  readonly skewMs?: number;
  /** When the machine's clock is set, in the world's time, and by how much. */
  readonly clockSteps?: readonly ClockStep[];
}

export interface ClockStep {
  readonly at: number;
  readonly byMs: number;
}

/** A freeze by a fault lasts up to this: longer than any lease, mostly shorter. */
const MAX_FREEZE_MS = 180_000;

export function createProcess(options: ProcessOptions): SimProcess {
  const { name, time, random, uuid = uuidsOf(random), faults, trace, skewMs = 0, clockSteps = [] } = options;
  const death = Promise.withResolvers<string>();
  let isDead = false;
  let freezes = 0;
  let thawed = Promise.withResolvers<void>();
  const forEver = () => new Promise<never>(() => {});

  function freeze(): void {
    if (freezes++ === 0) thawed = Promise.withResolvers();
  }
  function thaw(): void {
    if (freezes > 0 && --freezes === 0) thawed.resolve();
  }
  function kill(why: string): void {
    if (isDead) return;
    isDead = true;
    trace?.({ process: name, what: `dies: ${why}` });
    death.resolve(why);
  }

  /** Resolves when the process continues; never, if it does not any more. */
  async function going(): Promise<void> {
    if (isDead) return forEver();
    if (freezes === 0) {
      if (faults.strikes('workerKilled')) kill('killed');
      else if (faults.strikes('workerFrozen')) {
        const ms = Math.ceil(faults.random('workerFrozen') ** 3 * MAX_FREEZE_MS);
        trace?.({ process: name, what: `stands still for ${ms} ms` });
        freeze();
        time.at(time.now() + ms, thaw);
      }
    }
    while (freezes > 0 && !isDead) await thawed.promise;
    if (isDead) return forEver();
  }

  async function io<T>(work: () => Promise<T> | T): Promise<T> {
    if (isDead) return forEver();
    while (freezes > 0) {
      await thawed.promise;
      if (isDead) return forEver();
    }
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await going();
      throw error;
    }
    await going();
    return result;
  }

  function wall(): number {
    const now = time.now();
    return clockSteps.reduce((sum, { at, byMs }) => (at <= now ? sum + byMs : sum), now + skewMs);
  }

  return {
    name,
    get isDead() {
      return isDead;
    },
    get isFrozen() {
      return freezes > 0;
    },
    died: death.promise,
    io,
    kill,
    freeze,
    thaw,
    clock: {
      ...createSteadyClock(wall, time.now),
      random,
      uuid,
      sleep: (ms, signal) => io(() => time.sleep(ms, signal)),
    },
  };
}

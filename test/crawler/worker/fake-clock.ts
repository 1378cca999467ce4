import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../shared/crawler/ports/clock.ts';

/** Virtual time, moved by {@link FakeClock.drive} and {@link FakeClock.advance} alone. Chance is seeded. */
export interface FakeClock extends Clock {
  elapsed(): number;
  /** Sets the wall clock; what sleeps, sleeps on as long. */
  set(byMs: number): void;
  /** Lets `ms` pass, and what waits for it happen. */
  advance(ms: number): Promise<void>;
  /**
   * Lets time pass, from one sleeper's moment to the next, until `promise` is settled or `isOver` says so,
   * which is asked each time everybody sleeps. Throws where nobody sleeps and nothing can happen any more.
   */
  drive<T>(promise: Promise<T>, isOver?: () => Promise<boolean> | boolean): Promise<T | undefined>;
}

interface Sleeper {
  at: number;
  readonly wake: () => void;
}

/** Far from 0, so that a time that was never set shows. */
export const T0 = Date.UTC(2026, 0, 1);
/** Nothing sleeps so long: a test that gets there hangs. */
const MAX_DRIVE_MS = 10 * 86_400_000;

export function createFakeClock(seed = 1): FakeClock {
  let now = T0;
  let sleepers: Sleeper[] = [];
  let setBy = 0;
  const random = seededRandom(seed);

  function wakeFirst(until = Number.POSITIVE_INFINITY): boolean {
    const first = sleepers.reduce<Sleeper | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
    if (!first || first.at > until) return false;
    now = Math.max(now, first.at);
    first.wake();
    return true;
  }

  return {
    now: () => now,
    elapsed: () => now - setBy,
    set(byMs) {
      now += byMs;
      setBy += byMs;
      sleepers = sleepers.map((sleeper) => Object.assign(sleeper, { at: sleeper.at + byMs }));
    },
    random,
    uuid: randomUUID,
    sleep(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper: Sleeper = {
          at: now + ms,
          wake() {
            sleepers = sleepers.filter((other) => other !== sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      });
    },
    async advance(ms) {
      const until = now + ms;
      await everybodyWaits();
      while (wakeFirst(until)) await everybodyWaits();
      now = until;
    },
    async drive(promise, isOver = () => false) {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      promise.then(settle, settle);
      const until = now + MAX_DRIVE_MS;
      for (;;) {
        await everybodyWaits();
        if (isSettled) return promise;
        if (await isOver()) return undefined;
        if (wakeFirst(until)) continue;
        if (sleepers.length === 0) await somethingReal(() => isSettled || sleepers.length > 0);
        if (!isSettled && !sleepers.some(({ at }) => at <= until))
          throw new Error('nobody sleeps, and nothing happens any more');
      }
    },
  };
}

/** Nothing here does real I/O, so a few rounds of the event loop take everything as far as it can go. */
async function everybodyWaits(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Compression runs in threads of zlib, which take real time. Waits until it has had a result, at most
 * ten seconds: then nothing is in progress.
 */
async function somethingReal(hasHappened: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000 && !hasHappened(); waited += 5)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

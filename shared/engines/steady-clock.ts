import type { Clock } from '../crawler/ports/clock.ts';
import { systemClock } from './system-clock.ts';

/** Time that never goes back, and that reports when the machine's clock was set. */
export interface SteadyClock extends Clock {
  elapsed(): number;
  follow(): void;
  /**
   * By how much the machine's clock was set since this was asked last, in ms: below 0 if it was set back. 0:
   * it was not.
   */
  takeStep(): number;
}

/**
 * A smaller difference between the two clocks is none: they are read one after the other, and corrected
 * little by little.
 */
const STEP_MS = 1000;
/**
 * The two clocks are compared no more often while the machine's seems to continue: a crawl asks for the time
 * ten times a page.
 */
const COMPARE_MS = 100;

/**
 * The time of a process that crawls. Where the machine's clock is set back, time continues as if it had not
 * been: a host's rest, which is a time, would else become longer by as much. Where it is set forward, as
 * after the machine slept, time follows. `wall`: ms since the epoch; `monotonic`: ms that pass evenly.
 */
export function createSteadyClock(
  wall: () => number,
  monotonic: () => number,
): Omit<SteadyClock, 'sleep' | 'random' | 'uuid'> {
  /** Added to the machine's time. */
  let shift = 0;
  let last = wall();
  /** When both clocks were read last, by each. */
  let compared = last;
  let comparedMonotonic = monotonic();
  let step = 0;

  function now(): number {
    const seen = wall() + shift;
    if (seen < last || seen - compared > COMPARE_MS) return compare();
    last = Math.round(seen);
    return last;
  }

  function compare(): number {
    const at = monotonic();
    const expected = compared + at - comparedMonotonic;
    let time = wall() + shift;
    const difference = time - expected;
    if (Math.abs(difference) > STEP_MS) {
      step += difference;
      // Set forward after it was set back: the added time is taken back first.
      const kept = difference < 0 ? difference : Math.min(difference, shift);
      shift -= kept;
      time -= kept;
    }
    last = Math.max(last, Math.round(time));
    compared = last;
    comparedMonotonic = at;
    return last;
  }

  return {
    now,
    elapsed: monotonic,
    follow() {
      shift = 0;
      last = wall();
      compared = last;
      comparedMonotonic = monotonic();
    },
    takeStep() {
      compare();
      const taken = step;
      step = 0;
      return taken;
    },
  };
}

/** The clock of this thread's crawls. */
export const steadyClock: SteadyClock = {
  ...systemClock,
  ...createSteadyClock(Date.now, () => performance.now()),
};

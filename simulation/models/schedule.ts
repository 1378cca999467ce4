/**
 * A model of a rule of EventBridge with a rate: it invokes once a period, a little late, and now and then
 * twice ("at least once").
 */
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimScheduleOptions {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly periodMs: number;
  /** A failed call is not tried again: the next period does its work. */
  readonly invoke: () => Promise<unknown>;
}

/** Rules are exact to the minute, and mostly to a second. */
const MAX_LATE_MS = 1000;
/** The second of two invocations of one period comes so late. */
const MAX_TWICE_MS = 5000;

/** Begins within the first period. Returns a function that ends it. */
export function createSimSchedule({
  time,
  faults,
  random,
  periodMs,
  invoke,
}: SimScheduleOptions): () => void {
  let isStopped = false;
  const once = () => {
    if (!isStopped) void invoke();
  };

  function plan(at: number): void {
    time.at(at, () => {
      if (isStopped) return;
      plan(at + periodMs);
      const firstAt = at + random() * MAX_LATE_MS;
      time.at(firstAt, once);
      if (faults.strikes('messageTwice')) time.at(firstAt + random() * MAX_TWICE_MS, once);
    });
  }

  plan(time.now() + Math.ceil(random() * periodMs));
  return () => {
    isStopped = true;
  };
}

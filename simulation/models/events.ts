/**
 * A model of a rule of EventBridge that invokes a function with each event (EventBridge user guide, "Event delivery"): soon,
 * at least once as a rule, and with what is throttled tried again for a minute (`cdk/constructs/functions.ts`).
 */
import type { Faults } from './faults.ts';
import type { Invoked } from './lambda.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimEvents<Event> {
  /** As a process puts an event. Resolves to whether the process knows that it was accepted. */
  put(process: SimProcess, event: Event): Promise<boolean>;
  /** Events invoke nothing any more. */
  stop(): void;
}

export interface SimEventsOptions<Event> {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace | undefined;
  readonly invoke: (event: Event) => Promise<Invoked<unknown>>;
  /** Called for each event that is lost or comes late. */
  readonly onStray?: (event: Event) => void;
}

const CALL_MS = 10;
/** Half a second is usual from the call to the function's start. */
const DELIVERY_MS = 500;
/** An event that comes late, or for the second time, does so within this. */
const MAX_LATE_MS = 120_000;
const RETRY_MS = 5000;
const MAX_AGE_MS = 60_000;

export function createSimEvents<Event>(options: SimEventsOptions<Event>): SimEvents<Event> {
  const { time, faults, random, trace, invoke, onStray } = options;
  let isStopped = false;

  async function deliver(event: Event, afterMs: number): Promise<void> {
    await time.sleep(afterMs);
    const until = time.now() + MAX_AGE_MS;
    while (!isStopped && (await invoke(event)).status === 'throttled') {
      if (time.now() + RETRY_MS > until) return;
      await time.sleep(RETRY_MS);
    }
  }

  return {
    async put(process, event) {
      await process.io(() => time.sleep(CALL_MS * (0.5 + random())));
      if (faults.strikes('callFailsBefore')) return false;
      if (faults.strikes('batchEntryFails')) return false;
      if (faults.strikes('eventLost')) {
        trace?.({ process: process.name, what: 'puts an event that is lost' });
        onStray?.(event);
        return true;
      }
      const lateMs = () => faults.random('eventLost') * MAX_LATE_MS;
      const isLate = faults.strikes('messageLate');
      if (isLate) onStray?.(event);
      void deliver(event, DELIVERY_MS * (0.5 + random()) + (isLate ? lateMs() : 0));
      if (faults.strikes('messageTwice')) void deliver(event, lateMs());
      // Its response may be lost.
      return !faults.strikes('callFailsAfter');
    },
    stop() {
      isStopped = true;
    },
  };
}

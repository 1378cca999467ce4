/**
 * Time that passes only when nothing is left to do at the present moment: a heap of what is to happen, taken
 * one by one. Before the next event, everything that follows from the first one is done. So a run depends on
 * its seed alone, as long as nothing within it waits for the real world: for sockets, files, threads or the
 * real clock.
 */
import type { Random } from './random.ts';

export interface VirtualTime {
  /** Whole milliseconds since the epoch. */
  now(): number;
  /** Has `act` done at that time, or at once if it has passed. Returns a function that cancels it. */
  at(time: number, act: () => void): () => void;
  /** Resolves after `ms`, rounded up to whole ones, or when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Lets things happen until `isOver`, asked after each, or until nothing more happens before or at `until`,
   * which is the time then.
   */
  run(until: number, isOver?: () => boolean): Promise<void>;
  /** The same for so long from now. */
  advance(ms: number): Promise<void>;
}

/**
 * There were too many events, as in an infinite loop. The limit is the same on any machine. What waited
 * continues no more.
 */
export class NoEnd extends Error {
  override name = 'NoEnd';
}

export interface TimeLimits {
  /** Events and sleeps of no time, in total. */
  readonly steps: number;
  /** The most steps within one millisecond. */
  readonly stepsAtOnce: number;
}

const NO_LIMITS: TimeLimits = { steps: Number.POSITIVE_INFINITY, stepsAtOnce: Number.POSITIVE_INFINITY };

/** Far from 0, so that a time that was never set shows. */
export const T0 = Date.UTC(2026, 0, 1);

interface TimedEvent {
  readonly at: number;
  /** Decides among those of one moment. */
  readonly tie: number;
  act: (() => void) | undefined;
}

/** `random` decides the order of events of one moment. `run` throws {@link NoEnd} when it meets a limit. */
export function createVirtualTime(random: Random, start = T0, limits = NO_LIMITS): VirtualTime {
  let now = start;
  const heap: TimedEvent[] = [];
  let steps = 0;
  let stepsAtOnce = 0;
  let countedAt = start;

  /** Counts a step. Whether there may be more. */
  function step(): boolean {
    if (now !== countedAt) stepsAtOnce = 0;
    countedAt = now;
    stepsAtOnce++;
    return ++steps <= limits.steps && stepsAtOnce <= limits.stepsAtOnce;
  }

  function failAtLimit(): void {
    if (stepsAtOnce <= limits.stepsAtOnce && steps <= limits.steps) return;
    const at = `T0+${((now - start) / 1000).toFixed(3)} s`;
    if (stepsAtOnce > limits.stepsAtOnce)
      throw new NoEnd(`Time stands still at ${at}: more than ${limits.stepsAtOnce} steps in one millisecond`);
    throw new NoEnd(`More than ${limits.steps} steps by ${at}`);
  }

  function at(time: number, act: () => void): () => void {
    const event: TimedEvent = { at: Math.max(now, Math.ceil(time)), tie: random(), act };
    push(heap, event);
    return () => {
      event.act = undefined;
    };
  }

  function sleepUnlessAborted(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = at(until, wake);
      function wake() {
        signal.removeEventListener('abort', abort);
        resolve();
      }
      function abort() {
        cancel();
        wake();
      }
      signal.addEventListener('abort', abort);
    });
  }

  /** Lets the next thing happen. Whether there may be more after it. */
  function next(until: number, isOver: () => boolean): boolean {
    failAtLimit();
    for (;;) {
      if (isOver()) return false;
      const event = heap[0];
      if (!event || event.at > until) {
        now = Math.max(now, until);
        return false;
      }
      pop(heap);
      if (!event.act) continue;
      now = event.at;
      step();
      event.act();
      return true;
    }
  }

  const run = (until: number, isOver: () => boolean = () => false): Promise<void> =>
    eachSettled(() => next(until, isOver));

  return {
    now: () => now,
    at,
    run,
    advance: (ms) => run(now + ms),
    sleep(ms, signal) {
      // Not an event, but a loop of it would never let another one come.
      if (ms <= 0 || signal?.aborted) return step() ? Promise.resolve() : new Promise(() => {});
      if (!signal) return new Promise((resolve) => void at(now + ms, resolve));
      return sleepUnlessAborted(now + ms, signal);
    },
  };
}

/**
 * Returns the result of the promise, letting time pass until it is settled. Throws if it is not settled by
 * `until`.
 */
export async function drive<T>(
  time: VirtualTime,
  promise: Promise<T>,
  until: number = Number.MAX_SAFE_INTEGER,
): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await time.run(until, () => isSettled);
  if (!isSettled) throw new Error('Expected it to be settled by now, but nothing happens any more');
  return promise;
}

/**
 * The number of calls that are planned at once: a turn of Node's event loop, with its system calls, costs as
 * much as several.
 */
const MAX_PLANNED = 64;

/**
 * Calls `act` until it returns false. Before each call, all promise reactions and ticks have been run, and
 * those that follow from them: Node does so before each immediate.
 */
function eachSettled(act: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    let planned = 0;
    let most = 1;
    function actOnce(): void {
      planned--;
      if (isOver) return;
      try {
        if (!act()) {
          isOver = true;
          resolve();
        }
      } catch (error) {
        isOver = true;
        reject(error);
      }
      if (!isOver && planned === 0) plan();
    }
    function plan(): void {
      for (; planned < most; planned++) setImmediate(actOnce);
      most = Math.min(MAX_PLANNED, most * 2);
    }
    plan();
  });
}

const isBefore = (a: TimedEvent, b: TimedEvent): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);

function push(heap: TimedEvent[], item: TimedEvent): void {
  let i = heap.push(item) - 1;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!isBefore(item, heap[parent] as TimedEvent)) break;
    heap[i] = heap[parent] as TimedEvent;
    i = parent;
  }
  heap[i] = item;
}

function pop(heap: TimedEvent[]): void {
  const last = heap.pop() as TimedEvent;
  if (heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as TimedEvent, heap[child] as TimedEvent))
      child++;
    if (!isBefore(heap[child] as TimedEvent, last)) break;
    heap[i] = heap[child] as TimedEvent;
    i = child;
  }
  heap[i] = last;
}

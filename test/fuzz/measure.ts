/** CPU time and memory of a call. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Measured {
  /** CPU in microseconds that the process spent, threads that decompress included. */
  readonly cpu: number;
  /** What the call threw. */
  readonly error?: unknown;
}

export async function measured(call: () => unknown): Promise<Measured> {
  const before = process.cpuUsage();
  let error: unknown;
  try {
    const result = call();
    // Awaiting what is no promise costs a turn of the event loop's queue: little, but for nothing.
    if (result instanceof Promise) await result;
  } catch (thrown) {
    error = thrown;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, error };
}

/** In microseconds. */
const LONG_CPU = 500_000;

/** The least CPU of several calls: what one costs when nothing disturbs it. */
export async function leastCpuOf(call: () => unknown, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const { cpu } = await measured(call);
    least = Math.min(least, cpu);
    // What takes so long is disturbed little: a part of it, only.
    if (cpu > LONG_CPU) break;
  }
  return least;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that the call's result holds, on the heap and in buffers. */
export async function heldBy(call: () => unknown): Promise<number> {
  collectGarbage();
  const before = inUse();
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    result = error;
  }
  collectGarbage();
  const held = inUse() - before;
  // The result must live until here.
  return result === collectGarbage ? 0 : Math.max(0, held);
}

function inUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

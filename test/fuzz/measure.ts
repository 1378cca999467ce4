/** CPU time and memory of a call. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Measured {
  /** CPU in microseconds that the process spent, threads that decompress included. */
  readonly cpu: number;
  /** The error that the call threw. */
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
    // Long calls are disturbed only by a small part.
    if (cpu > LONG_CPU) break;
  }
  return least;
}

/** Repeats the call for as much CPU, in microseconds. */
export async function runFor(call: () => unknown, cpu: number): Promise<void> {
  for (let spent = 0; spent < cpu; ) spent += Math.max(1, (await measured(call)).cpu);
}

/** The collection after a turn of the event loop frees what that turn let go. */
const FREEING_PASSES = 2;

/**
 * {@link leastCpuOf} after earlier memory has been freed. Calls that follow each other without a turn of the
 * event loop keep what they free late, and then pay for collections that are no fault of theirs.
 */
export async function undisturbedCpuOf(call: () => unknown, runs: number): Promise<number> {
  await settle(FREEING_PASSES);
  return leastCpuOf(call, runs);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Bytes that the call's result holds, on the heap and in buffers, and what is freed some time after the call.
 */
export const heldBy = (call: () => unknown): Promise<number> => heldByEach(call, 1, 1);

/**
 * Files and streams are closed, and the memory of what was collected is freed, some turns of the event loop
 * later.
 */
const SETTLING_PASSES = 4;

/**
 * Bytes that each result of `calls` calls holds, when all results are held at once. What is kept once,
 * whatever the number of results, such as compiled code or a cache, is divided among them.
 */
export async function heldByEach(
  call: () => unknown,
  calls: number,
  passes = SETTLING_PASSES,
): Promise<number> {
  const results: unknown[] = [];
  const before = await memoryAfter(passes);
  for (let i = 0; i < calls; i++) {
    try {
      results.push(await call());
    } catch (error) {
      results.push(error);
    }
  }
  const held = (await memoryAfter(passes)) - before;
  // The results must live until here.
  return results.length === calls ? Math.max(0, held / calls) : Number.NaN;
}

async function settle(passes: number): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
}

async function memoryAfter(passes: number): Promise<number> {
  await settle(passes);
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

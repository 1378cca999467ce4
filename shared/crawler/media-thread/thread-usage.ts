/** Measures what a document costs the thread that reads it, whatever else the machine does meanwhile. */
import type { Worker } from 'node:worker_threads';

export interface ThreadUsage {
  /** CPU time, and time in which the thread waited for nothing that other work of the machine delays. */
  readonly busyMs: number;
  /** Memory outside of V8's heap, into which pdf.js inflates. */
  readonly externalBytes: number;
}

/** Undefined if the thread does not run yet, or any more. May take as long as the thread calls one native function. */
export async function usageOf(worker: Worker): Promise<ThreadUsage | undefined> {
  const { idle, active } = worker.performance.eventLoopUtilization();
  try {
    const [cpuMs, { external_memory: externalBytes }] = await Promise.all([
      // Node 22 cannot measure the CPU time of another thread: the time in which it was not idle.
      typeof worker.cpuUsage === 'function' ? cpuMsOf(worker) : active,
      worker.getHeapStatistics(),
    ]);
    return { busyMs: cpuMs + idle, externalBytes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_WORKER_')) return undefined;
    throw error;
  }
}

async function cpuMsOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1000;
}

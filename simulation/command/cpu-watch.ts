import { readFileSync } from 'node:fs';
import type { WorldSpec } from '../worlds/spec.ts';

/** Calls `giveUp` when a world has taken too much, unless stopped by the function it gives. `pid`: of the process it runs in. */
export type Watch = (spec: WorldSpec, giveUp: () => void, pid: number | undefined) => () => void;

/**
 * CPU time for a world, which takes a fraction of a second of it; one of many hosts, by order, takes more. A world that comes
 * to no end is known by its steps (`virtual-time.ts`): this is for code that never gives the thread back.
 */
const PATIENCE_MS = 300_000;
const PATIENCE_HOSTS = 100;
const LOOK_MS = 5000;
/** Linux counts in hundredths of a second, on all processors. */
const TICK_MS = 10;

/** By CPU time, so that a busy machine makes no world late; where that cannot be known, by the clock, and three times as long. */
export const watchCpu =
  (forMs = PATIENCE_MS, lookMs = LOOK_MS): Watch =>
  ({ hosts = 0 }, giveUp, pid) => {
    const patienceMs = forMs * Math.max(1, hosts / PATIENCE_HOSTS);
    const startedAt = cpuMsOf(pid);
    if (startedAt === undefined) {
      const timer = setTimeout(giveUp, 3 * patienceMs);
      return () => clearTimeout(timer);
    }
    const timer = setInterval(() => {
      if ((cpuMsOf(pid) ?? startedAt) - startedAt > patienceMs) giveUp();
    }, lookMs);
    return () => clearInterval(timer);
  };

/** CPU time of a process so far; undefined where no file shows it, or there is no such process. */
function cpuMsOf(pid: number | undefined): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets, which may contain anything; utime and stime are the 14th and 15th.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}

import { runInNewContext } from 'node:vm';

/** CPU time of this thread: on a busy machine, work takes many times that. */
const MAX_CPU_MS = 20_000;
/** Ends what never ends. Below the limit of a test, which cannot interrupt it. */
const MAX_MS = 250_000;

/**
 * Runs `work` and throws if it takes more than 20 s of CPU: a guard against work without end, not a measure of
 * speed.
 */
export function withoutHang<T>(work: () => T): T {
  const before = cpuMs();
  const result: T = runInNewContext('work()', { work }, { timeout: MAX_MS });
  const ms = cpuMs() - before;
  if (ms > MAX_CPU_MS) throw new Error(`Expected work of at most ${MAX_CPU_MS} ms of CPU, got ${ms}`);
  return result;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

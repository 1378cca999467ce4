/** Fuzzes one target in a thread of its own, so that a parser that never ends can be stopped and reported. */
import { Worker } from 'node:worker_threads';
import type { Figures } from './judge.ts';
import type { FromThread, ThreadTask } from './thread.ts';

export interface FuzzOutcome extends Figures {
  /** Undefined: nothing was found. */
  readonly finding?: string;
  /** The data that replays the finding: seed and `path` of fast-check. */
  readonly seed?: number;
  readonly path?: string;
  /** CPU that it took, in seconds. */
  readonly seconds: number;
  /** The peak of the whole process so far. */
  readonly peakBytes: number;
}

/** The CPU time in seconds after which a recipe counts as one that never ends. */
const HANG_SECONDS = 20;
/** Documents have 1 MB at most. A parser that needs more heap than this keeps more than it may. */
const HEAP_MB = 512;

/**
 * A finding that does not repeat in a fresh thread was caused by the machine; after this number it counts as
 * the parser's.
 */
const MAX_UNCONFIRMED = 2;

/**
 * Resolves when the time is over or something was found. A finding counts when its replay in a fresh thread
 * finds something too: time and memory also depend on what else the machine does.
 */
export async function fuzzTarget(task: ThreadTask, hangSeconds = HANG_SECONDS): Promise<FuzzOutcome> {
  let { seed } = task;
  for (let unconfirmed = 0; ; unconfirmed++) {
    const outcome = await fuzzOnce({ ...task, seed }, hangSeconds);
    const { path, seed: foundWith = seed } = outcome;
    if (path === undefined || task.path !== undefined || unconfirmed === MAX_UNCONFIRMED) return outcome;
    const replayed = await fuzzOnce({ ...task, seed: foundWith, path }, hangSeconds);
    if (replayed.finding !== undefined) return outcome;
    seed = foundWith + 1;
  }
}

async function fuzzOnce(task: ThreadTask, hangSeconds: number): Promise<FuzzOutcome> {
  const start = process.cpuUsage();
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let current = 'nothing yet';
  let outcome: Omit<FuzzOutcome, 'peakBytes' | 'seconds'> | undefined;
  let failure: string | undefined;
  let cpu = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    if (user + system < hangSeconds * 1e6) return;
    failure ??= `did not end after ${(user + system) / 1e6} s of CPU`;
    thread.terminate();
  }, 500);
  thread.on('message', (message: FromThread) => {
    cpu = process.cpuUsage();
    if ('document' in message) current = message.document;
    else outcome = message;
  });
  // A heap that is full, for one.
  thread.on('error', (error) => {
    failure ??= `ended the thread: ${error.message}`;
  });
  await new Promise((resolve) => thread.once('exit', resolve));
  clearInterval(watch);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const { user, system } = process.cpuUsage(start);
  const spent = { peakBytes, seconds: (user + system) / 1e6 };
  if (outcome !== undefined) return { ...outcome, ...spent };
  const finding = `${task.target}: ${failure ?? 'never came to its end'}: ${current}`;
  return { finding, ...spent, runs: 0, bytes: 0, worstUsPerByte: 0, worstGrowth: 0, worstHeldPerByte: 0 };
}

/**
 * Ends this process when a page blocks it, so that not all of an invocation of 15 minutes is lost. A second thread
 * watches: it has the page stored as not to be fetched again, and then ends the process; the messages come back after
 * their leases.
 */
import { Worker } from 'node:worker_threads';
import { causeText } from '../shared/core/causes/cause-text.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { LedgerStore } from '../shared/crawler/ports/ledger-store.ts';
import type { PageTask, PageWork } from '../shared/crawler/turn/page/page-work.ts';
import { quarantinePage } from '../shared/crawler/turn/quarantine-page.ts';
import { CHECK_MS } from '../shared/engines/watchdog/block-watch.ts';
import { readSlot, type SlotMemory, slotMemory, writeSlot } from '../shared/engines/watchdog/work-slot.ts';
import type { Log } from './log.ts';

/**
 * The factor for the time that a page may take, because a function has part of a processor and is idle
 * between invocations.
 */
export const SLOWNESS = 5;
/** To store the page. Then the process ends, stored or not. */
export const STORE_MS = 10_000;

/** The exports of the guard's module, for the thread that watches. */
export interface BlockedModule {
  /** Called in the other thread, which has loaded the module for it. */
  onBlocked(memory: SlotMemory, blockedMs: number): Promise<void>;
}

/**
 * The thread that watches, as text: it is loaded from no file, since a function is one bundle. It reads three words of
 * the slot: whether the first (heartbeat) or the third (number of started tasks) changes, and whether the second (the
 * step of a task) is not 0. So no page is blamed for a block before its task.
 */
const WATCH = `
const { workerData } = require('node:worker_threads');
const { memory, module, limit, checkMs, storeMs } = workerData;
const words = new Int32Array(memory, 0, 3);
let seen = '';
let missed = 0;
const watching = setInterval(() => {
  const now = Atomics.load(words, 0) + ' ' + Atomics.load(words, 2);
  missed = now === seen ? missed + 1 : 0;
  seen = now;
  if (missed < limit || Atomics.load(words, 1) === 0) return;
  clearInterval(watching);
  const late = new Promise((resolve) => setTimeout(resolve, storeMs));
  const stored = import(module).then(({ onBlocked }) => onBlocked(memory, missed * checkMs));
  Promise.race([stored.catch((error) => console.error(error)), late]).then(() =>
    process.kill(process.pid, 'SIGKILL'),
  );
}, checkMs);
`;

export interface BlockGuardOptions {
  /** URL of a {@link BlockedModule}. */
  readonly module: string;
  /** For the stack's crawls: see `shared/core/crawl/config.ts`. */
  readonly blockTimeoutMs: number;
  /** The factor for the time that a page may take. Default: {@link SLOWNESS}. */
  readonly slowness?: number;
}

/** After this number of looks without a sign of life a page has taken all of its time: not one look earlier. */
export const looksUntilBlocked = (blockTimeoutMs: number, slowness = SLOWNESS): number =>
  Math.ceil((blockTimeoutMs * slowness) / CHECK_MS);

/** Starts the thread that watches this one. It does not keep the process. */
export function startBlockGuard({ module, blockTimeoutMs, slowness }: BlockGuardOptions): PageWork {
  const memory = slotMemory();
  const work = writeSlot(memory);
  const limit = looksUntilBlocked(blockTimeoutMs, slowness);
  const workerData = { memory, module, limit, checkMs: CHECK_MS, storeMs: STORE_MS };
  const thread = new Worker(WATCH, { eval: true, workerData, name: 'strand-watch' });
  thread.unref();
  return work;
}

/** Returns the task of the thread to which the memory belongs. */
export const taskIn = (memory: SlotMemory): PageTask | undefined => readSlot(memory).task();

/** Puts the page into quarantine, with a line in the log. */
export async function storeBlocked(
  {
    ledgers,
    clock,
    log,
  }: { readonly ledgers: LedgerStore; readonly clock: Pick<Clock, 'now'>; readonly log: Log },
  task: PageTask | undefined,
  blockedMs: number,
): Promise<void> {
  if (!task) return;
  const { crawl, url } = task;
  const words = causeText({ code: 'threadBlocked', ms: blockedMs, step: task.step });
  log('error', { message: `A page ${words}: this process ends`, crawl, url });
  await quarantinePage(ledgers, task, blockedMs, clock.now());
}

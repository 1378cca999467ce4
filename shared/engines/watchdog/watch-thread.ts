import { url as inspectorUrl } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import { type Block, type BlockLimits, CHECK_MS, createBlockWatch } from './block-watch.ts';
import type { SlotReader } from './work-slot.ts';

export interface ThreadWatch {
  /** From now on these limits hold. Before the first call there are none. */
  limit(limits: BlockLimits): void;
  /** Why the thread was ended, if it was. */
  block(): Block | undefined;
  end(): void;
}

/** Ends the thread when it is blocked for too long. */
export function watchThread(thread: Pick<Worker, 'terminate'>, slot: SlotReader): ThreadWatch {
  const check = createBlockWatch(slot);
  let limits: BlockLimits | undefined;
  let block: Block | undefined;
  const watching = setInterval(() => {
    // A thread that stands at a breakpoint is not blocked by a page.
    if (!limits || block || inspectorUrl() !== undefined) return;
    block = check(limits);
    if (block) void thread.terminate();
  }, CHECK_MS);
  // The thread keeps the process alive, not its watch.
  watching.unref();
  return {
    limit(next) {
      limits = next;
    },
    block: () => block,
    end: () => clearInterval(watching),
  };
}

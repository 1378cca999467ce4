/** Runs the thread of a session of pages, and watches it. Loads nothing of what crawls. */

import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { ownFile } from '../../../shared/core/base/own-file.ts';
import { threadOptions } from '../../../shared/crawler/media-thread/thread-options.ts';
import type { Block } from '../../../shared/engines/watchdog/block-watch.ts';
import { endThread } from '../../../shared/engines/watchdog/end-thread.ts';
import { watchThread } from '../../../shared/engines/watchdog/watch-thread.ts';
import { readSlot, slotMemory } from '../../../shared/engines/watchdog/work-slot.ts';
import { reviveError } from '../thread-error.ts';
import type { AskedPage, FromPageThread, PageThreadStart } from './page-messages.ts';

/** How a thread ended: by an error for all that was asked, or by one page, which is not always known. */
export type PageThreadEnd =
  | { readonly kind: 'failed'; readonly error: Error }
  | ({ readonly kind: 'blocked' } & Partial<Block>)
  | { readonly kind: 'died'; readonly cause: string; readonly url: string | undefined };

export interface PageThread {
  ask(page: AskedPage): void;
  /** Whether the process waits for the thread. */
  hold(isHeld: boolean): void;
  /** Ends it at once. */
  end(): Promise<void>;
}

export interface PageThreadOptions {
  readonly start: Omit<PageThreadStart, 'slot'>;
  readonly onMessage: (message: Exclude<FromPageThread, { kind: 'failed' }>) => void;
  /** Called once, unless `end` ended it. */
  readonly onEnd: (end: PageThreadEnd) => void;
}

export function runPageThread({ start, onMessage, onEnd }: PageThreadOptions): PageThread {
  const slot = slotMemory();
  const workerData: PageThreadStart = { ...start, slot };
  const thread = new Worker(ownFile('./page-thread', import.meta.url), {
    workerData,
    name: 'strand-pages',
    // A session of 1,000 pages of 50 KB has 370 MB at the peak instead of 440, for 6 % more CPU.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    ...threadOptions(process.env),
  });
  const reader = readSlot(slot);
  const watch = watchThread(thread, reader);
  let lastWord: PageThreadEnd | undefined;
  let isOver = false;

  thread.on('message', (message: FromPageThread) => {
    if (message.kind === 'failed') {
      lastWord = { kind: 'failed', error: reviveError(message.error) };
      void endThread(thread);
      return;
    }
    if (message.kind === 'begun') watch.limit({ limitMs: message.config.blockTimeoutMs });
    onMessage(message);
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    lastWord ??= isFull
      ? { kind: 'died', cause: messageOf(error), url: reader.task()?.url }
      : { kind: 'failed', error };
  });
  const exited = new Promise<void>((resolve) => {
    thread.on('exit', (code) => {
      watch.end();
      const block = watch.block();
      const unknown = {
        kind: 'failed',
        error: new Error(`The thread of pages ended with code ${code}`),
      } as const;
      if (!isOver) onEnd(lastWord ?? (block ? { kind: 'blocked', ...block } : unknown));
      resolve();
    });
  });
  return {
    ask: (page) => thread.postMessage(page),
    hold: (isHeld) => (isHeld ? thread.ref() : thread.unref()),
    async end() {
      isOver = true;
      await endThread(thread);
      await exited;
    },
  };
}

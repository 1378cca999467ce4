import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../core/base/error-message.ts';
import { ownFile } from '../../../core/base/own-file.ts';
import { threadOptions } from '../../../crawler/media-thread/thread-options.ts';
import type { Block } from '../../watchdog/block-watch.ts';
import { watchThread } from '../../watchdog/watch-thread.ts';
import { readSlot } from '../../watchdog/work-slot.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** How a thread ended: on request, by reporting that it cannot continue, or otherwise. */
export type ThreadEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string; readonly isStorage?: boolean }
  /** It was ended, because it was blocked. */
  | ({ readonly kind: 'blocked' } & Block)
  | { readonly kind: 'died'; readonly cause: string };

export interface RunningThread {
  /** Does nothing once the thread has ended. */
  post(message: ToThread): void;
  /** Never rejects. All messages of the thread were handled before it resolves. */
  readonly end: Promise<ThreadEnd>;
}

/** Starts a thread that crawls. `onMessage` is called with all messages except the last one. */
export function runThread(start: ThreadStart, onMessage: (message: FromThread) => void): RunningThread {
  const worker = new Worker(ownFile('./crawl-thread', import.meta.url), {
    workerData: start,
    name: `strand-${start.block + 1}`,
    ...threadOptions(process.env),
  });
  const watch = watchThread(worker, readSlot(start.slot));
  const { promise: end, resolve } = Promise.withResolvers<ThreadEnd>();
  let lastWord: ThreadEnd | undefined;
  let error: unknown;
  worker.on('message', (message: FromThread) => {
    // Until then the thread opens what it needs, which may take as long as it likes.
    if (message.kind === 'progress') watch.limit({ limitMs: start.config.blockTimeoutMs });
    if (message.kind === 'ended' || message.kind === 'failed') lastWord = message;
    else onMessage(message);
  });
  worker.on('error', (thrown) => {
    error = thrown;
  });
  worker.on('exit', (code) => {
    watch.end();
    const block = watch.block();
    if (block && !lastWord) return resolve({ kind: 'blocked', ...block });
    const cause = error === undefined ? `it ended with code ${code}` : messageOf(error);
    resolve(lastWord ?? { kind: 'died', cause });
  });
  return { post: (message) => worker.postMessage(message), end };
}

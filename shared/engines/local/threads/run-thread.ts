import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../error-message.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

/** How a thread ended: told to, or by its own word that nothing can go on, or in no such way. */
export type ThreadEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string; readonly isStorage?: boolean }
  | { readonly kind: 'died'; readonly cause: string };

export interface RunningThread {
  /** Does nothing once the thread has ended. */
  tell(message: ToThread): void;
  /** Never rejects. All that the thread has told was heard before it resolves. */
  readonly end: Promise<ThreadEnd>;
}

/** Starts a thread that crawls. `hear`: hears all but its last word. */
export function runThread(start: ThreadStart, hear: (message: FromThread) => void): RunningThread {
  const worker = new Worker(new URL('./crawl-thread.ts', import.meta.url), {
    workerData: start,
    name: `strand-${start.block + 1}`,
    env: environment(),
  });
  const { promise: end, resolve } = Promise.withResolvers<ThreadEnd>();
  let lastWord: ThreadEnd | undefined;
  let error: unknown;
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'ended' || message.kind === 'failed') lastWord = message;
    else hear(message);
  });
  worker.on('error', (thrown) => {
    error = thrown;
  });
  worker.on('exit', (code) => {
    const cause = error === undefined ? `it ended with code ${code}` : messageOf(error);
    resolve(lastWord ?? { kind: 'died', cause });
  });
  return { tell: (message) => worker.postMessage(message), end };
}

/** A thread of a process with a cache of compiled code would have none: half a second of CPU at its start. */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}

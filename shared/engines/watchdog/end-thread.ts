import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';

const END = 'end';
/** A thread that computes for longer does not learn in time that it is to end. */
const PATIENCE_MS = 1000;

/**
 * Ends a thread that calls {@link endWhenAsked}, between two events of its own. `terminate` ends it anywhere, and Node 24 aborts the whole
 * process if that is while a zlib stream is made ("close before init").
 */
export async function endThread(thread: Worker): Promise<void> {
  // It has ended.
  if (thread.threadId === -1) return;
  const timer = setTimeout(() => void thread.terminate(), PATIENCE_MS);
  const ended = once(thread, 'exit');
  thread.postMessage(END);
  // A thread that fails while it ends has ended.
  await ended.catch(() => thread.terminate());
  clearTimeout(timer);
}

/** In a thread, before its other listeners: {@link endThread} ends it. */
export function endWhenAsked(port: MessagePort | null): void {
  // Hooks of a project get another one.
  const exit = process.exit.bind(process);
  port?.on('message', (message: unknown) => {
    if (message === END) exit();
  });
}

/**
 * The thread in which `strand crawl` and `strand resume` crawl: all of a crawl is here, so that the main thread can
 * show its progress, receive signals, and end this thread where a page blocks it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { guardProcess } from '../../shared/hooks/guard-process.ts';
import { storageFailure } from '../../shared/storage-failed.ts';
import { isRefusal } from '../refusal.ts';
import { createCrawlRun } from './crawl-run.ts';
import type { CrawlThreadStart, FromCrawlThread, ThreadError, ToCrawlThread } from './messages.ts';

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
const tell = (message: FromCrawlThread) => port.postMessage(message);
const stopping = new AbortController();
port.on('message', ({ kind }: ToCrawlThread) => {
  if (kind === 'stop') stopping.abort();
});

const run = createCrawlRun(workerData as CrawlThreadStart, tell, stopping.signal);
const exit = guardProcess({ onFailure: run.noteHookError, onBug: fail });

function fail(error: unknown): never {
  tell({ kind: 'failed', ...asThreadError(error) });
  return exit(1);
}

function asThreadError(thrown: unknown): ThreadError {
  // A failure of the storage is known by its cause, which does not leave the thread. A refusal may have such a cause, too.
  const error = isRefusal(thrown) ? thrown : (storageFailure(thrown) ?? thrown);
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  return { name, message, stack };
}

try {
  await run.toEnd();
  tell({ kind: 'ended' });
} catch (error) {
  fail(error);
}
// What the project's own code has left running does not keep the thread.
exit(0);

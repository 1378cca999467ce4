/**
 * The thread in which a crawl runs, unless its hooks are functions of the caller: so the caller's thread can
 * show its progress and receive signals, and can end this thread if a page blocks it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { inFlightMemory } from '../../shared/engines/local/threads/in-flight-table.ts';
import { writeSlot } from '../../shared/engines/watchdog/work-slot.ts';
import { guardProcess } from '../../shared/services/hooks/guard-process.ts';
import { readStartProject } from './begin-session.ts';
import { createCrawlRun } from './crawl-run.ts';
import type { CrawlThreadStart, FromCrawlThread, ToCrawlThread } from './messages.ts';
import { toThreadError } from './thread-error.ts';

/** Places for hosts in the in-flight table. Hosts beyond are not suspected when the thread dies. */
const IN_FLIGHT_HOSTS = 1000;

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
const post = (message: FromCrawlThread) => port.postMessage(message);
const stopping = new AbortController();
port.on('message', ({ kind }: ToCrawlThread) => {
  if (kind === 'stop') stopping.abort();
});

const { start, continues, slot } = workerData as CrawlThreadStart;
const run = createCrawlRun({
  start,
  continues,
  watched: { work: writeSlot(slot), inFlight: inFlightMemory(IN_FLIGHT_HOSTS) },
  project: () => readStartProject(start),
  post,
  signal: stopping.signal,
});
const exit = guardProcess({ onFailure: run.noteHookError, onBug: fail });

function fail(error: unknown): never {
  post({ kind: 'failed', ...toThreadError(error) });
  return exit(1);
}

try {
  await run.toEnd();
  post({ kind: 'ended' });
} catch (error) {
  fail(error);
}
// Code of the project that is still running does not keep the thread alive.
exit(0);

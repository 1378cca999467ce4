/** The thread that reads documents, one after the other: what `document-threads.ts` starts. */
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAnswer, ReadJob } from './read-whole.ts';
import { readWhole } from './read-whole.ts';
import type { ThreadUsage } from './thread-usage.ts';

/** The limits that the thread is started with. */
export interface DocumentThreadData {
  readonly pages: number;
}

/** A message for a job: what the thread had used when the job began; then the answer, and what the thread has used until then. */
export type ThreadMessage = { readonly begunAt: ThreadUsage } | readonly [ReadAnswer, ThreadUsage];

/** After one of these times no further page of the document is begun. */
export interface ThreadJob extends ReadJob {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
const { pages } = workerData as DocumentThreadData;

function usage(): ThreadUsage {
  const { idle } = performance.eventLoopUtilization();
  return { busyMs: cpuTime() + idle, externalBytes: getHeapStatistics().external_memory };
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

port.on('message', async ({ cpuMs, wallMs, ...job }: ThreadJob) => {
  port.postMessage({ begunAt: usage() } satisfies ThreadMessage);
  const cpuEnd = cpuTime() + cpuMs;
  const wallEnd = performance.now() + wallMs;
  let wasBusy = false;
  const hasTime = () => {
    if (cpuTime() >= cpuEnd) return false;
    wasBusy = performance.now() >= wallEnd;
    return !wasBusy;
  };
  const answer = await readWhole(job, { pages, hasTime });
  const given: ReadAnswer = wasBusy ? { ...answer, wasBusy: 'reading' } : answer;
  port.postMessage([given, usage()] satisfies ThreadMessage);
});

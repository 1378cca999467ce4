/** The thread that reads documents, one after the other: what `document-threads.ts` starts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadJob } from './read-whole.ts';
import { readWhole } from './read-whole.ts';

/** The limits that the thread is started with. */
export interface DocumentThreadData {
  readonly pages: number;
  /** After this time no further page of a document is begun. */
  readonly softLimitMs: number;
}

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
const { pages, softLimitMs } = workerData as DocumentThreadData;

port.on('message', async (job: ReadJob) => {
  const endAt = performance.now() + softLimitMs;
  port.postMessage(await readWhole(job, { pages, hasTime: () => performance.now() < endAt }));
});

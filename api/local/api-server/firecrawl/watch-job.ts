/** The documents of a job as they come, until the job has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobEvents } from './job-webhook.ts';
import type { JobStatus, Jobs } from './jobs.ts';
import type { WatchSocket } from './watch-socket.ts';

const PERIOD_MS = 1000;
const DONE = JSON.stringify({ type: 'done' });

/** Yields the state with the documents that are new since the one before; the last one has ended. Throws if the job cannot be read. */
async function* statesOf(jobs: Jobs, id: string, signal: AbortSignal): AsyncGenerator<JobStatus> {
  // By their URLs: a host's ledger is not in the order of the fetches.
  const given = new Set<string>();
  while (!signal.aborted) {
    const { next, ...status } = await jobs.status(id, 0, given);
    yield next === undefined ? status : { ...status, status: 'scraping' };
    if (next !== undefined) continue;
    if (status.status !== 'scraping') return;
    await sleep(PERIOD_MS, undefined, { signal }).catch(() => {});
  }
}

/** Rejects if the job cannot be read. */
export async function watchJob(jobs: Jobs, id: string, version: 1 | 2, socket: WatchSocket): Promise<void> {
  let isFirst = true;
  for await (const status of statesOf(jobs, id, socket.left)) {
    if (isFirst) await socket.send(JSON.stringify({ type: 'catchup', data: status }));
    else for (const data of status.data) await socket.send(JSON.stringify({ type: 'document', data }));
    isFirst = false;
    if (status.status === 'scraping') continue;
    // Clients of version 1 read the end from the reason of the close.
    if (version === 2) await socket.send(JSON.stringify({ type: 'done', data: { ...status, data: [] } }));
    socket.close(DONE);
  }
}

/** Rejects if the job cannot be read. */
export async function announceJob(
  jobs: Jobs,
  id: string,
  signal: AbortSignal,
  events: JobEvents,
): Promise<void> {
  await events.started();
  for await (const { status, data } of statesOf(jobs, id, signal)) {
    for (const document of data) await events.page(document);
    if (status !== 'scraping') await events.ended(status);
  }
}

/** Sends a job's documents to a client as they come, until the job has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobStatus, Jobs } from './jobs.ts';
import type { WatchSocket } from './watch-socket.ts';

const PERIOD_MS = 1000;
const DONE = JSON.stringify({ type: 'done' });

/** Rejects if the job cannot be read. */
export async function watchJob(jobs: Jobs, id: string, version: 1 | 2, socket: WatchSocket): Promise<void> {
  let seen = 0;
  for (let isFirst = true; !socket.left.aborted; isFirst = false) {
    const { next, ...status } = await jobs.status(id, seen);
    seen = next ?? status.completed;
    if (isFirst) await socket.send(JSON.stringify({ type: 'catchup', data: status }));
    else for (const data of status.data) await socket.send(JSON.stringify({ type: 'document', data }));
    if (next !== undefined) continue;
    if (status.status !== 'scraping') return end(status, version, socket);
    await sleep(PERIOD_MS, undefined, { signal: socket.left }).catch(() => {});
  }
}

/** Clients of version 1 read the end from the reason of the close, those of version 2 from a message. */
async function end(status: JobStatus, version: 1 | 2, socket: WatchSocket): Promise<void> {
  if (version === 2) await socket.send(JSON.stringify({ type: 'done', data: { ...status, data: [] } }));
  socket.close(DONE);
}

/** The function that crawls: started by the messages of the turn queues. */
import { createWorkerFunction } from './open-worker.ts';

export { onBlocked } from './open-worker.ts';

export const handler = createWorkerFunction({ module: import.meta.url });

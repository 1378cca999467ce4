/** The function that crawls: started by the messages of the start queue, or with less memory by events. */
import { createWorkerFunction } from './open-worker.ts';

export { onBlocked } from './open-worker.ts';

export const handler = createWorkerFunction({ module: import.meta.url });

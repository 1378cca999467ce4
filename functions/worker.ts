/** The function that crawls: started by the messages of the start queue, or with less memory by events. */
import { createWorkerFunction } from './open-worker.ts';

export { onBlocked } from './open-worker.ts';

/** Set in the environment of the small worker, which has the same code. */
const isSmall = process.env.STRAND_SMALL_WORKER === 'true';

export const handler = createWorkerFunction({ module: import.meta.url, isSmall });

/**
 * The worker function with faults (`worker-faults.ts`): the entry module that the app in this folder bundles
 * in the place of `functions/worker.ts`.
 */
import { createWorkerFunction } from '../../../functions/open-worker.ts';
import { readWorkerFaults, withFaultyCommits, withFaultyFetches } from './worker-faults.ts';

export { onBlocked } from '../../../functions/open-worker.ts';

/** `process.exit` would throw: the project has hooks. */
function exit(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process was killed');
}

const CHANCE = { random: Math.random, exit };
const faults = readWorkerFaults(process.env);

export const handler = createWorkerFunction({
  module: import.meta.url,
  wrapEngine: (engine) => withFaultyCommits(engine, faults, CHANCE),
  wrapFetcher: (fetcher) => withFaultyFetches(fetcher, faults, CHANCE),
});

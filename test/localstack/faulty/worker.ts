/**
 * The worker function with faults (`worker-faults.ts`): the entry module that the app in this folder bundles
 * in the place of `functions/worker.ts`.
 */
import { createWorkerFunction } from '../../../functions/open-worker.ts';
import { readWorkerFaults, withFaultyCommits, withPoisonPage } from './worker-faults.ts';

export { onBlocked } from '../../../functions/open-worker.ts';

const CHANCE = { random: Math.random, exit: () => process.exit(1) };
const faults = readWorkerFaults(process.env);

export const handler = createWorkerFunction({
  module: import.meta.url,
  wrapEngine: (engine) => withFaultyCommits(engine, faults, CHANCE),
  wrapFetcher: (fetcher) => withPoisonPage(fetcher, faults, CHANCE),
});

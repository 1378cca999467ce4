/** Options of every thread that Strand starts. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { WorkerOptions } from 'node:worker_threads';

/**
 * With the cache of compiled code, which a thread would not have by itself: half a second of CPU at its start. Without the
 * `--input-type` of a program on the command line (`node --input-type=module -e ...`), which Node refuses for a thread.
 */
export function threadOptions(environment: NodeJS.ProcessEnv): Pick<WorkerOptions, 'env' | 'execArgv'> {
  const cache = getCompileCacheDir();
  const isProgramGiven = process.execArgv.some((argument) => argument.startsWith('--input-type'));
  return {
    env: cache === undefined ? environment : { ...environment, NODE_COMPILE_CACHE: dirname(cache) },
    ...(isProgramGiven && { execArgv: [] }),
  };
}

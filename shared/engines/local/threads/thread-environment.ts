import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** A thread of a process with a cache of compiled code would have none: half a second of CPU at its start. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}

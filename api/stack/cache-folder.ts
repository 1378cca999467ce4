import { homedir } from 'node:os';
import { join } from 'node:path';

/** The files of this machine about a crawl of a stack. */
export const cacheFiles = (stack: string, crawl: string) => {
  const folder = join(homedir(), '.cache', 'strand', stack, crawl);
  return {
    search: join(folder, 'search.sqlite'),
    sketches: join(folder, 'sketches.sqlite'),
    sinks: join(folder, 'sinks.sqlite'),
  } as const;
};

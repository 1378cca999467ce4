/** Commands on this machine. */
import { openCrawl } from '../api/open-crawl.ts';
import type { OpenCrawlOptions, StoredCrawl } from '../api/stored-crawl.ts';
import { systemClock } from '../shared/engines/system-clock.ts';
import { type AskedCrawl, Place, type PlaceOutput } from './place.ts';

/** The streams of this process, with its clock and its signals. */
export function ownOutput(clock: PlaceOutput['clock'] = systemClock): PlaceOutput {
  let stopping: AbortController | undefined;
  return {
    out: process.stdout,
    err: process.stderr,
    environment: process.env,
    clock,
    get signal() {
      if (stopping === undefined) {
        const controller = new AbortController();
        const stop = () => controller.abort();
        process.once('SIGINT', stop).once('SIGTERM', stop);
        stopping = controller;
      }
      return stopping.signal;
    },
  };
}

/** Calls `work` with the place where crawls are folders. Closes the crawls that it has opened. */
export async function onThisMachine<T>(
  json: boolean,
  work: (place: Place) => Promise<T> | T,
  output: PlaceOutput = ownOutput(),
): Promise<T> {
  const opened: StoredCrawl[] = [];
  const open = async (dir: string, options?: OpenCrawlOptions) => {
    const crawl = await openCrawl(dir, options);
    opened.push(crawl);
    return crawl;
  };
  /** Pausing or stopping a crawl that has ended is an error here. */
  const ask = async (dir: string): Promise<AskedCrawl> => {
    const crawl = await open(dir);
    const { pauseFolder, stopFolder } = await import('../api/local/operate.ts');
    const pause = () => pauseFolder(dir, systemClock);
    return { ...crawl, pause, stop: () => stopFolder(dir, systemClock) };
  };
  try {
    return await work(new Place({ output, json, open, ask }));
  } finally {
    for (const crawl of opened) await crawl.close();
  }
}

import { openCrawl } from '../../api/open-crawl.ts';
import { isFolderInUse } from '../../shared/engines/local/lock.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { commandAt } from '../place.ts';
import { printSummary } from './print-summary.ts';
import { watchCrawl } from './watch.ts';

/** `strand watch DIR`: the progress of a crawl that another process runs, until it ends or Ctrl-C is pressed. */
export async function watchFolder({ dir, json }: LocalCommandOf<'watch'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  const seenEnough = new AbortController();
  const stop = () => seenEnough.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const status = untilFree(crawl.summary, () => isFolderInUse(dir));
  const last = await watchCrawl({ status }, crawl.name, {
    stream: process.stderr,
    environment: process.env,
    clock: systemClock,
    signal: seenEnough.signal,
  });
  if (last) {
    printSummary(last, { dir, json });
    return exitCodeOf(last);
  }
  process.stderr.write(`The crawl continues; watch it again with: ${commandAt({ dir }, 'watch')}\n`);
  return exitCodes.interrupted;
}

/** A crawl that was paused or stopped runs as long as its process stores what it has fetched: until then its figures grow. */
export const untilFree =
  (summary: () => Promise<CrawlSummary>, isInUse: () => boolean) => async (): Promise<CrawlSummary> => {
    const isHeld = isInUse();
    const found = await summary();
    return isHeld ? { ...found, state: 'running' } : found;
  };

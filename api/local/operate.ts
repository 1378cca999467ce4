/** The commands that another process can send to a crawl on this machine: pause and stop. */

import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { isFolderInUse } from '../../shared/engines/local/lock.ts';
import { pauseCrawl, stopCrawl } from '../../shared/services/control/change-status.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { openFolder, withRegistry } from './open-folder.ts';
import { summarize } from './summarize.ts';

type OperatorClock = Pick<Clock, 'sleep'>;

/** A page that blocks the crawl's thread for its longest, and then some. */
const MAX_WAIT_MS = 60_000;
const POLL_MS = 100;

/** Throws `NoCrawl`, and `ControlError` if the crawl has ended. */
export const pauseFolder = (folder: string, clock: OperatorClock): Promise<CrawlSummary> =>
  changeStatus(folder, pauseCrawl, clock);

/** Throws `NoCrawl`, and `ControlError` if the crawl is finished. */
export const stopFolder = (folder: string, clock: OperatorClock): Promise<CrawlSummary> =>
  changeStatus(folder, stopCrawl, clock);

/** Returns when no process crawls in the folder any more, or after a minute. */
async function changeStatus(
  folder: string,
  change: typeof pauseCrawl,
  clock: OperatorClock,
): Promise<CrawlSummary> {
  const { reader, crawl } = await openFolder(folder);
  reader.close();
  await withRegistry(folder, (registry) => change(registry, crawl));
  for (let waited = 0; isFolderInUse(folder) && waited < MAX_WAIT_MS; waited += POLL_MS)
    await clock.sleep(POLL_MS);
  return summarize(folder);
}

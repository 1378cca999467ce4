/**
 * Pages that kill the process that parses them, or block its thread. A blocked thread freezes until the
 * guard's time is up; then the guard's own thread stores the page as one that is not fetched again, and ends
 * the process: the real code (`functions/block-guard.ts`), with the thread played by a process.
 */
import { SLOWNESS, STORE_MS, storeBlocked } from '../../functions/block-guard.ts';
import type { Log } from '../../functions/log.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { type PageTask, type PageWork, UNWATCHED } from '../../shared/crawler/turn/page/page-work.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimProcess } from '../models/process.ts';
import type { Harm } from './spec.ts';

export interface PageGuardOptions {
  readonly cloud: SimCloud;
  readonly process: SimProcess;
  readonly harmOf: (url: string) => Harm | undefined;
  readonly log: Log;
}

const BLOCKED_MS = SLOWNESS * parseConfig({}).blockTimeoutMs;

export function createPageGuard({ cloud, process, harmOf, log }: PageGuardOptions): PageWork {
  const { time, faults } = cloud;

  async function block(task: PageTask): Promise<void> {
    process.freeze();
    await time.sleep(BLOCKED_MS);
    if (process.isDead) return;
    const guard = cloud.begin(`${process.name}-guard`);
    const { ledgers } = cloud.open(guard).engine;
    const stored = storeBlocked({ ledgers, clock: guard.clock, log }, task, BLOCKED_MS);
    await Promise.race([
      stored.catch((error: Error) => log('warn', { message: error.message })),
      time.sleep(STORE_MS),
    ]);
    process.kill('a page blocked it');
    guard.kill('its process has ended');
  }

  return {
    ...UNWATCHED,
    run(crawl, url, step, work) {
      const harm = step === 'parse' && !process.isFrozen && !process.isDead ? harmOf(url) : undefined;
      if (harm !== undefined && faults.strikes('pageHarms')) {
        if (harm === 'kills') process.kill('out of memory');
        else void block({ crawl, url, step });
      }
      return work();
    },
  };
}

/** Who has begun the crawls, and now and then pauses one, resumes it, or changes its configuration. */
import { type Control, ControlError } from '../../shared/control/control.ts';
import { decodeCrawl } from '../../shared/engines/aws/crawl-record.ts';
import { CRAWL } from '../../shared/engines/aws/tables.ts';
import type { SimCloud } from '../../shared/engines/sim/cloud.ts';
import { randomOf } from '../../shared/engines/sim/random.ts';
import type { CrawlRecord, CrawlRegistry } from '../../shared/ports.ts';
import { planChanges } from './plan.ts';
import type { CrawlPlan } from './spec.ts';

const MAX_PAUSE_MS = 300_000;

export interface Operator {
  /** Once a minute. */
  look(): void;
  /** Whether a crawl is still to be resumed. */
  isBusy(): boolean;
}

export function createOperator(
  cloud: SimCloud,
  crawls: readonly CrawlPlan[],
  seed: number,
  open: () => { readonly control: Control; readonly registry: CrawlRegistry },
): Operator {
  const { faults, time, trace } = cloud;
  const random = randomOf(seed, 'operator');
  let busy = 0;

  /** Whatever the services answer, an operator tries again. */
  async function insist(crawl: string, what: string, work: () => Promise<unknown>): Promise<void> {
    busy++;
    try {
      for (;;) {
        try {
          await work();
          trace?.({ process: 'operator', what });
          return;
        } catch (error) {
          // What is refused is not to be asked again: a crawl that has come to its limit meanwhile stays as it is, but for a
          // paused one, which would stand like that for ever.
          if (error instanceof ControlError && error.code === 'conflict') {
            if (statusOf(cloud, crawl) === 'paused') await open().control.stop(crawl);
            return;
          }
          trace?.({ process: 'operator', what: `${what}: ${(error as Error).message}` });
          await time.sleep(10_000);
        }
      }
    } finally {
      busy--;
    }
  }

  async function pause(id: string): Promise<void> {
    busy++;
    await insist(id, `pauses ${id}`, () => open().control.pause(id));
    await time.sleep(faults.random('paused') * MAX_PAUSE_MS);
    await insist(id, `resumes ${id}`, async () => {
      // A crawl that is over, or at its limit, is not to be resumed.
      if (statusOf(cloud, id) === 'paused') await open().control.resume(id);
    });
    busy--;
  }

  return {
    isBusy: () => busy > 0,
    look() {
      for (const { id } of crawls) {
        const isRunning = statusOf(cloud, id) === 'running';
        if (isRunning && faults.strikes('paused')) void pause(id);
        if (faults.strikes('configChanged'))
          void insist(id, `configures ${id}`, () => open().registry.configure(id, planChanges(random)));
      }
    },
  };
}

/** As the table has it at this moment. */
export function statusOf({ dynamo, settings }: SimCloud, crawl: string): CrawlRecord['status'] | undefined {
  for (const item of dynamo.items(settings.crawlState))
    if (item.pk?.S === crawl && item.sk?.S === CRAWL) return decodeCrawl(item).record.status;
  return undefined;
}

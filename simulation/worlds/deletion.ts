/** A crawl of some worlds that its operator deletes, beside the crawls that all invariants judge. */

import { seedLinks } from '../../shared/core/frontier/seed-links.ts';
import { ControlError } from '../../shared/services/control/control.ts';
import type { SimCloud } from '../models/cloud.ts';
import { between, randomOf } from '../models/random.ts';
import type { Desk } from './operator.ts';
import type { CrawlPlan, DeletedCrawl, SimWeb } from './spec.ts';

export interface DeletionPlan {
  /** It has the settings of the world's first crawl, and a contact of its own. */
  readonly crawl: CrawlPlan;
  readonly archive: boolean;
  /** It is deleted soon after this number of requests, while a worker has hosts of it, or at that time at the latest. */
  readonly afterRequests: number;
  readonly latestMs: number;
}

export interface Deletion extends DeletedCrawl {
  isBusy(): boolean;
}

export const DELETED_CRAWL = 'crawl-deleted';
const DELETING_WORLDS = 0.12;
const MAX_REQUESTS = 25;
const MAX_MS = 1_500_000;
/** The requests are counted this often. */
const LOOK_MS = 500;
const AGAIN_MS = 60_000;

export function planDeletion(
  seed: number,
  [first]: readonly CrawlPlan[],
  { isCertain = false } = {},
): DeletionPlan | undefined {
  const random = randomOf(seed, 'deletion');
  if (!first || (random() >= DELETING_WORLDS && !isCertain)) return undefined;
  const config = { ...first.config, contact: 'https://sim.test/crawl-deleted' };
  const crawl = { id: DELETED_CRAWL, seeds: first.seeds, config };
  return {
    crawl,
    archive: random() < 0.5,
    afterRequests: between(random, 0, MAX_REQUESTS),
    latestMs: random() * MAX_MS,
  };
}

export interface DeletingWorld {
  readonly cloud: SimCloud;
  readonly web: Pick<SimWeb, 'log'>;
  readonly hasCompactor: boolean;
  readonly open: () => Desk;
}

/**
 * Begins the crawl and deletes it. Without a compactor the operator deletes the data, too. Afterwards late messages of
 * the crawl come.
 */
export function runDeletion(plan: DeletionPlan, { cloud, web, hasCompactor, open }: DeletingWorld): Deletion {
  const { time, trace } = cloud;
  const { crawl, archive, afterRequests, latestMs } = plan;
  const { id, seeds, config } = crawl;
  const requests = () => web.log.filter(({ contact }) => contact === config.contact).length;
  let isBusy = true;
  let isDone = false;

  async function run(): Promise<void> {
    await open().control.seed({ crawl: id, seeds, config });
    const latestAt = time.now() + latestMs;
    while (time.now() < latestAt && requests() < afterRequests) await time.sleep(LOOK_MS);
    while (!isDone) {
      const { state } = await open().control.delete(id, { archive });
      isDone = state === 'deleted';
      if (!isDone && !hasCompactor) await open().deletions.proceed(id);
      if (!isDone) await time.sleep(AGAIN_MS);
    }
    trace?.({ process: 'operator', what: `${id} is deleted, and late messages of it come` });
    await open().send(id, seedLinks(seeds, []));
    await open().sendText(JSON.stringify({ crawl: id, urls: seeds }));
    const refusal = await open()
      .control.create({ crawl: id, seeds, config })
      .catch((error: unknown) => error);
    if (!(refusal instanceof ControlError)) throw new Error(`${id} began again: ${refusal}`);
  }

  void run().finally(() => {
    isBusy = false;
  });
  return { ...plan, isBusy: () => isBusy, isDone: () => isDone };
}

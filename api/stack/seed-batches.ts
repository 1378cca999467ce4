/** Seeds by the thousands, given a crawl in as many requests as they need. */

import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { SeedsRefused } from '../../shared/services/begin/sort-seeds.ts';
import {
  type AddedSeeds,
  type BegunCrawl,
  type Control,
  ControlError,
  type NewCrawl,
} from '../../shared/services/control/control.ts';
import { MAX_SEEDS } from '../../shared/services/control/request-schemas.ts';

/** Begins the crawl with the first seeds and adds the others. Where that fails, all can be added again. */
export async function createWithSeeds(
  control: Pick<Control, 'create' | 'addSeeds'>,
  request: NewCrawl,
): Promise<BegunCrawl> {
  const { seeds = [] } = request;
  const first = seeds.length > 0 ? { seeds: seeds.slice(0, MAX_SEEDS) } : {};
  const begun = await control.create({ ...request, ...first });
  const { refused } = await addAllSeeds(control, begun.crawl, seeds.slice(MAX_SEEDS), true);
  return { ...begun, refused: [...begun.refused, ...refused] };
}

/** Throws `ControlError` if no seed can be used, unless the crawl has begun with others. */
export async function addAllSeeds(
  control: Pick<Control, 'addSeeds'>,
  crawl: CrawlId,
  seeds: readonly string[],
  hasOthers = false,
): Promise<AddedSeeds> {
  let added = 0;
  let failure: unknown;
  const refused: AddedSeeds['refused'][number][] = [];
  for (let from = 0; from < seeds.length; from += MAX_SEEDS) {
    try {
      const answer = await control.addSeeds(crawl, seeds.slice(from, from + MAX_SEEDS));
      added += answer.added;
      refused.push(...answer.refused);
    } catch (error) {
      // Other requests may have seeds that can be used.
      if (!(error instanceof ControlError && error.cause instanceof SeedsRefused)) throw error;
      failure ??= error;
      refused.push(...error.cause.refused.map(({ url, reason }) => ({ url, reason })));
    }
  }
  if (failure && added === 0 && !hasOthers) throw failure;
  return { crawl, added, refused };
}

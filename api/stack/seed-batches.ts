/** Seeds by the thousands, given a crawl in as many requests as they need. */

import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { AddedSeeds, BegunCrawl, Control, NewCrawl } from '../../shared/services/control/control.ts';
import { MAX_SEEDS } from '../../shared/services/control/request-schemas.ts';

/** Begins the crawl with the first seeds and adds the others. Where that fails, all can be added again. */
export async function createWithSeeds(
  control: Pick<Control, 'create' | 'addSeeds'>,
  request: NewCrawl,
): Promise<BegunCrawl> {
  const { seeds = [] } = request;
  const first = seeds.length > 0 ? { seeds: seeds.slice(0, MAX_SEEDS) } : {};
  const begun = await control.create({ ...request, ...first });
  const { refused } = await addAllSeeds(control, begun.crawl, seeds.slice(MAX_SEEDS));
  return { ...begun, refused: [...begun.refused, ...refused] };
}

export async function addAllSeeds(
  control: Pick<Control, 'addSeeds'>,
  crawl: CrawlId,
  seeds: readonly string[],
): Promise<AddedSeeds> {
  let added = 0;
  const refused: AddedSeeds['refused'][number][] = [];
  for (let from = 0; from < seeds.length; from += MAX_SEEDS) {
    const answer = await control.addSeeds(crawl, seeds.slice(from, from + MAX_SEEDS));
    added += answer.added;
    refused.push(...answer.refused);
  }
  return { crawl, added, refused };
}

import { medianLinkers } from '../../../core/frontier/link-budget.ts';
import type { Crawl } from '../../crawl-state/crawls.ts';
import type { Engine } from '../../ports/engine.ts';

/** The sums of a crawl's heads are read again after this: a median moves slowly. */
const AGE_MS = 60_000;

/** How many domains link to the median domain of each crawl. */
export interface LinkMedians {
  of(crawl: Pick<Crawl, 'id' | 'budget'>): Promise<number>;
}

export function createLinkMedians({ registry, clock }: Pick<Engine, 'registry' | 'clock'>): LinkMedians {
  const elapsed = clock.elapsed ?? clock.now;
  const known = new Map<string, { readonly at: number; readonly median: Promise<number> }>();
  return {
    async of({ id, budget }) {
      // The counts of several processes are read every few seconds anyway.
      if (registry.isShared) return medianLinkers(budget.used().linking);
      const last = known.get(id);
      if (last && elapsed() - last.at < AGE_MS) return last.median;
      const median = registry.totals(id).then(({ linking }) => medianLinkers(linking));
      known.set(id, { at: elapsed(), median });
      median.catch(() => known.delete(id));
      return median;
    },
  };
}

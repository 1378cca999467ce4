import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { checkContact } from './contact-fault.ts';
import { refusedSeeds, type SortedSeeds, sortSeeds } from './sort-seeds.ts';
import { wideningSeeds } from './widening-seeds.ts';

/** Seeds for a crawl that has begun. */
export interface PlannedSeeds extends SortedSeeds {
  /** Seeds around which the scope of the crawl is drawn from now on, too. */
  readonly widening: readonly string[];
}

/** Throws `InvalidConfig` if no seed is left, and `NoContact`. */
export function planSeeds(
  urls: readonly string[],
  { scopeSeeds }: Pick<CrawlRecord, 'scopeSeeds'>,
  config: CrawlConfig,
): PlannedSeeds {
  const { accepted, refused } = sortSeeds(urls, config);
  if (accepted.length === 0) throw refusedSeeds(refused);
  checkContact(accepted, config);
  return { accepted, refused, widening: wideningSeeds(config, scopeSeeds, accepted) };
}

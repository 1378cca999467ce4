import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { replaceSites, type Site, type SiteChanges } from '../../core/crawl/sites.ts';
import type { CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import { checkContact } from './contact-fault.ts';
import { refusedSeeds, sortSeeds } from './sort-seeds.ts';

/** Another list of sites for a crawl. */
export interface PlannedSites {
  /** Also those that the list no longer has. */
  readonly sites: readonly Site[];
  readonly changes: SiteChanges;
  /** Canonical URLs that are new, to be sent as seeds. */
  readonly seeds: readonly string[];
}

/** Throws `InvalidConfig` if the crawl leaves out the URL of a new site, and `NoContact`. */
export function planSiteChanges(
  before: readonly Site[],
  next: readonly Site[],
  config: CrawlConfig,
): PlannedSites {
  const known = new Set(before.flatMap(({ url, isRemoved }) => (isRemoved ? [] : url)));
  const urls = next.flatMap(({ url }) => (known.has(url) ? [] : url));
  const { accepted, refused } = sortSeeds(urls, config, next);
  if (refused.length > 0) throw refusedSeeds(refused);
  checkContact(accepted, config);
  return { ...replaceSites(before, next), seeds: accepted };
}

/** The crawl has the list from now on. */
export async function storeSiteChanges(
  registry: Pick<CrawlRegistry, 'setSites' | 'storeSites'>,
  crawl: CrawlId,
  { sites }: Pick<PlannedSites, 'sites'>,
): Promise<void> {
  await registry.setSites(crawl, await registry.storeSites(crawl, sites));
}

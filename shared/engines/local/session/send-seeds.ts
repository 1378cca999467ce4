import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { seedLinks } from '../../../core/frontier/seed-links.ts';
import type { LinkExchange } from '../../../crawler/ports/link-exchange.ts';

/** A parcel holds no more: a list of seeds may have millions. */
const PARCEL_LINKS = 10_000;

/** Sends what a crawl begins with, or is given besides, on its way: see {@link seedLinks}. */
export async function sendSeeds(
  exchange: Pick<LinkExchange, 'send'>,
  crawl: CrawlId,
  seeds: readonly string[],
  sitemaps: readonly string[],
): Promise<void> {
  const links = seedLinks(seeds, sitemaps);
  for (let from = 0; from < links.length; from += PARCEL_LINKS)
    await exchange.send({ crawl, links: links.slice(from, from + PARCEL_LINKS) });
}

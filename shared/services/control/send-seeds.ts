import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { seedLinks } from '../../core/frontier/seed-links.ts';
import type { ControlEngine } from './control-engine.ts';

/** Links in one parcel. */
const MAX_PARCEL_LINKS = 2000;

/** Sends canonical URLs to their hosts as seeds, and as sitemaps. To send them twice changes nothing. */
export async function sendSeeds(
  { exchange }: Pick<ControlEngine, 'exchange'>,
  crawl: CrawlId,
  urls: readonly string[],
  sitemaps: readonly string[] = [],
): Promise<void> {
  const links = seedLinks(urls, sitemaps);
  for (let from = 0; from < links.length; from += MAX_PARCEL_LINKS)
    await exchange.send({ crawl, links: links.slice(from, from + MAX_PARCEL_LINKS) });
}

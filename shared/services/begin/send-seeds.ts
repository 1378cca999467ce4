import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { canonicalSitemaps, seedLinks } from '../../core/frontier/seed-links.ts';
import { allSeeds } from '../../crawler/crawl-state/crawls.ts';
import type { CrawlRecord, CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import type { LinkExchange } from '../../crawler/ports/link-exchange.ts';

/** Links in one parcel: a list of seeds may have millions. */
const MAX_PARCEL_LINKS = 2000;

interface Exchanging {
  readonly exchange: Pick<LinkExchange, 'send'>;
}

/** Sends canonical URLs to their hosts as seeds, and as sitemaps. To send them twice changes nothing. */
export async function sendSeeds(
  { exchange }: Exchanging,
  crawl: CrawlId,
  urls: readonly string[],
  sitemaps: readonly string[] = [],
): Promise<void> {
  for (const seeds of parcelsOf(urls)) await exchange.send({ crawl, links: seedLinks(seeds, []) });
  for (const maps of parcelsOf(sitemaps)) await exchange.send({ crawl, links: seedLinks([], maps) });
}

function* parcelsOf(urls: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < urls.length; from += MAX_PARCEL_LINKS)
    yield urls.slice(from, from + MAX_PARCEL_LINKS);
}

/** Sends the seeds again if the process that began the crawl ended before it had sent them. */
export async function sendLostSeeds(
  engine: Exchanging & { readonly registry: Pick<CrawlRegistry, 'readSites'> },
  crawl: CrawlId,
  record: CrawlRecord,
  { hosts, config }: { readonly hosts: number; readonly config: CrawlConfig },
): Promise<void> {
  if (hosts > 0) return;
  const seeds = await allSeeds(engine.registry, crawl, record);
  await sendSeeds(engine, crawl, seeds, canonicalSitemaps(config.sitemapUrls));
}

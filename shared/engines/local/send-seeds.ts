import { InvalidConfig } from '../../crawl/config.ts';
import type { Link } from '../../frontier/message.ts';
import type { CrawlId, LinkExchange } from '../../ports.ts';
import { canonicalize } from '../../url/canonical.ts';

/** A parcel holds no more: a list of seeds may have millions. */
const PARCEL_LINKS = 10_000;

/** What a crawl begins with: its seeds, and the sitemaps that its operator names. All canonical. */
export async function sendSeeds(
  exchange: Pick<LinkExchange, 'send'>,
  crawl: CrawlId,
  seeds: readonly string[],
  sitemaps: readonly string[],
): Promise<void> {
  const links: Link[] = [
    ...seeds.map((url): Link => ({ url, depth: 0, isSeed: true })),
    ...sitemaps.map((url): Link => ({ url, depth: 0, isSeed: true, kind: 'sitemap' })),
  ];
  for (let from = 0; from < links.length; from += PARCEL_LINKS)
    await exchange.send({ crawl, links: links.slice(from, from + PARCEL_LINKS) });
}

/** The canonical form of each of `sitemapUrls`. Throws `InvalidConfig`. */
export function canonicalSitemaps(urls: readonly string[]): string[] {
  const canonical = urls.map((given) => {
    const url = canonicalize(given);
    if (url === undefined)
      throw new InvalidConfig(`Expected an http or https URL as a sitemap, got ${JSON.stringify(given)}`);
    return url;
  });
  return [...new Set(canonical)];
}

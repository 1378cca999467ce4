/** The first links of a crawl: its seeds, and the sitemaps that its operator names. */

import { InvalidConfig } from '../crawl/config.ts';
import { canonicalize } from '../url/canonical.ts';
import type { Link } from './message.ts';

/** Their links. All URLs canonical. */
export function seedLinks(seeds: readonly string[], sitemaps: readonly string[]): Link[] {
  return [
    ...seeds.map((url): Link => ({ url, depth: 0, isSeed: true })),
    ...sitemaps.map((url): Link => ({ url, depth: 0, isSeed: true, kind: 'sitemap' })),
  ];
}

/** The canonical form of each of `sitemapUrls`. Throws {@link InvalidConfig}. */
export function canonicalSitemaps(urls: readonly string[]): string[] {
  const canonical = urls.map((given) => {
    const url = canonicalize(given);
    if (url === undefined)
      throw new InvalidConfig(`Expected an http or https URL as a sitemap, got ${JSON.stringify(given)}`);
    return url;
  });
  return [...new Set(canonical)];
}

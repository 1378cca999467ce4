import type { MapOptions, MappedUrl, SiteEstimate } from './map-options.ts';

/**
 * Lists the URLs of a site without fetching its pages: reads robots.txt, the start page, the sitemaps, feeds and `llms.txt`, as
 * a crawl would. URLs that a crawl would not fetch are left out. Throws `PageNotRead` if the site gives nothing.
 *
 * ```ts
 * for await (const { url, lastModified } of mapSite('https://example.org/', { contact: 'you@example.org' })) …
 * ```
 */
export async function* mapSite(url: string, options: MapOptions = {}): AsyncGenerator<MappedUrl, void> {
  const { openMap } = await import('./local/map/open-map.ts');
  await using map = await openMap(url, options);
  yield* map.urls();
}

/** Estimates a crawl of a site from its map. Makes the same requests as {@link mapSite}. */
export async function estimateSite(url: string, options: MapOptions = {}): Promise<SiteEstimate> {
  const { estimateMap } = await import('./local/map/estimate-map.ts');
  return estimateMap(url, options);
}

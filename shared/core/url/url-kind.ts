/**
 * The kinds of URLs that are not fetched as pages. `requisite`: part of a page that belongs to the crawl; it
 * does not count as a page unless it is a document within the scope. `sitemap`: a list of URLs, not a page.
 */
export const URL_KINDS = ['requisite', 'sitemap'] as const;
export type UrlKind = (typeof URL_KINDS)[number];

/**
 * Returns the kind of a URL that is linked to as two things. A requisite stays one, so that the page becomes
 * whole that it is part of; otherwise a page comes before a sitemap.
 */
export function kindOfBoth(a: UrlKind | undefined, b: UrlKind | undefined): UrlKind | undefined {
  return a === 'requisite' || b === 'requisite' ? 'requisite' : a && b;
}

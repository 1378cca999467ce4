/** A session's settings, as those of a crawl of single pages. */
import { type CrawlOptions, parseConfig } from '../../../shared/core/crawl/config.ts';
import { type CrawlPlan, planCrawl } from '../../../shared/services/begin/plan-crawl.ts';

/** Settings that turn off all that does not serve a single page. */
const ONE_PAGE = {
  scope: 'page',
  sitemaps: 'off',
  feeds: false,
  requisites: false,
  metadata: false,
  revisits: false,
  recrawl: 'off',
  // The page that was requested, though it names another page as canonical or is marked `noindex`.
  obeyCanonical: false,
  obeyNoindex: false,
} as const satisfies CrawlOptions;

/** Settings of a whole crawl, which have no effect. */
const OF_CRAWLS = [
  'maxPages',
  'maxBytes',
  'maxTimeMs',
  'maxPagesPerHost',
  'maxPagesPerTemplate',
  'recrawlEveryMs',
  'recrawlSchedule',
  'sitemapUrls',
  'documents',
  'changeFeed',
] as const satisfies readonly (keyof CrawlOptions)[];

/** The crawl that begins with the page `url`. Throws `InvalidConfig` and `NoContact`. */
export function planPages(url: string, given: CrawlOptions): CrawlPlan {
  // Also those that have no effect are to be right.
  parseConfig(given);
  const options: Record<string, unknown> = { ...given, ...ONE_PAGE };
  for (const key of OF_CRAWLS) delete options[key];
  return planCrawl({ seeds: [url], options });
}

import type { CrawlOptions } from 'strand-crawler';

export const SITE = 'https://example.org/';

export const CRAWL: CrawlOptions = {
  // Where site owners can reach you. Needed before you crawl a site of others.
  // contact: 'you@example.org',
  maxPages: 500,
};

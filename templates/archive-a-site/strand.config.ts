import { defineCrawl } from 'strand-crawler';

export default defineCrawl({
  crawl: {
    // Where site owners can reach you. Needed before you crawl a site of others.
    // contact: 'you@example.org',
    scope: 'host',
    // Images, styles and scripts, so that pages replay whole.
    requisites: true,
    sitemaps: 'find',
  },
});

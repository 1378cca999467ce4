import { defineCrawl } from 'strand-crawler';

/** As a project would have it: settings for every crawl, and a header on every request. */
export default defineCrawl({
  crawl: { delayMs: 0, adaptive: false, maxPages: 50 },
  middleware: [
    (request, next) => next({ ...request, headers: { ...request.headers, 'x-from-project': 'yes' } }),
  ],
});

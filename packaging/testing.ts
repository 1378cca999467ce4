/**
 * A generated web for tests of your own crawls: hosts, pages, links, robots.txt, redirects, errors and broken
 * HTTP, made from a seed and served on a loopback address. What a correct crawl of it requests is known, and
 * is worked out without any code of the crawler.
 *
 * ```ts
 * const { seeds, web, address, log, stop } = await startWeb(generateWeb({ seed: 1, hosts: 5, pagesPerHost: 20, features: PLAIN }));
 * const contact = 'you@example.org';
 * const crawl = await startCrawl({ seeds, contact, resolve: [['*.test', address]], allowPrivateAddresses: ['127.0.0.0/8'] });
 * await crawl.done;
 * const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
 * assert.deepEqual(checkLog(web, log, { truth }), []);
 * await stop();
 * ```
 */
export { type CheckOptions, checkLog } from '../test/web/check.ts';
export { type Features, FULL, PLAIN } from '../test/web/features.ts';
export { generateWeb, type Web, type WebOptions } from '../test/web/graph.ts';
export { type LogEntry, type RunningWeb, type ServerOptions, startWeb } from '../test/web/server.ts';
export { type CrawlPlan, closure, type Expectation, type FinalState, type Truth } from '../test/web/truth.ts';

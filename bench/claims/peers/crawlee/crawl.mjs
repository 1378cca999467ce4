// node crawl.mjs http|cheerio SEEDS CONCURRENCY: all that links lead to, in memory, as fast as it goes.
import { readFileSync } from 'node:fs';
import { CheerioCrawler } from '@crawlee/cheerio';
import { Configuration, HttpCrawler, LogLevel, log } from '@crawlee/http';
import { Parser } from 'htmlparser2';

const [kind, seedsFile, concurrency] = process.argv.slice(2);
const seeds = readFileSync(seedsFile, 'utf8').trim().split('\n');
log.setLevel(LogLevel.WARNING);

const configuration = new Configuration({
  persistStorage: false,
  // The whole machine: its own estimate would hold it back.
  memoryMbytes: 8192,
  availableMemoryRatio: 0.9,
  systemInfoV2: false,
});
const options = {
  minConcurrency: Number(concurrency),
  maxConcurrency: Number(concurrency),
  autoscaledPoolOptions: {
    desiredConcurrency: Number(concurrency),
    // By default it looks every half second whether it may begin something.
    maybeRunIntervalSecs: 0.05,
    systemStatusOptions: {
      maxEventLoopOverloadedRatio: 1,
      maxCpuOverloadedRatio: 1,
      maxMemoryOverloadedRatio: 1,
      maxClientOverloadedRatio: 1,
    },
  },
  maxRequestRetries: 0,
  ignoreSslErrors: true,
  useSessionPool: false,
  persistCookiesPerSession: false,
  additionalMimeTypes: ['text/plain', 'application/xml'],
  // Else it makes up a browser's headers for each request.
  preNavigationHooks: [
    (_context, got) => {
      got.useHeaderGenerator = false;
    },
  ],
  failedRequestHandler() {},
  errorHandler() {},
};

function linksOf(html, pageUrl) {
  let base = pageUrl;
  const links = new Set();
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href === undefined) return;
      const url = URL.parse(href, base);
      if (url === null) return;
      if (name === 'base') base = url.href;
      if (name !== 'a' && name !== 'area') return;
      url.hash = '';
      if (url.protocol === 'http:' || url.protocol === 'https:') links.add(url.href);
    },
  });
  parser.end(html);
  return [...links];
}

const crawler =
  kind === 'cheerio'
    ? new CheerioCrawler(
        {
          ...options,
          requestHandler: ({ enqueueLinks }) =>
            enqueueLinks({ selector: 'a[href], area[href]', strategy: 'all' }),
        },
        configuration,
      )
    : new HttpCrawler(
        {
          ...options,
          async requestHandler({ body, request }) {
            const links = linksOf(body.toString(), request.loadedUrl);
            await crawler.addRequests(
              links.map((url) => ({ url })),
              { waitForAllRequestsToBeAdded: true },
            );
          },
        },
        configuration,
      );

await crawler.run(seeds.map((url) => ({ url })));

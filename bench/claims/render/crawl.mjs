// node crawl.mjs BROWSER AT_ONCE URL...: renders the pages, and prints how many links each has, and the CPU of this process.
import { Configuration, LogLevel, log, PlaywrightCrawler } from '@crawlee/playwright';
import { chromium } from 'playwright';

const [executablePath, atOnce, ...urls] = process.argv.slice(2);
log.setLevel(LogLevel.ERROR);
const before = process.cpuUsage();
let links = 0;
const crawler = new PlaywrightCrawler(
  {
    launchContext: { launcher: chromium, launchOptions: { executablePath, args: ['--no-sandbox'] } },
    headless: true,
    minConcurrency: Number(atOnce),
    maxConcurrency: Number(atOnce),
    maxRequestRetries: 0,
    async requestHandler({ page }) {
      await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => {});
      const found = await page.$$eval('a[href]', (all) => new Set(all.map(({ href }) => href)).size);
      links += found;
    },
    failedRequestHandler() {},
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.8 }),
);
await crawler.run(urls);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ links, cpuMs: (user + system) / 1000 }));
process.exit(0);

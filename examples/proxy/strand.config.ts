import { defineCrawl } from 'strand-crawler';
import { ProxyAgent } from 'undici';
import { byProxy } from './by-proxy.ts';

const { CRAWL_PROXY = 'http://127.0.0.1:8105' } = process.env;
const contact = 'https://example.org/crawler';
const userAgent = `ExampleCrawler/1.0 (+${contact})`;
const agent = new ProxyAgent(CRAWL_PROXY);

export default defineCrawl({
  crawl: { userAgent, contact, delayMs: 200 },
  middleware: [byProxy({ agent, userAgent })],
  onPage: ({ url, title }) => ({ url, title }),
  onFinish: () => agent.close(),
});

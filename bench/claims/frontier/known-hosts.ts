/** Hosts of which a given number of URLs is known and a tenth is fetched, as the real worker leaves them. */
import type { Clock } from '../../../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { bodyOf } from '../../../test/core/archive/captures.ts';
import { type CrawlRun, runCrawl } from '../budgets/run-crawl.ts';
import { createLargeHost } from '../ledger/large-host.ts';

const LINKS_OF_PAGE = 10;
const ROBOTS = [
  'User-agent: *',
  'Disallow: /search',
  'Disallow: /cart/',
  'Disallow: /*?sort=',
  'Allow: /search/about',
  'User-agent: GPTBot',
  'Disallow: /',
].join('\n');
const NUMBER = /-(\d+)\.html$/;
/** A page that is fetched is allowed a request a second. */
const SECOND = 1.2;

export interface KnownHosts extends Pick<CrawlRun, 'heads' | 'parts'> {
  readonly hosts: number;
  readonly urlsOfHost: number;
}

/** Crawls `hosts` hosts of `urls` URLs. */
export async function crawlHosts(hosts: number, urls: number): Promise<KnownHosts> {
  const { urlOf } = createLargeHost();
  const pathOf = (n: number) => new URL(urlOf(n)).pathname;
  const pages = Math.max(1, Math.round(urls / LINKS_OF_PAGE));
  const answer = (url: string): { readonly type: string; readonly body: string } => {
    if (url.endsWith('/robots.txt')) return { type: 'text/plain', body: ROBOTS };
    const page = Number(NUMBER.exec(url)?.[1] ?? 0);
    const links = Array.from({ length: LINKS_OF_PAGE }, (_, i) => pathOf(page * LINKS_OF_PAGE + i + 1));
    return { type: 'text/html', body: links.map((path) => `<a href="${path}">x</a>`).join('') };
  };
  const web = {
    seeds: Array.from({ length: hosts }, (_, n) => `https://www.shop-of-${n}.test/`),
    pages: { honest: [], farm: [] },
    fetcherOn: (clock: Clock): Fetcher => ({
      async fetch({ url, onHead, signal }) {
        const startedAt = clock.now();
        await clock.sleep(50, signal);
        const { type, body } = answer(url);
        const bytes = Buffer.from(body);
        const head = { httpStatus: 200, statusText: 'OK', headers: [['Content-Type', type]] as const };
        onHead?.(head)?.(bytes);
        return {
          status: 'response',
          url,
          startedAt,
          endedAt: clock.now(),
          ...head,
          body: bodyOf(bytes),
          requestHead: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
          ipAddress: '127.0.0.1',
        };
      },
      close: async () => {},
    }),
  };
  const { heads, parts } = await runCrawl(web, {
    config: { maxPagesPerHost: pages, domainBudget: 'links:1000000' },
    hostsAtOnce: hosts,
    seconds: SECOND * pages + 60,
  });
  return { heads, parts, hosts, urlsOfHost: urls };
}

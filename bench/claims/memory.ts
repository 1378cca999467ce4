/**
 * A crawl that knows very many URLs: its peak memory, and its rate compared with that of one that knows a
 * hundredth of them. The ledgers are filled first, in another process; then the crawl is resumed and fetches
 * a number of pages, five a turn, from a middleware instead of the network. Takes some minutes, and 2 GB of
 * disk.
 *
 *     npm run bench -- memory [HOSTS, of 100 known URLs each] [PAGES to fetch]
 */
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { crawlKnowing } from './memory/crawl-knowing.ts';
import type { KnownCrawl } from './memory/crawl-known.ts';
import { KNOWN_PER_HOST } from './memory/known-web.ts';

export async function measure({
  words: [hosts = '100000', pages = '50000'],
}: BenchOptions): Promise<Measured> {
  const [many, fetched] = [Number(hosts), Number(pages)];
  if (!(many >= 100) || !(fetched >= 100))
    throw new Error(`Expected at least 100 hosts and 100 pages, got ${hosts} and ${pages}`);
  const few = await crawlKnowing(Math.ceil(many / 100), fetched);
  const large = await crawlKnowing(many, fetched);
  const rate = ({ pages, wallMs }: KnownCrawl) => (pages / wallMs) * 1000;
  return {
    figures: {
      peakMb: {
        value: large.peakBytes / 1e6,
        unit: `MB at the peak with ${(many * KNOWN_PER_HOST).toLocaleString('en-US')} known URLs`,
      },
      rateRatio: { value: rate(large) / rate(few), unit: 'x the pages/s with a hundredth of them' },
      pagesPerSecond: { value: rate(large), unit: 'pages/s' },
      cpuMsPerPage: { value: large.cpuMs / large.pages, unit: 'ms of CPU a page' },
      cpuRatio: {
        value: large.cpuMs / large.pages / (few.cpuMs / few.pages),
        unit: 'x the CPU a page with a hundredth',
      },
      peakMbOfFew: { value: few.peakBytes / 1e6, unit: 'MB at the peak with a hundredth' },
      wakeMs: { value: large.resumeMs, unit: 'ms to resume and wake all hosts' },
    },
  };
}

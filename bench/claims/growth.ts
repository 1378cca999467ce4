/**
 * How a crawl grows: CPU of a page, and of the resume, with 1, 10 and 100 times the hosts and known URLs; and of a page
 * of a single host with 1, 10 and 100 times the known URLs. As many pages of as many hosts are fetched each time, from a
 * middleware instead of the network.
 *
 *     npm run bench -- growth [HOSTS at most, of 100 known URLs each] [PAGES to fetch]
 */
import type { BenchOptions } from '../claims.ts';
import { type Figure, type Measured, median, thousands } from '../harness/record.ts';
import { crawlKnowing } from './memory/crawl-knowing.ts';
import type { KnownCrawl } from './memory/crawl-known.ts';
import { KNOWN_PER_HOST, PAGES_PER_TURN } from './memory/known-web.ts';

const TIMES = [1, 10, 100] as const;

/** Known URLs of the single host, at least: half of them are fetched. */
const FEWEST_OF_HOST = 10_000;
/** A single host's turns are as long as they come. */
const OF_HOST = { turnMaxPages: 400 };

export async function measure({
  words: [hosts = '100000', pages = '20000'],
  rounds,
}: BenchOptions): Promise<Measured> {
  const [most, fetched] = [Number(hosts), Number(pages)];
  if (!(most >= 100) || !(fetched >= 100))
    throw new Error(`Expected at least 100 hosts and 100 pages, got ${hosts} and ${pages}`);
  const few = Math.ceil(most / 100);
  // A turn of each host of the smallest crawl, and as many of the largest one: a page costs what its host's robots.txt and
  // ledger do, too, and of a crawl with fewer hosts for its pages that would be a smaller share.
  const alike = Math.min(fetched, few * PAGES_PER_TURN);
  const [runs, ofHost] = [TIMES.map(() => [] as KnownCrawl[]), TIMES.map(() => [] as KnownCrawl[])];
  const long: KnownCrawl[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [i, times] of TIMES.entries()) runs[i]?.push(await crawlKnowing(few * times, alike));
    for (const [i, times] of TIMES.entries())
      ofHost[i]?.push(await crawlKnowing(1, fetched / 4, { known: FEWEST_OF_HOST * times, ...OF_HOST }));
    long.push(await crawlKnowing(1, fetched, { known: FEWEST_OF_HOST * 10, ...OF_HOST }));
  }
  const middle = (of: readonly KnownCrawl[] | undefined, what: (run: KnownCrawl) => number) =>
    median((of ?? []).map(what));
  const cpuOf = (all: readonly (readonly KnownCrawl[])[]) =>
    all.map((of) => middle(of, ({ cpuMs, pages: done }) => cpuMs / done));
  const cpu = cpuOf(runs);
  const cpuOfHost = cpuOf(ofHost);
  const known = (times: number) => `${thousands(few * times * KNOWN_PER_HOST)} known URLs`;
  const largest = runs.at(-1);
  const figures: Record<string, Figure> = {};
  for (const [i, times] of TIMES.entries())
    figures[`cpuMsPerPage${times}`] = { value: cpu[i]!, unit: `ms of CPU a page with ${known(times)}` };
  figures.growth10 = { value: cpu[1]! / cpu[0]!, unit: 'x the CPU a page with 10 times the hosts' };
  figures.growth100 = { value: cpu[2]! / cpu[0]!, unit: 'x with 100 times' };
  figures.resumeCpuMs = {
    value: middle(largest, ({ resumeCpuMs }) => resumeCpuMs),
    unit: 'ms of CPU to resume and wake all hosts',
  };
  figures.resumeMs = { value: middle(largest, ({ resumeMs }) => resumeMs), unit: 'ms of time for that' };
  figures.cpuMsPerPageOfHost = {
    value: cpuOfHost[0]!,
    unit: `ms of CPU a page of one host with ${thousands(FEWEST_OF_HOST)} known URLs`,
  };
  figures.growth10OfHost = { value: cpuOfHost[1]! / cpuOfHost[0]!, unit: 'x with 10 times' };
  figures.growth100OfHost = { value: cpuOfHost[2]! / cpuOfHost[0]!, unit: 'x with 100 times' };
  figures.lastQuarterOfHost = {
    value: median(long.map((run) => run.cpuMsOfLastQuarter / run.cpuMsOfSecondQuarter)),
    unit: `x the CPU a page in the last quarter of ${thousands(fetched)} pages of one host as in the second one`,
  };
  return { figures };
}

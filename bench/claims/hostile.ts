/**
 * Hostile servers: every case of `bench/claims/hostile/cases/` on a loopback address of its own, crawled at once by
 * the command line with its default settings apart from the delay. Says which cases hold, what the crawl
 * cost, and whether anything was connected to that must not be.
 *
 *     npm run bench -- hostile [GROUP or part of a case's name ...]
 */
import type { BenchOptions } from '../claims.ts';
import type { Measured } from '../harness/record.ts';
import { withScratch } from '../harness/scratch.ts';
import { chooseCases } from './hostile/cases/all-cases.ts';
import { crawlHostile, type HostileCrawl } from './hostile/crawl-hostile.ts';

const MAX_TIME_MS = 240_000;

export async function measure({ words }: BenchOptions): Promise<Measured> {
  const cases = chooseCases(words);
  const crawl = await withScratch((folder) => crawlHostile(folder, cases, { maxTimeMs: MAX_TIME_MS }));
  const held = crawl.judged.filter(({ failures }) => failures.length === 0).length;
  return {
    figures: {
      held: { value: held, unit: `cases held of ${cases.length}` },
      canaries: { value: crawl.canaries.length, unit: 'connections to private addresses' },
      requests: { value: crawl.requests, unit: 'requests' },
      peakMb: { value: crawl.cost.peakBytes / 1e6, unit: 'MB at the peak' },
      seconds: { value: crawl.cost.wallMs / 1000, unit: 's' },
      cpuSeconds: { value: crawl.cost.cpuMs / 1000, unit: 's of CPU' },
      sentMb: { value: crawl.bytesSent / 1e6, unit: 'MB sent by the servers' },
    },
    detail: detailOf(crawl),
  };
}

function detailOf({ judged, canaries, cost, outputFaults, knownUrls }: HostileCrawl): string {
  const rows = judged.map(({ one, requests, failures }) =>
    [
      failures.length === 0 ? 'held    ' : 'NOT HELD',
      String(requests).padStart(6),
      ` ${one.name}`,
      ...failures.slice(0, 3).map((failure) => `\n                  ${failure.slice(0, 200)}`),
    ].join(''),
  );
  const ended =
    cost.code === null ? 'was killed: it did not end by itself' : `ended with exit code ${cost.code}`;
  const most = judged.toSorted((a, b) => b.requests - a.requests).slice(0, 5);
  return [
    'result  requests case',
    ...rows,
    '',
    `The crawl ${ended}, knows ${knownUrls} URLs. Most requests: ${most.map(({ one, requests }) => `${requests} (${one.name})`).join(', ')}.`,
    `WARC files, WACZ, reports: ${outputFaults.length === 0 ? 'valid' : `NOT VALID:\n${outputFaults.join('\n')}`}`,
    `Canaries: ${canaries.length === 0 ? 'none reached' : `REACHED:\n${canaries.slice(0, 50).join('\n')}`}`,
  ].join('\n');
}

/**
 * Two worker threads beside one: the command line crawls the generated web with both cores, which the web's server
 * shares. So the ratio is a lower bound where there are only two.
 */
import type { BenchOptions } from './claims.ts';
import { type Measured, median } from './record.ts';
import { withScratch } from './scratch.ts';
import { type CrawlCost, crawlMeasured, strandCommand } from './strand-run.ts';
import { openWeb } from './web/open-web.ts';

const WORKERS = [1, 2] as const;

export async function measure({ hosts, pages, rounds, synthweb }: BenchOptions): Promise<Measured> {
  const web = await openWeb({ hosts, pages, synthweb, before: [] });
  try {
    const costs = new Map<number, CrawlCost[]>(WORKERS.map((workers) => [workers, []]));
    for (let round = 0; round < rounds; round++)
      for (const workers of WORKERS)
        costs
          .get(workers)
          ?.push(
            await withScratch((folder) =>
              crawlMeasured(web, { command: strandCommand(folder, web.seeds, workers) }),
            ),
          );
    const middle = (workers: number, of: (cost: CrawlCost) => number) =>
      median((costs.get(workers) ?? []).map(of));
    const rate = (workers: number) => middle(workers, ({ counts }) => (counts.pages / counts.spanMs) * 1000);
    const cpu = (workers: number) => middle(workers, ({ counts, cpuMs }) => cpuMs / counts.pages);
    return {
      figures: {
        ratio: { value: rate(2) / rate(1), unit: 'x the pages/s of one worker with two' },
        pagesPerSecondOfOne: { value: rate(1), unit: 'pages/s with one' },
        pagesPerSecondOfTwo: { value: rate(2), unit: 'with two' },
        cpuMsPerPageOfOne: { value: cpu(1), unit: 'ms of CPU a page with one' },
        cpuMsPerPageOfTwo: { value: cpu(2), unit: 'with two' },
      },
    };
  } finally {
    await web.close();
  }
}

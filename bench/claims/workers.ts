/**
 * The gain from further cores: the command line and the web's server on one core, on two with one worker thread and with
 * two, and with four threads on four cores, or on two where there are no more. The server has the same cores as the
 * crawler each time, so twice the cores are twice of all there is.
 */
import { availableParallelism } from 'node:os';
import type { BenchOptions } from '../claims.ts';
import { type Measured, median } from '../harness/record.ts';
import { hasTaskset } from '../harness/run-measured.ts';
import { withScratch } from '../harness/scratch.ts';
import { type CrawlCost, crawlMeasured, strandCommand } from '../harness/strand-run.ts';
import { openWeb } from '../harness/web/open-web.ts';

/**
 * The factor by which the number of pages is raised, because each thread spends a second of CPU on compiling.
 */
const TIMES_PAGES = 4;

const FOUR_CORES = availableParallelism() >= 4;

const RUNS = [
  { cores: '0', workers: 1 },
  { cores: '0,1', workers: 1 },
  { cores: '0,1', workers: 2 },
  { cores: FOUR_CORES ? '0-3' : '0,1', workers: 4 },
] as const;

export async function measure({ hosts, pages, rounds, synthweb }: BenchOptions): Promise<Measured> {
  if (!hasTaskset)
    throw new Error('Expected `taskset`, which keeps a process to one core (package util-linux)');
  const web = await openWeb({ hosts, pages: TIMES_PAGES * pages, synthweb, before: [] });
  try {
    const costs: CrawlCost[][] = RUNS.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (const [i, { cores, workers }] of RUNS.entries()) {
        web.pin(cores);
        costs[i]?.push(
          await withScratch((folder) =>
            crawlMeasured(web, { command: strandCommand(folder, web.seeds, workers), cores }),
          ),
        );
      }
    const middle = (run: number, of: (cost: CrawlCost) => number) => median((costs[run] ?? []).map(of));
    const rate = (run: number) => middle(run, ({ counts }) => (counts.pages / counts.spanMs) * 1000);
    const cpu = (run: number) => middle(run, ({ counts, cpuMs }) => cpuMs / counts.pages);
    return {
      figures: {
        ratio: { value: rate(2) / rate(0), unit: 'x the pages/s of one core with two cores and workers' },
        pagesPerSecondOfOneCore: { value: rate(0), unit: 'pages/s on one core' },
        pagesPerSecondOfTwo: { value: rate(2), unit: 'on two with two workers' },
        pagesPerSecondOfOneWorker: { value: rate(1), unit: 'on two with one worker' },
        cpuMsPerPageOfOneCore: { value: cpu(0), unit: 'ms of CPU a page on one core' },
        cpuMsPerPageOfTwo: { value: cpu(2), unit: 'on two with two workers' },
        ...(FOUR_CORES && {
          ratioOfFour: { value: rate(3) / rate(0), unit: 'x with four cores and workers' },
        }),
        cpuMsPerPageOfFour: { value: cpu(3), unit: `on ${FOUR_CORES ? 'four' : 'two'} with four workers` },
        mostOfFour: {
          value: (4 * cpu(0)) / cpu(3),
          unit: 'x the pages/s of one core that the CPU of a page allows four',
        },
      },
    };
  } finally {
    await web.close();
  }
}

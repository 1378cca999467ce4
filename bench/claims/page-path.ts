/**
 * The cost of a page, end to end: the command line crawls the generated web on one core, politeness off,
 * robots.txt, WARC files and durable state on; and by step, from the same crawl under the profiler. The steps
 * are shares of the CPU without the profiler, and add up to it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions } from '../claims.ts';
import { CRAWL } from '../harness/crawl-config.ts';
import { type Measured, median } from '../harness/record.ts';
import { pinned } from '../harness/run-measured.ts';
import { withScratch } from '../harness/scratch.ts';
import { type CrawlCost, crawlMeasured, strandCommand } from '../harness/strand-run.ts';
import { type OpenWeb, openWeb } from '../harness/web/open-web.ts';
import type { ProfiledCrawl } from './page-path/profiled-crawl.ts';

const WEB_CORE = '0';
const CORE = '1';

export async function measure({ hosts, pages, rounds, synthweb }: BenchOptions): Promise<Measured> {
  const web = await openWeb({ hosts, pages, synthweb, before: pinned(WEB_CORE) });
  try {
    const plain: CrawlCost[] = [];
    const profiled: Record<string, number>[] = [];
    for (let round = 0; round < rounds; round++) {
      plain.push(
        await withScratch((folder) =>
          crawlMeasured(web, { command: strandCommand(folder, web.seeds), cores: CORE }),
        ),
      );
      profiled.push(await withScratch((folder) => profiledSteps(folder, web)));
    }
    return result(plain, profiled);
  } finally {
    await web.close();
  }
}

/** CPU in ms for each page, by step. */
async function profiledSteps(folder: string, web: OpenWeb): Promise<Record<string, number>> {
  const file = (name: string) => join(folder, name);
  const [seeds, config, out] = [file('seeds.txt'), file('config.json'), file('steps.json')];
  writeFileSync(seeds, `${web.seeds.join('\n')}\n`);
  writeFileSync(config, JSON.stringify(CRAWL));
  const program = join(import.meta.dirname, 'page-path/profiled-crawl.ts');
  const command = [process.execPath, program, join(folder, 'crawl'), seeds, config, out];
  const { counts } = await crawlMeasured(web, { command, cores: CORE });
  const { steps } = JSON.parse(readFileSync(out, 'utf8')) as ProfiledCrawl;
  return Object.fromEntries(Object.entries(steps).map(([step, ms]) => [step, ms / counts.pages]));
}

function result(plain: readonly CrawlCost[], profiled: readonly Record<string, number>[]): Measured {
  const middle = (of: (cost: CrawlCost) => number) => median(plain.map(of));
  const cpuMsPerPage = middle(({ cpuMs, counts }) => cpuMs / counts.pages);
  const names = [...new Set(profiled.flatMap((steps) => Object.keys(steps)))];
  const medians = names.map((step) => [step, median(profiled.map((steps) => steps[step] ?? 0))] as const);
  const whole = medians.reduce((sum, [, ms]) => sum + ms, 0);
  const rows = medians
    .toSorted(([, a], [, b]) => b - a)
    .map(([step, ms]) => [step, (ms / whole) * cpuMsPerPage] as const);
  return {
    figures: {
      cpuMsPerPage: { value: cpuMsPerPage, unit: 'ms of one core a page' },
      pagesPerSecond: {
        value: middle(({ counts, wallMs }) => (counts.pages / wallMs) * 1000),
        unit: 'pages/s',
      },
      peakMb: { value: middle(({ peakBytes }) => peakBytes / 1e6), unit: 'MB at the peak' },
      foundShare: {
        value: middle(({ counts: { allowed } }) => (100 * allowed.found) / allowed.there),
        unit: '% of the pages found',
      },
    },
    parts: Object.fromEntries(rows),
    detail: [
      '| step | ms/page | share |',
      '|---|---:|---:|',
      ...rows
        .filter(([, ms]) => ms >= 0.0005)
        .map(([step, ms]) => `| ${step} | ${ms.toFixed(3)} | ${((100 * ms) / cpuMsPerPage).toFixed(1)} % |`),
      `| all | ${cpuMsPerPage.toFixed(3)} | 100 % |`,
      '',
      `The same under the profiler: ${whole.toFixed(3)} ms a page.`,
    ].join('\n'),
  };
}

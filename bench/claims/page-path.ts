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
    const profiled: ProfiledPage[] = [];
    for (let round = 0; round < rounds; round++) {
      plain.push(
        await withScratch((folder) =>
          crawlMeasured(web, { command: strandCommand(folder, web.seeds), cores: CORE }),
        ),
      );
      profiled.push(await withScratch((folder) => profiledPage(folder, web)));
    }
    return result(plain, profiled);
  } finally {
    await web.close();
  }
}

type ProfiledPage = Pick<ProfiledCrawl, 'steps' | 'features'>;

/** CPU in ms for each page, by step and by feature. */
async function profiledPage(folder: string, web: OpenWeb): Promise<ProfiledPage> {
  const file = (name: string) => join(folder, name);
  const [seeds, config, out] = [file('seeds.txt'), file('config.json'), file('steps.json')];
  writeFileSync(seeds, `${web.seeds.join('\n')}\n`);
  writeFileSync(config, JSON.stringify(CRAWL));
  const program = join(import.meta.dirname, 'page-path/profiled-crawl.ts');
  const command = [process.execPath, program, join(folder, 'crawl'), seeds, config, out];
  const { counts } = await crawlMeasured(web, { command, cores: CORE });
  const { steps, features } = JSON.parse(readFileSync(out, 'utf8')) as ProfiledCrawl;
  const perPage = (times: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, ms / counts.pages]));
  return { steps: perPage(steps), features: perPage(features) };
}

function result(plain: readonly CrawlCost[], profiled: readonly ProfiledPage[]): Measured {
  const middle = (of: (cost: CrawlCost) => number) => median(plain.map(of));
  const cpuMsPerPage = middle(({ cpuMs, counts }) => cpuMs / counts.pages);
  const steps = mediansOf(profiled.map((page) => page.steps));
  const whole = steps.reduce((sum, [, ms]) => sum + ms, 0);
  const ofPlain = (times: typeof steps) =>
    times.map(([name, ms]) => [name, (ms / whole) * cpuMsPerPage] as const);
  const rows = ofPlain(steps);
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
      '',
      '| of it, in the functions of | us/page |',
      '|---|---:|',
      ...ofPlain(mediansOf(profiled.map(({ features }) => features))).map(
        ([feature, ms]) => `| ${feature} | ${(1000 * ms).toFixed(1)} |`,
      ),
    ].join('\n'),
  };
}

/** The medians by name, the largest first. */
function mediansOf(
  rounds: readonly Readonly<Record<string, number>>[],
): (readonly [name: string, ms: number])[] {
  return [...new Set(rounds.flatMap((times) => Object.keys(times)))]
    .map((name) => [name, median(rounds.map((times) => times[name] ?? 0))] as const)
    .toSorted(([, a], [, b]) => b - a);
}

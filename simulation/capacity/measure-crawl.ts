/**
 * Measures the CPU of the crawler in a simulated crawl: a CPU profile of the crawl without the models' share.
 */
import { Session } from 'node:inspector/promises';
import { parseCapacityArgs } from './options.ts';
import { type Profile, shareOfCrawler } from './profile.ts';
import { type Run, runWorld } from './run.ts';
import type { CrawlFigures, UnitFigures } from './unit-figures.ts';
import { OWN_LINKS } from './world.ts';

/** A small crawl, of 2 workers. */
export const SMALL_CRAWL: readonly string[] = [
  '--hosts',
  '2000',
  '--pages-per-second',
  '40',
  '--scale',
  '1',
  '--queues',
  '1',
];
/** Some minutes of it. */
const CRAWL = [...SMALL_CRAWL, '--hours', '0.05'];
/** The same with more to do between its pages: much shorter turns show what a turn costs. */
const LONG_PAUSE = ['--delay', '6'];
/** Until it is known: nothing costs time. */
const NOTHING = { value: 0, unit: '', what: '' };
export const FREE: UnitFigures = {
  measuredOn: '',
  machine: '',
  figures: {
    cpuMsPerPage: NOTHING,
    cpuMsPerTurn: NOTHING,
    cpuMsPerPageOutside: NOTHING,
    cpuMsPerConnection: NOTHING,
    cpuMsPerCall: { ...NOTHING, value: { sqs: 0, dynamo: 0, s3: 0 } },
    latencyMs: { ...NOTHING, value: { sqs: 8, dynamo: 4, s3: 30 } },
    warcBytesPerPage: NOTHING,
    bodyBytesPerPage: NOTHING,
    segmentBytesPerPage: NOTHING,
    linksPerPage: NOTHING,
  },
};

interface Measured {
  readonly cpuMs: number;
  readonly pages: number;
  readonly turns: number;
  readonly run: Run;
}

/** Two crawls of different turns: what both a page and a turn cost is solved from them. */
export async function measureCrawl(): Promise<CrawlFigures> {
  const long = await measure(CRAWL);
  const short = await measure([...CRAWL, ...LONG_PAUSE]);
  const perPage = (measured: Measured) => measured.cpuMs / measured.pages;
  const turnsPerPage = (measured: Measured) => measured.turns / measured.pages;
  const cpuMsPerTurn = Math.max(
    0,
    (perPage(short) - perPage(long)) / (turnsPerPage(short) - turnsPerPage(long)),
  );
  const cpuMsPerPage = Math.max(0, perPage(long) - cpuMsPerTurn * turnsPerPage(long));
  const { run } = long;
  const segmentBytes = run.samples.reduce((sum, { sums }) => sum + (sums['bytes UrlSeen write'] ?? 0), 0);
  return {
    cpuMsPerPage: {
      value: rounded(cpuMsPerPage),
      unit: 'ms of one CPU a page',
      what: `the crawler and engine aws on the simulated cloud, without the models, its own small pages parsed among it; from ${long.pages} pages in ${long.turns} turns and ${short.pages} in ${short.turns}`,
    },
    cpuMsPerTurn: {
      value: rounded(cpuMsPerTurn),
      unit: 'ms of one CPU a turn',
      what: 'what a turn costs apart from its pages and its calls of AWS, from the same two crawls',
    },
    segmentBytesPerPage: {
      value: rounded(segmentBytes / long.pages),
      unit: 'bytes a page',
      what: 'written to table UrlSeen, in the same crawl',
    },
    linksPerPage: {
      value: OWN_LINKS + run.options.linksElsewhere,
      unit: 'links a page',
      what: `of the simulated web, on the mean: ${OWN_LINKS} to its own host, ${run.options.linksElsewhere} elsewhere`,
    },
  };
}

async function measure(args: readonly string[]): Promise<Measured> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
    const before = process.cpuUsage();
    const run = await runWorld(parseCapacityArgs(args), FREE);
    const { user, system } = process.cpuUsage(before);
    const { profile } = await session.post('Profiler.stop');
    const share = shareOfCrawler(profile as Profile);
    const total = (of: (sample: Run['samples'][number]) => number) =>
      run.samples.reduce((sum, sample) => sum + of(sample), 0);
    return {
      cpuMs: ((user + system) / 1000) * share,
      pages: total(({ pages }) => pages),
      turns: total(({ turns }) => turns),
      run,
    };
  } finally {
    session.disconnect();
  }
}

const rounded = (value: number): number => Number(value.toPrecision(3));

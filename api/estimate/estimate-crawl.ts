/**
 * The time and the cost of a crawl, from the number of its pages and hosts and the pause between two requests.
 * On AWS the units of each line item follow from turns, seconds of workers and pages.
 */

import {
  cpuShareOf,
  fittingCpuShare,
  fittingHosts,
  smallWorkerOf,
} from '../../shared/crawler/worker/small-worker.ts';
import { STACK_CRAWL_DEFAULTS } from '../../shared/engines/aws/settings.ts';
import {
  type Capacity,
  crawlFlow,
  type FlowSpan,
  type HostGroup,
  hostSizes,
  type Spread,
} from './crawl-flow.ts';

export interface CrawlShape {
  readonly pages: number;
  readonly hosts: number;
  readonly spread: Spread;
  /** The pause between two requests to a host, in milliseconds. */
  readonly delayMs: number;
  /** The adaptive pause is this many times the duration of the response; 0: there is none. */
  readonly adaptiveFactor: number;
  /** Durations of a response in milliseconds, each of an equal share of the hosts. */
  readonly responseMs: readonly number[];
  /** Bytes of a page as it is received, compressed. */
  readonly pageBytes: number;
  /** Bytes a second that a host sends at most. */
  readonly hostRate?: number | undefined;
  /** As above, for all hosts together. */
  readonly crawlRate?: number | undefined;
  /** Each page is rendered. */
  readonly isRendered?: boolean;
}

export interface Course {
  readonly hours: number;
  /** The mean. */
  readonly pagesPerSecond: number;
  /** Workers at once: the mean, and the most. */
  readonly workers: number;
  readonly mostWorkers: number;
  /** Seconds of all workers together, and of small ones among them. */
  readonly workerSeconds: number;
  readonly smallWorkerSeconds: number;
  /** Turns of hosts that are young, and those of the usual length. */
  readonly shortTurns: number;
  readonly longTurns: number;
  /** Hours until half of the pages are there: large hosts take the rest. */
  readonly hoursToHalf: number;
}

/**
 * The usual web by the median response of each third of the hosts, which is also what the simulation takes
 * (docs/capacity.md).
 */
export const USUAL_RESPONSE_MS: readonly number[] = [120, 250, 600];
/** Bytes of a usual page, compressed (docs/figures/unit.json: 57,853 bytes, 30,134 as sent). */
export const USUAL_PAGE_BYTES = 30_000;
/** A WARC record's headers, and those of the request (docs/figures/unit.json: 31,034 bytes for 30,134). */
const RECORD_BYTES = 900;

/** Bytes of the archive. */
export const archiveBytesOf = ({ pages, pageBytes }: Pick<CrawlShape, 'pages' | 'pageBytes'>): number =>
  pages * (pageBytes + RECORD_BYTES);

/**
 * How the responses of a host differ from its median, as in the simulated web: by these factors, each for its share of them. The
 * adaptive pause follows each response, so a few slow ones make all of the host slower.
 */
const RESPONSE_FACTORS: readonly (readonly [share: number, factor: number])[] = [
  ...[0.62, 0.86, 1.11, 1.35].map((factor) => [0.2425, factor] as const),
  [0.03, 4.44],
];
/** The share of time in which requests are sent to a host at its pace: between two turns it waits for a worker. */
const PACE_SHARE = { machine: 0.96, stack: 0.975 };
/**
 * The first turn of a host lasts this long, or this number of pauses: each turn is at most as long as the crawl so far, and that
 * begins with the start of a worker. Later ones last this share of the longest turn, as a worker's end cuts them short.
 */
const FIRST_TURN_S = 9;
const FIRST_TURN_DELAYS = 2.5;
const LONGEST_TURN_SHARE = 0.65;
/** A crawl begins on a worker of full size for so long. */
const FULL_SIZE_S = 120;
/** Before a worker's places are all used, another one is started; it ends when 70 % are enough. */
const FILL = 0.8;
/** Hosts served at once by one process of one machine, and its pages a second on one core: the figure of the README. */
export const MACHINE = { hostsPerWorker: 250, pagesPerWorkerSecond: 710 };
/** Rendered pages a second of one process, or of one worker of a stack, which has eight rendered at once. */
const RENDERED_PER_SECOND = 4;
/** Milliseconds of one CPU that a page takes on Lambda. */
const STACK_PAGE_CPU_MS = 2.5;
const HOUR_S = 3600;

/** Returns the course of the crawl on one machine, with one process. */
export function courseOnMachine(shape: CrawlShape): Course {
  return courseOf(shape, PACE_SHARE.machine, { ...MACHINE, maxWorkers: 1, fill: 1 });
}

export interface StackShape {
  readonly hostsPerWorker: number;
  readonly maxConcurrency: number;
  readonly workerMemoryMb: number;
  /** 0: without a small worker. */
  readonly smallWorkerMemoryMb: number;
}

/** Returns the course of the crawl on a stack. */
export function courseOnStack(shape: CrawlShape, stack: StackShape): Course {
  const small = smallWorkerOf(stack);
  return courseOf(shape, PACE_SHARE.stack, {
    hostsPerWorker: stack.hostsPerWorker,
    maxWorkers: stack.maxConcurrency,
    fill: FILL,
    pagesPerWorkerSecond: (1000 / STACK_PAGE_CPU_MS) * cpuShareOf(stack.workerMemoryMb),
    small: small && {
      hosts: fittingHosts(small),
      pagesPerSecond: (1000 / STACK_PAGE_CPU_MS) * fittingCpuShare(small),
    },
  });
}

function courseOf(shape: CrawlShape, paceShare: number, capacity: Capacity): Course {
  const { crawlRate, pageBytes, isRendered = false } = shape;
  const { pagesPerWorkerSecond, small } = capacity;
  const slower = (rate: number) => (isRendered ? Math.min(rate, RENDERED_PER_SECOND) : rate);
  const most = {
    ...capacity,
    pagesPerWorkerSecond: slower(pagesPerWorkerSecond),
    small: small && { ...small, pagesPerSecond: slower(small.pagesPerSecond) },
    ...(crawlRate !== undefined && { pagesPerSecond: crawlRate / pageBytes }),
  };
  return summed(crawlFlow(groupsOf(shape, paceShare), most), shape);
}

function groupsOf(shape: CrawlShape, paceShare: number): HostGroup[] {
  const { responseMs: all, pageBytes, hostRate = Number.POSITIVE_INFINITY } = shape;
  const bytesMs = (1000 * pageBytes) / hostRate;
  const responseMs = shape.hosts < all.length ? [all[Math.floor(all.length / 2)]!] : all;
  // The largest of the slow hosts is smaller than the largest of all.
  const each = responseMs.length;
  const sizes = hostSizes(shape.pages / each, shape.hosts / each, shape.spread);
  return responseMs.flatMap((ms) =>
    sizes.map(({ hosts, pages }) => ({
      hosts,
      pages,
      gapMs: Math.max(1, gapOf(ms, shape), bytesMs) / paceShare,
    })),
  );
}

/** The mean time from one request to the next of a host with that median response. */
const gapOf = (medianMs: number, { delayMs, adaptiveFactor }: CrawlShape): number =>
  RESPONSE_FACTORS.reduce((sum, [share, factor]) => {
    const ms = factor * medianMs;
    return sum + share * (Math.max(delayMs, adaptiveFactor * ms) + ms);
  }, 0);

function summed(spans: readonly FlowSpan[], { delayMs }: CrawlShape): Course {
  let seconds = 0;
  let pages = 0;
  let shortTurns = 0;
  let longTurns = 0;
  let workerSeconds = 0;
  let smallWorkerSeconds = 0;
  let mostWorkers = 0;
  const all = spans.reduce((sum, { ms, pagesPerSecond }) => sum + (ms / 1000) * pagesPerSecond, 0);
  let hoursToHalf = 0;
  for (const [i, span] of spans.entries()) {
    const took = span.ms / 1000;
    const half = all / 2 - pages;
    if (half > 0) hoursToHalf = (seconds + Math.min(took, half / span.pagesPerSecond)) / HOUR_S;
    seconds += took;
    pages += took * span.pagesPerSecond;
    const ended = span.hosts - (spans[i + 1]?.hosts ?? 0);
    const turns = turnsUntil(seconds, delayMs);
    shortTurns += ended * turns.short;
    longTurns += ended * turns.long;
    workerSeconds += took * span.workers;
    if (span.isSmall) smallWorkerSeconds += took * span.workers;
    mostWorkers = Math.max(mostWorkers, span.workers);
  }
  return {
    hours: seconds / HOUR_S,
    pagesPerSecond: pages / seconds,
    workers: workerSeconds / seconds,
    mostWorkers,
    workerSeconds,
    smallWorkerSeconds: Math.min(smallWorkerSeconds, Math.max(0, workerSeconds - FULL_SIZE_S)),
    shortTurns,
    longTurns,
    hoursToHalf,
  };
}

/** Turns of a host that has pages for so long. */
function turnsUntil(seconds: number, delayMs: number): { readonly short: number; readonly long: number } {
  const first = Math.max(FIRST_TURN_S, (FIRST_TURN_DELAYS * delayMs) / 1000);
  const longest = Math.max(first, (LONGEST_TURN_SHARE * STACK_CRAWL_DEFAULTS.turnMaxMs) / 1000);
  const growing = Math.log2(Math.max(1, Math.min(seconds, longest) / first));
  return { short: 1 + growing, long: Math.max(0, seconds - longest) / longest };
}

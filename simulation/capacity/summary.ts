/** The result of a run: figures of the simulated world, and of the full one. */
import {
  costOf,
  LINE_ITEMS,
  type LineItem,
  priceOf,
  type Usage,
} from '../../shared/engines/aws/cost/prices.ts';
import type { Histogram } from './histogram.ts';
import { type LimitUse, limitUses, type Used } from './limits.ts';
import { type Run, type Sample, steadySamples, WINDOW_MS } from './run.ts';

export interface Summary {
  /**
   * Figures of the full world: what was measured, times the scale. `perWorker` figures and shares are as measured.
   */
  readonly full: Readonly<Record<string, number>>;
  /** As measured in the simulated world. */
  readonly measured: Readonly<Record<string, number>>;
  readonly limits: readonly LimitUse[];
  /** US dollars for a million pages, by what is paid for; of the steady state. */
  readonly dollarsPerMillion: Readonly<Record<LineItem | 'all', number>>;
  readonly unitsPerPage: Readonly<Record<LineItem, number>>;
  readonly hot: Readonly<Record<string, string>>;
  readonly waits: Readonly<Record<'within' | 'between' | 'pagesPerHost', Spread>>;
}

export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const WINDOW_S = WINDOW_MS / 1000;
const MINUTE_WINDOWS = 60 / WINDOW_S;

export function summarize(run: Run): Summary {
  const { options, plan } = run;
  const { scale } = options;
  const steady = steadySamples(run);
  const total = (of: (sample: Sample) => number) => steady.reduce((all, sample) => all + of(sample), 0);
  const pages = total(({ pages }) => pages);
  const turns = total(({ turns }) => turns);

  const usage = difference(run.totals.end.usage ?? {}, run.totals.steady.usage ?? {});
  const counted = run.totals.end.pages - run.totals.steady.pages;
  const costs = costOf(usage, priceOf('us-east-1'));
  const measured = measuredOf(steady);
  const full: Record<string, number> = Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [name, value * scale]),
  );
  Object.assign(full, {
    rampSeconds: rampMs(run, pages / steady.length) / 1000,
    pagesPerTurn: pages / Math.max(1, turns),
    pagesPerWorkerSecond: measured.pagesPerSecond / measured.workers,
    cpuShareOfWorkers: total(({ cpuMs }) => cpuMs) / (steady.length * WINDOW_MS * measured.workers),
    cpuMsPerPage: total(({ cpuMs }) => cpuMs) / pages,
    longestCpuQueueMs: Math.max(...steady.map(({ backlogMs }) => backlogMs)),
    gbSecondsPerMillionPages: ((usage.lambdaMbMs ?? 0) / 1024 / 1000 / counted) * 1e6,
    dollarsPerHour: (costs.total / counted) * (full.pagesPerSecond as number) * 3600,
    queueShards: options.queues,
    workersAllowed: plan.workersFull,
  });

  return {
    full,
    measured,
    limits: limitUses(usedOf(run, steady)),
    dollarsPerMillion: {
      ...(Object.fromEntries(
        LINE_ITEMS.map((item) => [item, (costs.byItem[item] / counted) * 1e6]),
      ) as Record<LineItem, number>),
      all: (costs.total / counted) * 1e6,
    },
    unitsPerPage: Object.fromEntries(
      LINE_ITEMS.map((item) => [item, (usage[item] ?? 0) / counted]),
    ) as Record<LineItem, number>,
    hot: hottestNames(steady),
    waits: {
      within: spreadOf(run.waits.within),
      between: spreadOf(run.waits.between),
      pagesPerHost: spreadOf(run.waits.pagesPerHost()),
    },
  };
}

/** Returns the means of the steady state, by window or second, of the simulated world. */
function measuredOf(steady: readonly Sample[]) {
  const mean = (of: (sample: Sample) => number) =>
    steady.reduce((sum, sample) => sum + of(sample), 0) / steady.length;
  const perSecond = (of: (sample: Sample) => number) => mean(of) / WINDOW_S;
  const sum = (name: string) => (sample: Sample) => sample.sums[name] ?? 0;
  const sums = (test: (name: string) => boolean) => (sample: Sample) =>
    Object.entries(sample.sums).reduce((all, [name, value]) => all + (test(name) ? value : 0), 0);
  return {
    pagesPerSecond: perSecond(({ pages }) => pages),
    requestsPerSecond: perSecond(({ requests }) => requests),
    turnsPerSecond: perSecond(({ turns }) => turns),
    visitsPerSecond: perSecond(({ visits }) => visits),
    workers: mean(({ workers }) => workers),
    routers: mean(({ routers }) => routers),
    messagesInFlight: mean(({ inFlight }) => inFlight),
    messagesWaiting: mean(({ waiting }) => waiting),
    linkParcelsWaiting: mean(({ linkParcels }) => linkParcels),
    turnMessagesSentPerSecond: perSecond(sum('messages turns Send')),
    tokensSentPerSecond: perSecond(sum('sent token')),
    linkMessagesSentPerSecond: perSecond(sum('sent links')),
    wakeUpsSentPerSecond: perSecond(sum('sent wake')),
    turnMessagesDeletedPerSecond: perSecond(sum('messages turns Delete')),
    turnQueueCallsPerSecond: perSecond(sums((name) => name.startsWith('calls turns'))),
    linkQueueCallsPerSecond: perSecond(sums((name) => name.startsWith('calls links'))),
    stateWriteUnitsPerSecond: perSecond(sum('units CrawlState write')),
    stateReadUnitsPerSecond: perSecond(sum('units CrawlState read')),
    seenWriteUnitsPerSecond: perSecond(sum('units UrlSeen write')),
    seenReadUnitsPerSecond: perSecond(sum('units UrlSeen read')),
    archivePutsPerSecond: perSecond(sum('s3 warc put')),
    partPutsPerSecond: perSecond(sum('s3 parts put')),
    partGetsPerSecond: perSecond(sum('s3 parts get')),
  };
}

/** Sums over a minute each. */
function minutes(samples: readonly Sample[], of: (sample: Sample) => number): number[] {
  const sums: number[] = [];
  for (let from = 0; from + MINUTE_WINDOWS <= samples.length; from += MINUTE_WINDOWS)
    sums.push(samples.slice(from, from + MINUTE_WINDOWS).reduce((sum, sample) => sum + of(sample), 0));
  return sums;
}

function usedOf({ options, plan }: Run, steady: readonly Sample[]): Used {
  const { scale, queues } = options;
  /** A rate, by the seconds of a minute; a state, by how often it was looked at. */
  const over = (of: (sample: Sample) => number, divisor: number, factor: number) => {
    const values = minutes(steady, of).map((value) => (value / divisor) * factor);
    return { used: values.reduce((sum, value) => sum + value, 0) / values.length, peak: Math.max(...values) };
  };
  const rate = (of: (sample: Sample) => number, factor = scale) => over(of, 60, factor);
  const state = (of: (sample: Sample) => number, factor = scale) => over(of, MINUTE_WINDOWS, factor);
  const hot = (name: keyof Sample['hot'], factor: number) => rate(({ hot }) => hot[name].units, factor);
  const sum = (name: string) => (sample: Sample) => sample.sums[name] ?? 0;
  const most = (what: 'calls' | 'messages') => (sample: Sample) =>
    Math.max(
      ...['Send', 'Receive', 'Delete', 'ChangeVisibility'].map((kind) =>
        sum(`${what} turns ${kind}`)(sample),
      ),
    );
  const units = (table: string, kind: string) => rate(sum(`units ${table} ${kind}`));
  const busiest = (kind: string) => {
    const [state, seen] = [units('CrawlState', kind), units('UrlSeen', kind)];
    return state.used > seen.used ? state : seen;
  };
  return {
    configuredWorkers: { ...state(({ workers }) => workers), allowed: plan.workers * scale },
    accountConcurrency: state(({ workers, routers }) => workers + routers),
    routers: state(({ routers }) => routers),
    workerCpu: over(
      (sample) => sample.cpuMs / Math.max(1, sample.workers),
      60_000,
      Math.max(1, 1769 / options.memoryMb),
    ),
    lookAhead: state(({ waiting, inFlight }) => waiting + inFlight, scale / queues),
    inFlight: state(({ inFlight }) => inFlight, scale / queues),
    sqsCalls: rate(most('calls')),
    sqsMessages: rate(most('messages')),
    stateWrites: units('CrawlState', 'write'),
    stateReads: units('CrawlState', 'read'),
    seenWrites: units('UrlSeen', 'write'),
    seenReads: units('UrlSeen', 'read'),
    newTableWrites: busiest('write'),
    newTableReads: busiest('read'),
    sharedKeyWrites: hot('shared write', scale),
    sharedKeyReads: hot('shared read', scale),
    // A host is no hotter in a larger world.
    hostKeyWrites: hot('host write', 1),
    hostKeyReads: hot('host read', 1),
    archivePuts: rate(sum('s3 warc put')),
    partPuts: rate(sum('s3 parts put')),
    partGets: rate(sum('s3 parts get')),
  };
}

/** When the rate of a minute first came to nine tenths of the steady one. */
function rampMs({ samples }: Run, steadyPagesPerWindow: number): number {
  const index = minutes(samples, ({ pages }) => pages).findIndex(
    (pages) => pages >= 0.9 * steadyPagesPerWindow * MINUTE_WINDOWS,
  );
  return (index + 1) * 60_000;
}

function hottestNames(samples: readonly Sample[]): Record<string, string> {
  const names = ['shared write', 'shared read', 'host write', 'host read'] as const;
  return Object.fromEntries(
    names.map((name) => {
      const hot = samples.reduce((most, { hot }) => (hot[name].units > most.units ? hot[name] : most), {
        key: '',
        units: 0,
      });
      return [name, hot.key];
    }),
  );
}

function difference(now: Usage, before: Usage): Usage {
  return Object.fromEntries(LINE_ITEMS.map((item) => [item, (now[item] ?? 0) - (before[item] ?? 0)]));
}

const spreadOf = (histogram: Histogram): Spread => ({
  count: histogram.count,
  mean: histogram.mean,
  p50: histogram.quantile(0.5),
  p99: histogram.quantile(0.99),
  max: histogram.max,
});

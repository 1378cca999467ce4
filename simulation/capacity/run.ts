/** Runs the world of a capacity run, and notes what there is to see every ten seconds. */

import type { CrawlTotals } from '../../shared/crawler/ports/crawl-registry.ts';
import { hostQueues } from '../models/cloud.ts';
import { drive } from '../models/virtual-time.ts';
import { statusOf } from '../worlds/operator.ts';
import type { WebRequest } from '../worlds/spec.ts';
import type { CapacityOptions } from './options.ts';
import type { ProbeWindow } from './probe.ts';
import type { UnitFigures } from './unit-figures.ts';
import { createWaits, type Waits } from './waits.ts';
import { CRAWL, createWorld, type Plan } from './world.ts';

export const WINDOW_MS = 10_000;

/**
 * The observations of one window; counts are those at its end. Of the simulated world, not of the full one.
 */
export interface Sample extends ProbeWindow {
  /** The window's end, since the beginning. */
  readonly atMs: number;
  readonly pages: number;
  readonly requests: number;
  readonly turns: number;
  readonly visits: number;
  readonly workers: number;
  /** Their time in the window, by its length. */
  readonly routers: number;
  /** Messages of all turn queues. */
  readonly waiting: number;
  readonly inFlight: number;
  readonly linkParcels: number;
  /** CPU ms that the workers worked in the window. */
  readonly cpuMs: number;
  readonly backlogMs: number;
}

export interface Run {
  readonly options: CapacityOptions;
  readonly plan: Plan;
  readonly samples: readonly Sample[];
  /** The totals of the meter, at the end and at the beginning of the steady state. */
  readonly totals: { readonly steady: CrawlTotals; readonly end: CrawlTotals };
  /** From then on the state counts as steady: half of the time. */
  readonly steadyFromMs: number;
  readonly waits: Waits;
  readonly specialPages: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly message: string }[];
  readonly billed: { readonly worker: number; readonly router: number; readonly waker: number };
  readonly realMs: number;
  readonly peakRssBytes: number;
}

/** The largest share of the hour that may belong to the ramp. */
const RAMP_SHARE = 0.5;

export async function runWorld(
  options: CapacityOptions,
  figures: UnitFigures,
  onProgress: (sample: Sample) => void = () => {},
): Promise<Run> {
  const beganAt = performance.now();
  const lengthMs = options.hours * 3_600_000;
  const steadyFromMs = Math.floor((lengthMs * RAMP_SHARE) / WINDOW_MS) * WINDOW_MS;
  const special = new Set<string>();
  const specialPages: Record<string, number> = {};
  let pages = 0;
  /** When all seeds are sent. */
  let from = Number.POSITIVE_INFINITY;
  let requests = 0;
  const waits = createWaits(
    options,
    () => from + steadyFromMs,
    (host) => special.has(host),
  );
  const world = await createWorld(options, figures, (request: WebRequest) => {
    requests++;
    const isPage = !request.isRobots && request.httpStatus !== undefined;
    if (isPage) pages++;
    if (isPage && special.has(request.host))
      specialPages[request.host] = (specialPages[request.host] ?? 0) + 1;
    waits.note(request);
  });
  for (const host of world.specialHosts) special.add(host);
  const { cloud, deployment, probe, cpu } = world;
  const { time } = cloud;
  const samples: Sample[] = [];
  let last = { pages: 0, requests: 0, turns: 0, visits: 0, cpuMs: 0, routerMs: 0 };
  let steady: CrawlTotals | undefined;
  let peakRssBytes = 0;

  const readTotals = () => drive(time, deployment.operator().registry.totals(CRAWL));
  from = time.now();
  const isOver = () => options.untilEnd && statusOf(cloud, CRAWL) !== 'running';
  while (time.now() < from + lengthMs && !isOver()) {
    const atMs = (samples.length + 1) * WINDOW_MS;
    await time.run(from + atMs);
    if (atMs === steadyFromMs) steady = await readTotals();
    const now = {
      pages,
      requests,
      ...probe.counts,
      cpuMs: cpu.workersCpuMs(),
      routerMs: deployment.functions.router.counts.billedMs,
    };
    const sizes = hostQueues(cloud.settings).map((url) => cloud.sqs.size(url));
    const { functions } = deployment;
    const sample: Sample = {
      ...probe.take(),
      atMs,
      pages: now.pages - last.pages,
      requests: now.requests - last.requests,
      turns: now.turns - last.turns,
      visits: now.visits - last.visits,
      cpuMs: now.cpuMs - last.cpuMs,
      backlogMs: cpu.backlogMs(),
      workers: functions.worker.running + functions.small.running,
      routers: (now.routerMs - last.routerMs) / WINDOW_MS,
      waiting: sizes.reduce((sum, { visible, delayed }) => sum + visible + delayed, 0),
      inFlight: sizes.reduce((sum, { inFlight }) => sum + inFlight, 0),
      linkParcels: cloud.sqs.size(cloud.settings.linkQueueUrl).visible,
    };
    last = now;
    samples.push(sample);
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
    onProgress(sample);
  }
  deployment.stop();
  const end = await readTotals();
  const billedOf = (name: 'worker' | 'small' | 'router' | 'waker') =>
    deployment.functions[name].counts.billedMs;
  return {
    options,
    plan: world.plan,
    samples,
    totals: { steady: steady ?? end, end },
    steadyFromMs,
    waits,
    specialPages,
    failures: deployment.failures,
    billed: {
      worker: billedOf('worker') + billedOf('small'),
      router: billedOf('router'),
      waker: billedOf('waker'),
    },
    realMs: performance.now() - beganAt,
    peakRssBytes,
  };
}

/** Returns the samples of the steady state. */
export const steadySamples = ({
  samples,
  steadyFromMs,
}: Pick<Run, 'samples' | 'steadyFromMs'>): readonly Sample[] =>
  samples.filter(({ atMs }) => atMs > steadyFromMs);

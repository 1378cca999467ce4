/** The world of a capacity run: the stack, a plain web, one crawl begun with a seed for each host. */
import { LINK_WINDOW_BATCH } from '../../cdk/constructs/sizes.ts';
import { SIZES } from '../../shared/core/base/sizes.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { Link } from '../../shared/core/frontier/message.ts';
import { URL_RULES_VERSION } from '../../shared/core/url/canonical.ts';
import { createSimCloud, type SimCloud } from '../models/cloud.ts';
import { NO_FAULTS } from '../models/faults.ts';
import { MAX_EVENT_BYTES } from '../models/poller-batches.ts';
import { drive } from '../models/virtual-time.ts';
import { createAtlas } from '../web/atlas.ts';
import type { WebShape } from '../web/shape.ts';
import { createSimWeb } from '../web/web.ts';
import { type Deployment, deploy } from '../worlds/deployment.ts';
import { openOperator } from '../worlds/operator-process.ts';
import type { WebRequest } from '../worlds/spec.ts';
import { LIMITS } from './limits.ts';
import type { CapacityOptions } from './options.ts';
import { createProbe, type Probe } from './probe.ts';
import type { UnitFigures } from './unit-figures.ts';
import { type CpuCloud, withCpu } from './with-cpu.ts';

export const CRAWL = 'capacity';

export interface CapacityWorld {
  readonly cloud: SimCloud;
  readonly cpu: CpuCloud;
  readonly deployment: Deployment;
  readonly probe: Probe;
  readonly plan: Plan;
  readonly config: CrawlOptions;
  /** Host keys that are there besides the ordinary ones. */
  readonly specialHosts: readonly string[];
}

/** The share of the full world that is simulated. */
export interface Plan {
  /** Hosts of the simulated world, workers, queues: whole ones, so that the scale is kept about. */
  readonly hosts: number;
  readonly workers: number;
  readonly queues: number;
  /**
   * In flight and look-ahead of each of these queues, so that all together have their share of the full
   * world's.
   */
  readonly queueLimit: number;
  /** Workers of the full world. */
  readonly workersFull: number;
  readonly routerWindowMs: number;
  /** Link shards of the simulated world. */
  readonly linkShards: number;
  /** The maximal size of an event of one of these. It is full after as long as one of the full world's. */
  readonly shardEventBytes: number;
  /** Hosts of an event from which on its links are sorted through shards. */
  readonly splitHosts: number;
}

/** Medians: a third of the hosts each. */
const RESPONSE_MS = [120, 250, 600];
const SLOW_RESPONSE_MS = 5000;
/** The most pages of a host; about half of the hosts have fewer than a hundredth of this. */
const MAX_PAGES = 10_000;
/** The mean number of links from a page to its own host. */
export const OWN_LINKS = 40;
/** As the web makes them: smaller than the usual page, whose CPU is charged anyway. */
const BODY_BYTES = 6000;
/**
 * The approximate rate at which a worker fetches one host: its pages at their pace, less the time that a turn
 * needs to begin and to be committed.
 */
const PAGES_PER_HOST_SECOND = 0.42;
/** A turn's pages, about. */
const PAGES_PER_TURN = 12;
/**
 * Memory of a worker without hosts, and for each host: 740 MB with 200 hosts of pages of 160 KB, measured on the emulator
 * (docs/aws.md). The usual page has a third of that.
 */
const IDLE_BYTES = 155e6;
const HOST_BYTES = 2.5e6;
const SEEDS_PER_PARCEL = 500;

export function planOf(options: CapacityOptions): Plan {
  const { hosts, pagesPerSecond, scale, queues, linkShards, hostsPerWorker, routerWindowMs } = options;
  const workersFull =
    options.workersMax ?? Math.ceil(pagesPerSecond / (hostsPerWorker * PAGES_PER_HOST_SECOND));
  const workers = Math.max(2, Math.round(workersFull / scale));
  // At least 2 workers for each queue, as the event source takes no less.
  const simulated = Math.max(1, Math.min(queues, Math.floor(workers / 2), Math.round(queues / scale)));
  const shards = linkShards === 0 ? 0 : Math.max(1, Math.round(linkShards / scale));
  return {
    hosts: Math.max(1, Math.round(hosts / scale)),
    workers,
    workersFull,
    queues: simulated,
    queueLimit: Math.max(1, Math.round((LIMITS.inFlight.allowed * queues) / (scale * simulated))),
    // In the full world an event is full before a long window is over.
    routerWindowMs: Math.round(
      Math.min(routerWindowMs, (1000 * LINK_WINDOW_BATCH * PAGES_PER_TURN) / Math.max(1, pagesPerSecond)),
    ),
    linkShards: shards,
    shardEventBytes: (MAX_EVENT_BYTES * linkShards) / (scale * Math.max(1, shards)),
    splitHosts: Math.max(1, Math.round(SIZES.splitHosts / scale)),
  };
}

export async function createWorld(
  options: CapacityOptions,
  figures: UnitFigures,
  onRequest: (request: WebRequest) => void,
): Promise<CapacityWorld> {
  const { seed } = options;
  const plan = planOf(options);
  const plain = createSimCloud({
    seed,
    turnQueues: plan.queues,
    linkShards: plan.linkShards,
    sizes: { ...SIZES, splitHosts: plan.splitHosts },
    queueLimits: { inFlight: plan.queueLimit, lookAhead: plan.queueLimit },
    settings: {
      hostsPerWorker: options.hostsPerWorker,
      workersPerQueue: Math.floor(plan.workers / plan.queues),
      workerMemoryMb: options.memoryMb,
      ...(options.smallMemoryMb > 0 && { smallWorkerMemoryMb: options.smallMemoryMb }),
      workerTimeoutMs: 600_000,
      dueShards: options.dueShards,
    },
  });
  dropArchive(plain);
  scaleWaker(plain, options.scale);
  const probe = createProbe(plain);
  const cpu = withCpu(plain, figures);
  const { cloud } = cpu;
  const shape: WebShape = {
    hosts: plan.hosts,
    maxPages: MAX_PAGES,
    linksPerPage: OWN_LINKS + options.linksElsewhere,
    sameHostShare: OWN_LINKS / (OWN_LINKS + options.linksElsewhere),
    responseMs: RESPONSE_MS,
    plain: true,
    bodyBytes: BODY_BYTES,
    seedHosts: plan.hosts,
    popularHost: options.popularHost,
    ...(options.slowHost > 0 && { hugeHost: { pages: options.slowHost, responseMs: SLOW_RESPONSE_MS } }),
  };
  const web = createSimWeb({ seed, time: cloud.time, faults: NO_FAULTS, keepLog: false, onRequest, shape });
  const deployment = deploy(cloud, {
    fetcherOf: (process, config) => cpu.fetcherOf(process, web.fetcherOf(process, config)),
    maxConcurrency: plan.workers,
    usedBytes: (hosts) => IDLE_BYTES + hosts * HOST_BYTES,
    cpuMsOf: cpu.usedMs,
    routerWindowMs: plan.routerWindowMs,
    shardEventBytes: plan.shardEventBytes,
  });
  const { delayMs, turnMaxMs } = options;
  const config: CrawlOptions = {
    contact: 'https://sim.test/about',
    scope: 'any',
    delayMs,
    turnMaxMs,
    // All its hosts are of one domain.
    domainBudget: 'off',
    maxHostsPerDomain: 'off',
  };
  await drive(cloud.time, begin(cloud, seed, config, seedsOf(seed, shape, web.seeds)));
  const special = plan.hosts;
  const count = special + (options.popularHost ? 1 : 0) + (options.slowHost > 0 ? 1 : 0);
  return {
    cloud,
    cpu,
    deployment,
    probe,
    plan,
    config,
    specialHosts: Array.from({ length: count - special }, (_, i) => `h${special + i}.sim.test`),
  };
}

/** The pages of a host that is large are all known from the beginning, as from an old crawl or a sitemap. */
function* seedsOf(seed: number, shape: WebShape, seeds: readonly string[]): Iterable<string> {
  yield* seeds;
  if (!shape.hugeHost) return;
  const { hosts, places } = createAtlas(seed, shape);
  const huge = hosts.of(hosts.count - 1);
  for (let page = 1; page < shape.hugeHost.pages; page++) yield places.pageUrl(huge, page);
}

/** All at once, by the link queue, as a crawl of many seeds begins. */
async function begin(
  cloud: SimCloud,
  seed: number,
  config: CrawlOptions,
  seeds: Iterable<string>,
): Promise<void> {
  const { registry, exchange } = openOperator(cloud, seed).engine;
  await registry.create(CRAWL, {
    config,
    scopeSeeds: [],
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
  });
  let links: Link[] = [];
  const sent: Promise<void>[] = [];
  const send = () => {
    sent.push(exchange.send({ crawl: CRAWL, links }));
    links = [];
  };
  for (const url of seeds) {
    links.push({ url, depth: 0, isSeed: true });
    if (links.length >= SEEDS_PER_PARCEL) send();
  }
  if (links.length > 0) send();
  await Promise.all(sent);
}

/**
 * The number of hosts that the waker checks in a run, however large the crawl is (`shared/crawler/routing/waker.ts`).
 * For a smaller world that share would be far too large, so the waker sees only its share of the due hosts.
 */
function scaleWaker({ dynamo }: SimCloud, scale: number): void {
  if (scale === 1) return;
  const watched = dynamo as { handle: SimCloud['dynamo']['handle'] };
  const { handle } = dynamo;
  watched.handle = (command, input) => {
    const { IndexName, Limit } = input as { IndexName?: string; Limit?: number };
    if (command !== 'QueryCommand' || IndexName === undefined || Limit === undefined)
      return handle.call(dynamo, command, input);
    const share = { ...(input as object), Limit: Math.ceil(Limit / scale) };
    // There is no next page.
    return { ...(handle.call(dynamo, command, share) as object), LastEvaluatedKey: undefined };
  };
}

/**
 * An hour's archive does not fit into memory, and nobody reads it: objects of `warc/` count, and are not
 * kept.
 */
function dropArchive({ s3 }: SimCloud): void {
  const watched = s3 as { handle: SimCloud['s3']['handle'] };
  const { handle } = s3;
  watched.handle = (command, input) => {
    const { Key = '' } = input as { Key?: string };
    if (command === 'PutObjectCommand' && Key.startsWith('warc/')) return { ETag: '"dropped"' };
    return handle.call(s3, command, input);
  };
}

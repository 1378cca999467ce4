import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { routeParcels } from '../../../shared/crawler/routing/router.ts';
import { wakeDueHosts } from '../../../shared/crawler/routing/waker.ts';
import { startWorker } from '../../../shared/crawler/worker/worker.ts';
import { createVirtualTime, T0 } from '../../../simulation/models/virtual-time.ts';
import { seededRandom } from '../../../test/crawler/worker/fake-clock.ts';
import type { FarmWeb } from './farm-web.ts';
import { createManyHostsEngine, type EngineCounts, type ManyHostsEngine } from './many-hosts-engine.ts';

export interface CrawlRun {
  /** Requests for pages, of all the time and of its second half. */
  readonly farm: readonly [all: number, later: number];
  readonly honest: readonly [all: number, later: number];
  readonly counts: EngineCounts;
  /** As stored at the crawl's end. */
  readonly heads: ManyHostsEngine['heads'];
  readonly parts: ManyHostsEngine['parts'];
}

export interface CrawlRunOptions {
  readonly config: CrawlOptions;
  /** Hosts served at once: they are the crawl's capacity. */
  readonly hostsAtOnce: number;
  /** Virtual time. */
  readonly seconds: number;
}

const CRAWL = 'crawl';
const ROUTE_MS = 1000;
const WAKE_MS = 5000;
const PARCELS = 1000;

/** Crawls a web by a worker, a router and a waker for some virtual time. */
export async function runCrawl(
  web: FarmWeb,
  { config, hostsAtOnce, seconds }: CrawlRunOptions,
): Promise<CrawlRun> {
  const random = seededRandom(1);
  const time = createVirtualTime(random);
  let ids = 0;
  const clock = {
    now: time.now,
    sleep: time.sleep,
    random,
    uuid: () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, '0')}`,
  };
  const engine = createManyHostsEngine(clock, {
    config: { scope: 'any', contact: 'https://bench.test/', metadata: false, adaptive: false, ...config },
    scopeSeeds: web.seeds,
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const errors: string[] = [];
  const fetcher = web.fetcherOn(clock);
  const worker = startWorker(engine, () => fetcher, {
    maxHosts: hostsAtOnce,
    signal,
    onError: (error, host) => errors.push(`${host}: ${(error as Error).message}`),
  });
  const each = async (ms: number, work: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await work();
      await clock.sleep(ms, signal);
    }
  };
  const woken = new Map();
  const loops = [
    worker.done,
    each(ROUTE_MS, async () => {
      const parcels = await engine.exchange.receive(PARCELS, 60_000, signal);
      if (parcels.length > 0) await routeParcels(engine, worker.crawls, parcels);
    }),
    each(WAKE_MS, () => wakeDueHosts(engine, worker.crawls, CRAWL, woken)),
  ];
  await engine.exchange.send({
    crawl: CRAWL,
    links: web.seeds.map((url) => ({ url, depth: 0, isSeed: true })),
  });
  await time.run(T0 + seconds * 1000, () => errors.length > 0);
  if (errors.length > 0) throw new Error(`The crawl failed: ${errors[0]}`);
  const counts = { ...engine.counts };
  const { heads, parts } = engine;
  stopping.abort();
  let hasEnded = false;
  void Promise.all(loops).finally(() => {
    hasEnded = true;
  });
  await time.run(Number.MAX_SAFE_INTEGER, () => hasEnded);
  const half = T0 + seconds * 500;
  const later = (times: readonly number[]): readonly [number, number] => [
    times.length,
    times.filter((at) => at >= half).length,
  ];
  return { farm: later(web.pages.farm), honest: later(web.pages.honest), counts, heads, parts };
}

/**
 * A world for turns: an engine in memory, a scripted web, virtual time; and what is to hold when a crawl is
 * over.
 */

import { expect } from 'vitest';
import { resultText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { Head } from '../../../shared/core/frontier/head.ts';
import { URL_STATES, type UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import { endCrawlsAtLimits } from '../../../shared/crawler/crawl-state/limits.ts';
import type { CrawlTotals } from '../../../shared/crawler/ports/crawl-registry.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { routeParcels } from '../../../shared/crawler/routing/router.ts';
import { wakeDueHosts } from '../../../shared/crawler/routing/waker.ts';
import { openLedger } from '../../../shared/crawler/turn/open-ledger.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../../shared/crawler/worker/worker.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createMemoryEngine, type MemoryEngine, type MemoryOptions } from './memory-engine.ts';
import { createScriptedFetcher, type ScriptedFetcher, type Site } from './scripted-fetcher.ts';

/** The parts of a world that its workers have. */
type WorkerParts = Pick<
  WorkerOptions,
  'hooks' | 'onSeed' | 'onEvent' | 'documents' | 'rendering' | 'accounts'
>;

export interface World extends WorkerParts {
  readonly clock: FakeClock;
  readonly engine: MemoryEngine;
  readonly fetcher: ScriptedFetcher;
}

export const CRAWL = 'crawl';

/** Hooks of a project that changes nothing, returns no items and ignores errors. */
export const SILENT: PageHooks = {
  extract: async ({ facts }) => ({ facts }),
  onPage: async () => ({ items: [] }),
  onError: async () => {},
};

export interface WorldOptions extends MemoryOptions, WorkerParts {
  readonly tookMs?: number;
}

export function createWorld(site: Site, options: WorldOptions = {}): World {
  const clock = createFakeClock();
  const engine = createMemoryEngine(clock, options);
  const fetcher = createScriptedFetcher(clock, site, options.tookMs);
  const { hooks, onSeed, onEvent, documents, rendering, accounts } = options;
  return { clock, engine, fetcher, hooks, onSeed, onEvent, documents, rendering, accounts };
}

/** Registers a crawl and sends its seeds on their way. */
export async function begin(
  { engine }: Pick<World, 'engine'>,
  seeds: readonly string[],
  config: CrawlOptions = {},
  crawl = CRAWL,
): Promise<void> {
  await engine.registry.create(crawl, {
    config: { adaptive: false, ...config },
    scopeSeeds: seeds,
    urlRulesVersion: URL_RULES_VERSION,
    status: 'running',
  });
  await engine.exchange.send({ crawl, links: seeds.map((url) => ({ url, depth: 0, isSeed: true })) });
}

export interface Process {
  readonly worker: Worker;
  readonly errors: string[];
  /** Resolves when worker, router and waker have ended; never rejects. */
  readonly ended: Promise<void>;
  stop(): void;
}

export interface ProcessOptions extends WorkerParts, Pick<WorkerOptions, 'leaseOwner' | 'handOver'> {
  readonly crawls?: readonly string[];
  readonly maxHosts?: number;
  /** How often the waker looks. */
  readonly wakerMs?: number;
}

/** A process with a worker, a router and a waker. If one fails, all end. */
export function startProcess(
  engine: Engine,
  fetcher: Fetcher,
  { crawls = [CRAWL], maxHosts = 100, wakerMs = 60_000, ...own }: ProcessOptions = {},
): Process {
  const { clock, exchange } = engine;
  const stopping = new AbortController();
  const { signal } = stopping;
  const errors: string[] = [];
  /**
   * How often it is looked what has ended, and how long a call waits for messages, which end its wait. A world of weeks takes
   * as long as it has such moments: on a busy machine longer than a test may, if there is one each second.
   */
  const lookMs = wakerMs > 60_000 ? wakerMs / 10 : 1000;
  const worker = startWorker(lookMs > 1000 ? withLongReceives(engine, lookMs) : engine, () => fetcher, {
    ...own,
    maxHosts,
    signal,
    onError: (error, host) => errors.push(`${host}: ${(error as Error).message}`),
  });
  async function route() {
    while (!signal.aborted) {
      const parcels = await exchange.receive(100, Math.max(60_000, wakerMs), signal);
      if (parcels.length > 0) await routeParcels(engine, worker.crawls, parcels);
      await clock.sleep(100, signal);
    }
  }
  async function wake() {
    const woken = new Map(crawls.map((crawl) => [crawl, new Map()]));
    while (!signal.aborted) {
      for (const crawl of crawls) await wakeDueHosts(engine, worker.crawls, crawl, woken.get(crawl)!);
      await clock.sleep(wakerMs, signal);
    }
  }
  async function watch() {
    while (!signal.aborted) {
      await endCrawlsAtLimits(engine, worker.crawls);
      await clock.sleep(lookMs, signal);
    }
  }
  const end = (error?: unknown) => {
    if (error) errors.push((error as Error).message);
    stopping.abort();
  };
  const parts = [worker.done, route(), wake(), watch()].map((part) => part.then(() => end(), end));
  return { worker, errors, ended: Promise.all(parts).then(() => {}), stop: () => stopping.abort() };
}

/** The same engine, in which a call for hosts waits for at least `ms` if none come. */
function withLongReceives(engine: Engine, ms: number): Engine {
  const receive: Engine['queue']['receive'] = (maxHosts, waitMs, signal) =>
    engine.queue.receive(maxHosts, Math.max(waitMs, ms), signal);
  return { ...engine, queue: { ...engine.queue, receive } };
}

/** Runs processes, one after the other should they fail, until the crawls are quiet. Returns their errors. */
export async function runToEnd(
  { clock, engine, fetcher, ...parts }: World,
  crawls = [CRAWL],
  maxHosts?: number,
): Promise<string[]> {
  const errors: string[] = [];
  for (;;) {
    const process = startProcess(engine, fetcher, { ...parts, crawls, maxHosts });
    await clock.drive(process.ended, () => areQuiet(engine, crawls));
    process.stop();
    await clock.drive(process.ended);
    errors.push(...process.errors);
    if (await areQuiet(engine, crawls)) return errors;
    if (errors.length > 100) throw new Error(`no end in sight: ${errors.slice(-3).join('\n')}`);
  }
}

export interface CrawledWorld extends World {
  readonly totals: CrawlTotals;
  readonly states: Record<string, string>;
}

/** Crawls a site to its end, in which nothing may fail. */
export async function crawlToEnd(
  site: Site,
  { seeds = ['http://a.test/'], ...config }: CrawlOptions & { seeds?: readonly string[] } = {},
  options?: WorldOptions,
): Promise<CrawledWorld> {
  const world = createWorld(site, options);
  await begin(world, seeds, config);
  expect(await runToEnd(world)).toEqual([]);
  const totals = await world.engine.registry.totals(CRAWL);
  return { ...world, totals, states: await statesOf(world.engine) };
}

export async function areQuiet(engine: Engine, crawls = [CRAWL]): Promise<boolean> {
  for (const crawl of crawls) if (!(await engine.registry.isQuiet(crawl))) return false;
  return true;
}

export interface KnownHost {
  readonly head: Head;
  readonly records: ReadonlyMap<string, UrlRecord>;
}

/** All that the ledgers hold, by host; fails where they contradict themselves. */
export async function ledgersOf({ ledgers }: Engine, crawl = CRAWL): Promise<Map<string, KnownHost>> {
  const hosts = new Map<string, KnownHost>();
  for await (const { host, head } of ledgers.hosts(crawl)) {
    if (head.domain) continue;
    const ledger = await openLedger(ledgers, { crawl, host, index: head.ledger });
    const records = new Map<string, UrlRecord>();
    for await (const record of ledger.records()) {
      expect(records.has(record.url), `${record.url} stands twice in its ledger`).toBe(false);
      records.set(record.url, record);
    }
    const counts = Object.fromEntries(
      URL_STATES.map((state) => [state, [...records.values()].filter((r) => r.state === state).length]),
    );
    expect(head.ledger.counts, `counts of ${host}`).toEqual(counts);
    hosts.set(host, { head, records });
  }
  return hosts;
}

/** Every known URL's state. */
export async function statesOf(engine: Engine, crawl = CRAWL): Promise<Record<string, string>> {
  const known = [...(await ledgersOf(engine, crawl)).values()].flatMap(({ records }) => [
    ...records.values(),
  ]);
  return Object.fromEntries(known.map(({ url, state }) => [url, state]));
}

export async function recordOf(engine: Engine, url: string, crawl = CRAWL): Promise<UrlRecord | undefined> {
  for (const { records } of (await ledgersOf(engine, crawl)).values())
    if (records.has(url)) return records.get(url);
  return undefined;
}

/** The gaps between one request's end and the next one's start, for each host, in order. */
export function gapsOf({ log }: ScriptedFetcher, host: string): number[] {
  const requests = log.filter((request) => request.host === host);
  return requests.slice(1).map(({ startedAt }, i) => startedAt - requests[i]!.endedAt);
}

export function leastGap(fetcher: ScriptedFetcher): number {
  const hosts = new Set(fetcher.log.map(({ host }) => host));
  return Math.min(...[...hosts].flatMap((host) => gapsOf(fetcher, host)));
}

/** The cause of a URL as exports show it. */
export const said = (record: Pick<UrlRecord, 'result'> | undefined): string | undefined =>
  resultText(record?.result ?? {});

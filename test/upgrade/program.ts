/**
 * A worker, a router and a waker on services that are given. `store-program.ts` bundles it from a checkout of the
 * previous version, so that tests can run both versions on the same tables, bucket and queues.
 */

import type { Sizes } from '../../shared/core/base/sizes.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import { NewerFormat } from '../../shared/core/frontier/bytes.ts';
import { URL_RULES_VERSION } from '../../shared/core/url/canonical.ts';
import { createCrawls } from '../../shared/crawler/crawl-state/crawls.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import { routeParcels } from '../../shared/crawler/routing/router.ts';
import { wakeDueHosts } from '../../shared/crawler/routing/waker.ts';
import { startWorker } from '../../shared/crawler/worker/worker.ts';
import { type AwsClients, type AwsNames, createAwsEngine } from '../../shared/engines/aws/engine.ts';

export interface ProgramOptions {
  readonly clients: AwsClients;
  readonly names: AwsNames;
  readonly clock: Clock;
  readonly visibilityMs: number;
  readonly sizes: Sizes;
  readonly fetcher: Fetcher;
  readonly crawl: string;
  /** The crawl is made first, as this version makes one. */
  readonly begin?: Begin;
}

export interface Begin {
  readonly seed: string;
  readonly config: CrawlOptions;
}

export interface Program {
  /** Messages and ledgers of a newer version that it has met, and left. */
  readonly newer: readonly string[];
  /** All else that went wrong. */
  readonly errors: readonly string[];
  stop(): void;
  /** Resolves when all three have ended; never rejects. */
  readonly ended: Promise<void>;
}

const ROUTER_PERIOD_MS = 500;
const WAKER_PERIOD_MS = 60_000;

/** The three run until `stop`. If one fails, all end. */
export function startProgram(options: ProgramOptions): Program {
  const { clients, names, clock, visibilityMs, sizes, fetcher, crawl, begin } = options;
  const [newer, errors]: string[][] = [[], []];
  const note = (error: unknown): void => {
    const { message } = error as Error;
    (error instanceof NewerFormat ? newer : errors)?.push(message);
  };
  const engine = createAwsEngine({
    ...{ clients, names, clock, visibilityMs, sizes },
    archive: { prefix: 'test', software: 'test' },
    onNewer: (_, error) => note(error),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const crawls = createCrawls(engine.registry, clock);
  const worker = startWorker(engine, () => fetcher, { maxHosts: 100, signal, onError: note });
  async function make({ seed, config }: Begin): Promise<void> {
    const scopeSeeds = [seed];
    const record = { config: parseConfig(config), scopeSeeds, urlRulesVersion: URL_RULES_VERSION };
    await engine.registry.create(crawl, { ...record, status: 'running' });
    await engine.exchange.send({ crawl, links: [{ url: seed, depth: 0, isSeed: true }] });
  }
  async function route(): Promise<void> {
    while (!signal.aborted) {
      const parcels = await engine.exchange.receive(100, visibilityMs, signal);
      if (parcels.length > 0) await routeParcels(engine, crawls, parcels);
      await clock.sleep(ROUTER_PERIOD_MS, signal);
    }
  }
  async function wake(): Promise<void> {
    const woken = new Map();
    while (!signal.aborted) {
      await wakeDueHosts(engine, crawls, crawl, woken);
      await clock.sleep(WAKER_PERIOD_MS, signal);
    }
  }
  const end = (error?: unknown): void => {
    if (error) note(error);
    stopping.abort();
  };
  const parts = [worker.done, route(), wake()].map((part) => part.then(() => end(), end));
  if (begin) parts.push(make(begin).catch(end));
  const ended = Promise.all(parts);
  return { newer, errors, stop: () => stopping.abort(), ended: ended.then(() => {}) } as Program;
}

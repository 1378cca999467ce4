/**
 * The worker: a loop that runs the turns of many hosts at once, each host one turn at a time. A worker waits for the
 * network and for hosts' clocks, hardly for the processor, so hundreds of hosts go side by side in one process.
 */

import { recordId } from '../archive/warc-record.ts';
import { createLimit } from '../create-limit.ts';
import { type Crawl, type Crawls, createCrawls } from '../crawl-state/crawls.ts';
import type { Engine } from '../ports/engine.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { StaleTurn } from '../ports/stale-turn.ts';
import type { Delivery, HostDeliveries } from '../ports/turn-queue.ts';
import { sizesOf } from '../sizes.ts';
import { StorageFailed } from '../storage-failed.ts';
import { leaseOf } from '../turn/lease.ts';
import { MAX_PARK_MS } from '../turn/next-turn.ts';
import type { PageHooks } from '../turn/page-hooks.ts';
import { type PageWork, UNWATCHED } from '../turn/page-work.ts';
import type { OnSeed } from '../turn/seed-events.ts';
import type { Lanes, TurnServices } from '../turn/services.ts';
import { leastLeaseMs, runTurn } from '../turn/turn.ts';
import { type WorkerStats, newStats } from '../turn/worker-stats.ts';
import { createLanes } from './lanes.ts';
import { createLedgerCache } from './ledger-cache.ts';
import { createLock } from './lock.ts';
import type { OnWorkEvent } from '../turn/work-events.ts';

export interface WorkerOptions {
  /** Hosts served at once. */
  readonly maxHosts: number;
  /** Aborted to stop: requests in flight are dropped, turns commit what they have, and the worker ends. */
  readonly signal: AbortSignal;
  /** Hosts are received when there is room for so many: where a receive costs the same for one as for ten. Default 1. */
  readonly leastRoom?: number;
  /** Hosts received already, served before any others: what a function's event holds. */
  readonly first?: readonly HostDeliveries[];
  /** No host is received after this time: what is under way is done in peace. Default: never. */
  readonly receiveUntil?: number;
  /** The process ends then: leases that last longer are taken to end there. Default: never. */
  readonly deadline?: number;
  /** Ends when no turn is under way and a receive brings nothing. */
  readonly endsWhenIdle?: boolean;
  /** Ledgers kept in memory between turns take about so many bytes. */
  readonly maxCacheBytes?: number;
  /** Those of the process, if it has several workers, one after the other. Default: its own. */
  readonly lanes?: Lanes;
  /** The project's hooks, if it has any. */
  readonly hooks?: PageHooks;
  /** Called when a seed was not fetched. */
  readonly onSeed?: OnSeed;
  /** Called with each event, where somebody listens. */
  readonly onEvent?: OnWorkEvent;
  /** Default: nobody watches the thread. */
  readonly work?: PageWork;
  /** Hears of turns that failed by our own fault, and of what was done about it. */
  readonly onError?: (error: unknown, host: string) => void;
}

export interface Worker {
  readonly stats: WorkerStats;
  readonly crawls: Crawls;
  /**
   * Resolves when the worker has stopped; rejects when it cannot go on: at once where a port fails with `StorageFailed`.
   * Nothing of it is under way then.
   */
  readonly done: Promise<void>;
}

/** How long one receive waits for work. */
const RECEIVE_MS = 1000;
/** A shorter rest of a host is waited out in the worker, a longer one parks the host's group. */
const SHORT_REST_MS = 200;
/** A failed turn is tried again after this, twice as long each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
/** Large bodies that a worker reads at once for their digests. */
const LARGE_BODIES = 4;
/** So many turns failing one after the other: it is not the hosts. */
const MAX_FAILURES = 20;

/** `fetcherOf` gives the same fetcher for the same crawl. */
export function startWorker(
  engine: Engine,
  fetcherOf: (crawl: Crawl) => Fetcher,
  options: WorkerOptions,
): Worker {
  const { queue, clock } = engine;
  const sizes = sizesOf(engine);
  const { leastRoom = 1, deadline = Infinity, receiveUntil = Infinity } = options;
  /** Aborted when the storage fails: what is fetched from then on could not be kept. */
  const halting = new AbortController();
  const signal = AbortSignal.any([options.signal, halting.signal]);
  const services: TurnServices = {
    engine,
    fetcherOf,
    crawls: createCrawls(engine.registry, clock),
    ledgers: createLedgerCache(options.maxCacheBytes ?? sizes.ledgerCacheBytes),
    lanes: options.lanes ?? createLanes(clock, sizes.maxIdleLanes),
    intentLock: createLock(clock),
    hooks: options.hooks,
    onSeed: options.onSeed,
    onEvent: options.onEvent,
    work: options.work ?? UNWATCHED,
    stats: newStats(),
    records: { newId: () => recordId(clock.uuid()), limitReads: createLimit(LARGE_BODIES) },
    stopping: signal,
  };
  const { stats } = services;
  const active = new Set<Promise<void>>();
  let failures = 0;

  /** The turns of one received host: one for each crawl that has sent it something. */
  async function serve(received: HostDeliveries): Promise<void> {
    stats.hostsActive++;
    let restUntil = 0;
    let hasAsked = false;
    const lease = leaseOf(queue, clock, received, deadline);
    const leaseMs = lease.endsAt - clock.now();
    try {
      const served: Delivery[] = [];
      for (const [crawlId, deliveries] of byCrawl(received.deliveries)) {
        // Another crawl's turn may have just asked the host something.
        const restMs = restUntil - clock.now();
        if (restMs > SHORT_REST_MS) break;
        if (restMs > 0) await clock.sleep(restMs, signal);
        const crawl = await services.crawls.get(crawlId);
        if (!crawl) {
          served.push(...deliveries);
          continue;
        }
        const leastMs = leastLeaseMs(services, crawl);
        // Its turns would commit and fetch nothing, over and over.
        if (leaseMs <= leastMs)
          throw new Error(
            `Expected a lease of more than ${leastMs} ms (totalTimeoutMs, hooks and a commit), got ${leaseMs}`,
          );
        const end = await runTurn(services, crawl, { host: received.host, deliveries, lease });
        restUntil = Math.max(restUntil, end.restUntil);
        hasAsked ||= end.hasAsked ?? false;
        if (end.isPutOff) break;
        served.push(...deliveries);
        stats.turns++;
      }
      failures = 0;
      await giveBack(received, served, restUntil, hasAsked);
    } catch (error) {
      // The host is not given back: at the next start it rests as if it had just been asked, since no head tells.
      if (error instanceof StorageFailed) throw error;
      if (error instanceof StaleTurn) stats.staleTurns++;
      else {
        failures++;
        options.onError?.(error, received.host);
      }
      const tries = Math.max(...received.deliveries.map(({ receiveCount }) => receiveCount));
      const retryMs = Math.min(RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS);
      // Whoever receives the host next may be another process, which knows only of what is committed.
      const restMs = Math.max(restUntil, services.lanes.restUntil(received.host)) - clock.now();
      await queue.park(received, Math.max(retryMs, restMs));
      if (failures >= MAX_FAILURES) throw error;
    } finally {
      stats.hostsActive--;
    }
  }

  /**
   * Acknowledges what was served, but not before the host's next moment, so that whoever gets the host may fetch at
   * once. A long rest parks the group instead, which takes one delivery that stays, for some minutes at most, since links
   * that come meanwhile are to be taken in. What comes back from that and leads to no request is acknowledged though the
   * host rests for longer: its head says so, and a delivery that is received again and again looks as if it killed its
   * workers.
   */
  async function giveBack(
    received: HostDeliveries,
    served: readonly Delivery[],
    restUntil: number,
    hasAsked: boolean,
  ): Promise<void> {
    const restMs = Math.min(restUntil - clock.now(), MAX_PARK_MS);
    const isAll = served.length === received.deliveries.length;
    const hasComeBack = received.deliveries.every(({ receiveCount }) => receiveCount > 1);
    if (isAll && hasComeBack && !hasAsked) {
      await queue.acknowledge(received, served);
      return;
    }
    if (isAll && restMs <= SHORT_REST_MS) {
      // Also when the worker stops: another crawl's turn knows nothing of this one's rest.
      if (restMs > 0) await clock.sleep(restMs);
      await queue.acknowledge(received, served);
      return;
    }
    await queue.acknowledge(received, isAll ? served.slice(0, -1) : served);
    await queue.park(received, Math.max(0, restMs));
  }

  async function run(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure ??= { error };
      if (error instanceof StorageFailed) halting.abort();
    };
    const track = (work: Promise<void>) => {
      const tracked: Promise<void> = work.catch(fail).finally(() => active.delete(tracked));
      active.add(tracked);
    };
    for (const received of options.first ?? []) track(serve(received));
    while (!signal.aborted && !failure && clock.now() < receiveUntil) {
      if (options.maxHosts - active.size < leastRoom) {
        await Promise.race(active);
        continue;
      }
      try {
        const waitMs = Math.min(RECEIVE_MS, receiveUntil - clock.now());
        const batch = await queue.receive(options.maxHosts - active.size, waitMs, signal);
        // An answer may come late: then there is no time for these hosts, and others are to have them at once.
        const isLate = clock.now() >= receiveUntil;
        for (const received of batch) track(isLate ? queue.park(received, 0) : serve(received));
      } catch (error) {
        fail(error);
      }
      if (options.endsWhenIdle && active.size === 0) break;
    }
    // Also after a failure: what is under way holds hosts.
    await Promise.all(active);
    if (failure) throw failure.error;
  }

  return { stats, crawls: services.crawls, done: run() };
}

function byCrawl(deliveries: readonly Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const { crawl } = delivery.message;
    const group = groups.get(crawl);
    if (group) group.push(delivery);
    else groups.set(crawl, [delivery]);
  }
  return groups;
}

/**
 * The worker: a loop that runs the turns of many hosts at once, each host one turn at a time. A worker waits
 * for the network and for hosts' clocks, hardly for the processor, so hundreds of hosts go side by side in
 * one process.
 */

import { recordId } from '../../core/archive/warc-record.ts';
import { createLimit } from '../../core/base/create-limit.ts';
import { sizesOf } from '../../core/base/sizes.ts';
import { StorageFailed } from '../../core/base/storage-failed.ts';
import { type Crawl, type Crawls, createCrawls } from '../crawl-state/crawls.ts';
import type { Tally } from '../crawl-state/tally.ts';
import type { Engine } from '../ports/engine.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { HostDeliveries } from '../ports/turn-queue.ts';
import type { Accounts } from '../turn/access/accounts.ts';
import { createDomainHeads } from '../turn/links/domain-heads.ts';
import { createLinkMedians } from '../turn/links/link-medians.ts';
import { createAddressLeases } from '../turn/pace/address-leases.ts';
import { createCrawlRates } from '../turn/pace/crawl-rates.ts';
import type { DocumentReading } from '../turn/page/document-reading.ts';
import { type PageWork, UNWATCHED } from '../turn/page/page-work.ts';
import type { PageHooks, ReadLanguage } from '../turn/page-hooks.ts';
import type { OpenRendering } from '../turn/render/rendering.ts';
import type { OnSeed, OnSite } from '../turn/seed-events.ts';
import type { Lanes, TurnServices } from '../turn/services.ts';
import type { OnWorkEvent } from '../turn/work-events.ts';
import { newStats, type WorkerStats } from '../turn/worker-stats.ts';
import { ApartHosts, type HandOver } from './apart-hosts.ts';
import { HostServer } from './host-server.ts';
import { createLanes } from './lanes.ts';
import { createLedgerCache } from './ledger-cache.ts';
import { createLock } from './lock.ts';
import { SuspectHosts } from './suspect-hosts.ts';

export interface WorkerOptions {
  /** Hosts served at once. */
  readonly maxHosts: number;
  /** Hosts that may be served now if this number is. Default: `maxHosts`. */
  readonly placesFor?: (hosts: number) => number;
  /** Aborted to stop: requests in flight are dropped, turns commit what they have, and the worker ends. */
  readonly signal: AbortSignal;
  /**
   * Hosts are received when at least this many can be served, since a receive may cost the same for one as for ten.
   * Default: 1.
   */
  readonly minRoom?: number;
  /** No host is received after this time, and turns in progress end soon. Default: never. */
  readonly receiveUntil?: number;
  /**
   * Aborted to receive no more hosts: turns end soon, a receive under way is finished, and the worker ends. A process
   * that ended during a receive would leave the hosts which that brings locked for their whole lease.
   */
  readonly drain?: AbortSignal;
  /**
   * Called when the worker would end because it is idle. It then receives once more, so that messages sent before the
   * call's end are not left behind. Default: it ends at once.
   */
  readonly beforeIdleEnd?: () => Promise<void>;
  /** The process ends then: leases that last longer are taken to end there. Default: never. */
  readonly deadline?: number;
  /** Ends when no turn is in progress and a receive brings nothing. */
  readonly endsWhenIdle?: boolean;
  /** The approximate number of bytes of ledgers that are kept in memory between turns. */
  readonly maxCacheBytes?: number;
  /** The lanes of the process, if it has several workers. Default: its own. */
  readonly lanes?: Lanes;
  /** The name under which it has leases of IP addresses. Default: no other worker crawls, so it needs none. */
  readonly leaseOwner?: () => string;
  /** Where several threads of the process count together, for the one crawl that they all work for. */
  readonly tally?: Tally;
  /** The project's hooks, if it has any. */
  readonly hooks?: PageHooks;
  /** The project's accounts at sites, if it has any. */
  readonly accounts?: Accounts | undefined;
  /** Finds the languages of pages, for crawls with `languages`. */
  readonly languageOf?: ReadLanguage;
  /** Reads documents by the modules for their media types. */
  readonly documents?: DocumentReading;
  /** Renders pages by a browser. Default: pages stay as their sites send them. */
  readonly rendering?: OpenRendering;
  /** Called when a seed was not fetched. */
  readonly onSeed?: OnSeed;
  /** Called when a pass over a site has ended. */
  readonly onSite?: OnSite;
  /** Called with each event. Absent: no listener. */
  readonly onEvent?: OnWorkEvent;
  /** Default: no watchdog watches the thread. */
  readonly work?: PageWork;
  /** Hands suspicious hosts to another process. Default: this one serves them when it serves no others. */
  readonly handOver?: HandOver;
  /** Hosts that were handed to this process: it serves these alone, and ends. */
  readonly apart?: readonly HostDeliveries[];
  /** Called when a page needs more than this worker has, which is a small one. */
  readonly onTooLarge?: () => void;
  /** Called with turns that failed by our own fault. */
  readonly onError?: (error: unknown, host: string) => void;
}

export interface Worker {
  readonly stats: WorkerStats;
  readonly crawls: Crawls;
  /**
   * Resolves when the worker has stopped; rejects when it cannot continue: at once where a port fails with
   * `StorageFailed`. Nothing of it is in progress then.
   */
  readonly done: Promise<void>;
}

/** How long one receive waits for work. */
const RECEIVE_MS = 1000;
/** Large bodies that a worker reads at once for their digests. */
const LARGE_BODIES = 4;

/** `fetcherOf` gives the same fetcher for the same crawl. */
export function startWorker(
  engine: Engine,
  fetcherOf: (crawl: Crawl) => Fetcher,
  options: WorkerOptions,
): Worker {
  const sizes = sizesOf(engine);
  const { clock, registry } = engine;
  /** Aborted when the storage fails: pages fetched from then on could not be stored. */
  const halting = new AbortController();
  const domains = createDomainHeads(engine);
  const lanes = options.lanes ?? createLanes(clock, sizes.maxIdleLanes);
  const services: TurnServices = {
    engine,
    fetcherOf,
    crawls: createCrawls(registry, clock, options.tally),
    ledgers: createLedgerCache(options.maxCacheBytes ?? sizes.ledgerCacheBytes),
    lanes,
    domains,
    leases: createAddressLeases(domains, clock, options.leaseOwner),
    rates: createCrawlRates({ domains, clock, lines: lanes.rates }),
    medians: createLinkMedians(engine),
    intentLock: createLock(clock),
    hooks: options.hooks,
    ...(options.accounts && { accounts: options.accounts }),
    ...(options.languageOf && { languageOf: options.languageOf }),
    ...(options.documents && { documents: options.documents }),
    ...(options.rendering && { rendering: options.rendering({ engine, lanes, fetcherOf }) }),
    onSeed: options.onSeed,
    onSite: options.onSite,
    onEvent: options.onEvent,
    work: options.work ?? UNWATCHED,
    stats: newStats(),
    records: { newId: () => recordId(clock.uuid()), limitReads: createLimit(LARGE_BODIES) },
    stopping: AbortSignal.any([options.signal, halting.signal]),
  };
  const loop = new WorkerLoop(services, { ...options, suspects: new SuspectHosts(services), halting });
  return { stats: services.stats, crawls: services.crawls, done: loop.run() };
}

interface LoopOptions extends WorkerOptions {
  readonly suspects: SuspectHosts;
  readonly halting: AbortController;
}

/** Receives hosts while it has capacity, and has each served. */
class WorkerLoop {
  readonly #services: TurnServices;
  readonly #options: LoopOptions;
  readonly #server: HostServer;
  readonly #apart: ApartHosts | undefined;
  readonly #active = new Set<Promise<void>>();
  /** The first error after which the worker cannot continue. */
  #failure: { readonly error: unknown } | undefined;
  /** A receive brought nothing while no turn was in progress. */
  #isIdle = false;
  /** `beforeIdleEnd` was called, and nothing came since. */
  #isLastReceive = false;

  constructor(services: TurnServices, options: LoopOptions) {
    this.#services = services;
    this.#options = options;
    const {
      receiveUntil = Infinity,
      deadline = Infinity,
      drain,
      handOver,
      apart,
      onTooLarge,
      onError,
    } = options;
    this.#apart = handOver && new ApartHosts(services, handOver);
    this.#server = new HostServer(services, {
      get receiveUntil() {
        return drain?.aborted ? Number.NEGATIVE_INFINITY : receiveUntil;
      },
      deadline,
      isApart: apart !== undefined,
      onTooLarge,
      onError,
    });
  }

  async run(): Promise<void> {
    const { suspects, apart } = this.#options;
    for (const received of apart ?? []) this.#track(this.#server.serve(received));
    while (apart === undefined && this.#goesOn())
      await (suspects.areDue ? this.#serveSuspects() : this.#receive());
    for (const received of suspects.take()) this.#track(this.#services.engine.queue.park(received, 0));
    // Also after a failure: turns in progress hold hosts.
    await Promise.all(this.#active);
    if (this.#failure) throw this.#failure.error;
  }

  #goesOn(): boolean {
    const { receiveUntil = Infinity, drain } = this.#options;
    const { engine, stopping } = this.#services;
    const isEnding = stopping.aborted || drain?.aborted || this.#failure || this.#isIdle;
    return !isEnding && engine.clock.now() < receiveUntil;
  }

  /** Receives hosts if it has capacity for them, else waits for capacity. */
  async #receive(): Promise<void> {
    const { maxHosts, placesFor, minRoom = 1, receiveUntil = Infinity } = this.#options;
    const { endsWhenIdle, suspects } = this.#options;
    const { engine, stopping } = this.#services;
    const { queue, clock } = engine;
    const hosts = this.#active.size + suspects.size;
    const room = (placesFor?.(hosts) ?? maxHosts) - hosts;
    if (room < minRoom) {
      await Promise.race(this.#active);
      return;
    }
    try {
      const waitMs = Math.min(RECEIVE_MS, receiveUntil - clock.now());
      const batch = await queue.receive(room, waitMs, stopping);
      // A response may come late: then the time is too short for these hosts, and other workers are to have them at
      // once.
      const isLate = clock.now() >= receiveUntil;
      for (const received of batch) this.#services.lanes.receives.note(received);
      const own = isLate || !this.#apart ? batch : await this.#apart.take(batch);
      for (const received of own) this.#take(received, isLate);
      if (endsWhenIdle) await this.#endIfIdle();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(received: HostDeliveries, isLate: boolean): void {
    const { queue } = this.#services.engine;
    if (isLate) this.#track(queue.park(received, 0));
    else if (!this.#options.suspects.keep(received)) this.#track(this.#server.serve(received));
  }

  /** Serves the suspicious hosts after all others, and receives none until they are served. */
  async #serveSuspects(): Promise<void> {
    const { suspects, receiveUntil = Infinity } = this.#options;
    await suspects.othersEnd(Promise.all(this.#active), receiveUntil);
    for (const received of suspects.take()) this.#track(this.#server.serve(received));
    await Promise.all(this.#active);
    suspects.end();
  }

  async #endIfIdle(): Promise<void> {
    const { beforeIdleEnd, suspects } = this.#options;
    if (this.#active.size + suspects.size > 0) this.#isLastReceive = false;
    else if (!beforeIdleEnd || this.#isLastReceive || this.#failure) this.#isIdle = true;
    else {
      this.#isLastReceive = true;
      await beforeIdleEnd();
    }
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error) => this.#fail(error))
      .finally(() => this.#active.delete(tracked));
    this.#active.add(tracked);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    if (error instanceof StorageFailed) this.#options.halting.abort();
  }
}

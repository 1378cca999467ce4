import { nothingDue, type StatusReason } from '../../../core/causes/status-reason.ts';
import { isRecrawling } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Crawl } from '../../../crawler/crawl-state/crawls.ts';
import { endOf } from '../../../crawler/crawl-state/drain.ts';
import { LateWatch } from '../../../crawler/crawl-state/late-watch.ts';
import type { CrawlStatus } from '../../../crawler/ports/crawl-registry.ts';
import { routeParcels } from '../../../crawler/routing/router.ts';
import { wakeDueHosts } from '../../../crawler/routing/waker.ts';
import { newStats } from '../../../crawler/turn/worker-stats.ts';
import type { LocalEngine } from '../engine.ts';
import { createFirstPassNotes, type FirstPassNotes } from './first-pass-notes.ts';
import { addStats, type PoolStats, poolStats } from './pool-stats.ts';
import type { WorkerPool, WorkerPoolOptions } from './worker-pool.ts';

export interface LocalRunOptions extends WorkerPoolOptions {
  /** Ends when nothing is due, though a crawl that recrawls has something later. Without it, only hosts that refuse the crawl are not waited for, unless it recrawls. */
  readonly once?: boolean | undefined;
  /** Called some times a second. */
  readonly onProgress?: (stats: PoolStats) => void;
  /** Called when the machine's clock was set, with the difference in ms; negative: back. */
  readonly onClockStep?: (ms: number) => void;
  /** Called with a sentence for people when pages skip a time of the schedule. */
  readonly onLate?: (text: string) => void;
  /** Called when the first pass of a crawl that recrawls is complete, and again in each session until that is announced. */
  readonly onFirstPass?: () => void;
}

/** How a run ended. `running`: by the operator's signal; the crawl can be resumed. */
export interface LocalRunEnd {
  readonly status: CrawlStatus;
  readonly reason?: StatusReason | undefined;
}

const TICK_MS = 100;
/** Nothing was due at as many looks. */
const IDLE_TICKS = 10;
/** Links gathered this long make one message to each host. */
const ROUTER_WINDOW_MS = 100;
const ROUTER_PARCELS = 500;
const WAKER_MS = 1000;
/** After each look at the hosts that are due, as many times its length pass: with 100,000 of them it takes half a second. */
const WAKER_REST = 50;

type StartWorkerPool = (options: WorkerPoolOptions) => WorkerPool;

/**
 * Runs pool, router and waker until the crawl is finished, a limit is met, its status is changed by somebody
 * else, or `signal` aborts.
 */
export async function runLocalCrawl(
  engine: LocalEngine,
  startWorkerPool: StartWorkerPool,
  crawl: CrawlId,
  { onProgress, ...options }: LocalRunOptions,
): Promise<LocalRunEnd> {
  let before = poolStats(newStats());
  let last = before;
  const progress = (stats: PoolStats) => {
    last = addStats(before, stats);
    onProgress?.(last);
  };
  for (;;) {
    const end = await runToEnd(engine, startWorkerPool, crawl, { ...options, onProgress: progress });
    if (end.status !== 'finished' || (await engine.registry.isQuiet(crawl))) return end;
    // Seeds were added while it ended.
    before = last;
    await engine.registry.setStatus(crawl, 'running');
  }
}

async function runToEnd(
  engine: LocalEngine,
  startWorkerPool: StartWorkerPool,
  crawl: CrawlId,
  options: LocalRunOptions,
): Promise<LocalRunEnd> {
  const { clock, registry, exchange } = engine;
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const { signal } = stopping;
  options.signal.addEventListener('abort', stop);
  if (options.signal.aborted) stop();
  const { onError, onSeed, onSite, onEvent, onFirstPass, once = false } = options;
  const pool = startWorkerPool({ signal, onError, onSeed, onSite, onEvent });
  const firstPass = createFirstPassNotes(engine, onFirstPass);
  const report = reporter(engine, options, firstPass);
  let end: LocalRunEnd = { status: 'running' };

  async function route(): Promise<void> {
    while (!signal.aborted) {
      const parcels = await exchange.receive(ROUTER_PARCELS, 1000, signal);
      if (parcels.length > 0) await routeParcels(engine, pool.crawls, parcels);
      await clock.sleep(ROUTER_WINDOW_MS, signal);
    }
  }

  async function wake(): Promise<void> {
    const woken = new Map<HostKey, { version: number; at: number }>();
    while (!signal.aborted) {
      const beganAt = clock.elapsed();
      await wakeDueHosts(engine, pool.crawls, crawl, woken);
      await clock.sleep(Math.max(WAKER_MS, WAKER_REST * (clock.elapsed() - beganAt)), signal);
    }
  }

  /** Looks whether the crawl is over, and keeps the time that it has run. */
  async function watch(): Promise<void> {
    let countedAt = clock.elapsed();
    const idle = createIdleWatch(engine, once);
    while (!signal.aborted) {
      options.onProgress?.(pool.stats());
      const current = await pool.crawls.get(crawl);
      const limit = current?.budget.metLimit();
      if (current && current.status !== 'running') end = { status: current.status, reason: current.reason };
      else end = (current && (await endOf(engine, current, limit))) ?? end;
      if (end.status === 'running' && limit === undefined && (await registry.isQuiet(crawl)))
        end = { status: 'finished' };
      const dueAt = end.status === 'running' && current ? idle(current) : undefined;
      if (dueAt !== undefined) end = { status: 'running', reason: nothingDue(dueAt) };
      if (end.status !== 'running' || end.reason) break;
      await clock.sleep(TICK_MS, signal);
      if (clock.elapsed() - countedAt >= 1000) {
        countedAt += countActive(engine, crawl, countedAt);
        engine.hold.keep();
        await report(current);
      }
    }
    // Hosts may wait for their hours.
    if (end.reason?.code === 'nothingDue' && (await registry.totals(crawl)).hostsWaiting === 0)
      await firstPass.note(crawl);
    countActive(engine, crawl, countedAt);
  }

  try {
    // The first that ends, with or without an error, ends all.
    const parts = [pool.done, route(), wake(), watch()].map((part) => part.finally(stop));
    for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
  if (end.status !== 'running' || end.reason) await registry.setStatus(crawl, end.status, end.reason);
  options.onProgress?.(pool.stats());
  return end;
}

/**
 * Returns the look at each tick of a crawl that runs: when the next host is due, if nothing was for a while, and the crawl does not
 * wait for that. A look costs statements of SQLite, so only a crawl that ends when nothing is due has one at each tick.
 */
function createIdleWatch(engine: LocalEngine, once: boolean): (crawl: Crawl) => number | undefined {
  const every = once ? 1 : IDLE_TICKS;
  let ticks = 0;
  let looks = 0;
  return (crawl) => {
    if (++ticks % every !== 0) return undefined;
    const dueAt = nextDueAt(engine, crawl, once);
    looks = dueAt === undefined ? 0 : looks + 1;
    return looks > IDLE_TICKS / every ? dueAt : undefined;
  };
}

/** When the next host is due, if the crawl does not wait for that. */
function nextDueAt(
  { registry, clock }: LocalEngine,
  { id, config, budget }: Crawl,
  once: boolean,
): number | undefined {
  if (!once && (config.keepTrying || isRecrawling(config))) return undefined;
  // A crawl that recrawls goes on when it has had its pages: what waits then is not fetched.
  const isFull = budget.metFinally()?.allowsRecrawl === true;
  const dueAt = registry.nextDueAt(id, clock.now(), isFull);
  return once || (dueAt !== undefined && registry.waitsForRefusalsOnly(id)) ? dueAt : undefined;
}

/** Counts the time since then as one in which the crawl has run. Returns it, in ms. */
function countActive({ registry, clock }: LocalEngine, crawl: CrawlId, since: number): number {
  const ms = clock.elapsed() - since;
  registry.addActiveMs(crawl, ms);
  return ms;
}

/**
 * Returns the function that reports a set clock of the machine, the end of the first pass, and pages that skip a time
 * of the crawl's schedule.
 */
function reporter(
  { registry, clock }: LocalEngine,
  { onClockStep, onLate }: LocalRunOptions,
  firstPass: FirstPassNotes,
) {
  const watch = new LateWatch();
  return async (crawl: Crawl | undefined): Promise<void> => {
    const step = clock.takeStep();
    if (step !== 0) onClockStep?.(step);
    if (crawl) await firstPass.look(crawl);
    if (crawl?.config.recrawlSchedule === undefined) return;
    const { recrawl = {} } = await registry.totals(crawl.id);
    const text = watch.look(crawl, recrawl.late ?? 0, clock.now());
    if (text !== undefined) onLate?.(text);
  };
}

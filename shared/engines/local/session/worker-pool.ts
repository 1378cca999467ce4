import type { Crawls } from '../../../crawler/crawl-state/crawls.ts';
import type { Fetcher } from '../../../crawler/ports/fetcher.ts';
import type { Accounts } from '../../../crawler/turn/access/accounts.ts';
import type { PageWork } from '../../../crawler/turn/page/page-work.ts';
import type { PageHooks } from '../../../crawler/turn/page-hooks.ts';
import type { OnSeed, OnSite } from '../../../crawler/turn/seed-events.ts';
import type { OnWorkEvent } from '../../../crawler/turn/work-events.ts';
import { startWorker } from '../../../crawler/worker/worker.ts';
import type { LocalEngine } from '../engine.ts';
import { type PoolStats, poolStats } from './pool-stats.ts';

/** The workers of a crawl: the one of this thread, or several threads. */
export interface WorkerPool {
  /** For the router and those who watch. */
  readonly crawls: Crawls;
  stats(): PoolStats;
  /** Resolves when all have stopped; rejects when the crawl cannot continue. */
  readonly done: Promise<void>;
}

export interface WorkerPoolOptions {
  /** Aborted to stop: turns commit what they have. */
  readonly signal: AbortSignal;
  /**
   * Called for turns that failed by an error of our own, and for threads that died. `where`: the host, or the
   * thread.
   */
  readonly onError?: (error: unknown, where: string) => void;
  /** Called when a seed was not fetched: at each failed try, and at the final state. */
  readonly onSeed?: OnSeed;
  readonly onSite?: OnSite;
  /** Called with each event, where somebody listens. */
  readonly onEvent?: OnWorkEvent | undefined;
}

export interface OwnWorkerPoolOptions extends WorkerPoolOptions {
  readonly maxHosts: number;
  readonly hooks?: PageHooks;
  readonly accounts?: Accounts | undefined;
  readonly work?: PageWork;
}

/** The worker of this thread. */
export function startOwnWorkerPool(
  engine: LocalEngine,
  fetcher: Fetcher,
  options: OwnWorkerPoolOptions,
): WorkerPool {
  const worker = startWorker(engine, () => fetcher, options);
  return { crawls: worker.crawls, stats: () => poolStats(worker.stats), done: worker.done };
}

import type { Crawls } from '../../../crawl-state/crawls.ts';
import type { Fetcher } from '../../../ports/fetcher.ts';
import type { PageHooks } from '../../../turn/page-hooks.ts';
import type { PageWork } from '../../../turn/page-work.ts';
import type { OnSeed } from '../../../turn/seed-events.ts';
import type { OnWorkEvent } from '../../../turn/work-events.ts';
import { startWorker } from '../../../worker/worker.ts';
import type { LocalEngine } from '../engine.ts';
import { type CrewStats, crewStats } from './crew-stats.ts';

/** What crawls: the worker of this thread, or those of several. */
export interface Crew {
  /** For the router and those who watch. */
  readonly crawls: Crawls;
  stats(): CrewStats;
  /** Resolves when all have stopped; rejects when the crawl cannot go on. */
  readonly done: Promise<void>;
}

export interface CrewOptions {
  /** Aborted to stop: turns commit what they have. */
  readonly signal: AbortSignal;
  /**
   * Called for turns that failed by an error of our own, and for threads that died. `where`: the host, or the
   * thread.
   */
  readonly onError?: (error: unknown, where: string) => void;
  /** Called when a seed was not fetched: at each try that fails, and at its end. */
  readonly onSeed?: OnSeed;
  /** Called with each event, where somebody listens. */
  readonly onEvent?: OnWorkEvent | undefined;
}

export interface OwnCrewOptions extends CrewOptions {
  readonly maxHosts: number;
  readonly hooks?: PageHooks;
  readonly work?: PageWork;
}

/** The worker of this thread. */
export function startOwnCrew(engine: LocalEngine, fetcher: Fetcher, options: OwnCrewOptions): Crew {
  const worker = startWorker(engine, () => fetcher, options);
  return { crawls: worker.crawls, stats: () => crewStats(worker.stats), done: worker.done };
}

import { countUrls } from '../../frontier/url-record.ts';
import type { Fetcher } from '../../ports.ts';
import type { Crawls } from '../../worker/crawls.ts';
import type { PageHooks } from '../../worker/page-hooks.ts';
import type { WorkerStats } from '../../worker/services.ts';
import { startWorker } from '../../worker/worker.ts';
import type { LocalEngine } from './engine.ts';

/** What has been done since the crew began, committed or not. JSON, as it goes from thread to thread. */
export interface CrewStats extends Omit<WorkerStats, 'open'> {
  /** What the turns under way have found and not committed: URLs, and of those the ones that wait. */
  readonly openUrls: number;
  readonly openWaiting: number;
}

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
  /** Hears of turns that failed by our own fault, and of threads that died. `where`: the host, or the thread. */
  readonly onError?: (error: unknown, where: string) => void;
}

export interface OwnCrewOptions extends CrewOptions {
  readonly maxHosts: number;
  readonly hooks?: PageHooks;
}

/** The worker of this thread. */
export function startOwnCrew(engine: LocalEngine, fetcher: Fetcher, options: OwnCrewOptions): Crew {
  const worker = startWorker(engine, () => fetcher, options);
  return { crawls: worker.crawls, stats: () => crewStats(worker.stats), done: worker.done };
}

export function crewStats({ open, ...stats }: WorkerStats): CrewStats {
  let openUrls = 0;
  let openWaiting = 0;
  for (const [ledger, begun] of open) {
    openUrls += countUrls(ledger.counts) - countUrls(begun);
    openWaiting += ledger.counts.waiting - begun.waiting;
  }
  return { ...stats, openUrls, openWaiting };
}

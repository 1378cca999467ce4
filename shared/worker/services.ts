import type { RecordOptions } from '../archive/capture.ts';
import type { HostLedger } from '../frontier/ledger.ts';
import type { Engine } from '../ports/engine.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Crawl, Crawls } from './crawls.ts';
import type { Lanes } from './lanes.ts';
import type { LedgerCache } from './ledger-cache.ts';
import type { Lock } from './lock.ts';
import type { PageHooks } from './page-hooks.ts';
import type { PageWork } from './page-work.ts';
import type { OnSeed } from './seed-events.ts';
import type { OnWorkEvent } from './work-events.ts';

/** What the turns of one worker share. */
export interface Services {
  readonly engine: Engine;
  readonly fetcherOf: (crawl: Crawl) => Fetcher;
  readonly crawls: Crawls;
  readonly ledgers: LedgerCache;
  readonly lanes: Lanes;
  /**
   * Held by a careful turn from before its fetch until it is committed: so at most one URL of a process is under
   * suspicion, and what dies with a worker that a page has killed is not blamed for it (`careful.ts`).
   */
  readonly suspicion: Lock;
  /** None: the project has no hooks. */
  readonly hooks?: PageHooks;
  /** Called when a seed was not fetched: at each try that fails, and at its end. */
  readonly onSeed?: OnSeed;
  /** None: nobody listens. */
  readonly onEvent?: OnWorkEvent;
  /** What the thread does right now, for a watchdog. */
  readonly work: PageWork;
  readonly stats: WorkerStats;
  /** How the worker's WARC records are made. */
  readonly records: RecordOptions;
  /** Aborted when the worker shall stop: turns end, and commit what they have. */
  readonly stopping: AbortSignal;
}

/** What a worker has done since it began, committed or not: for the live line. */
export interface WorkerStats {
  hostsActive: number;
  /** Ledgers of the turns under way, with their counts when those began: the difference is not committed yet. */
  readonly open: Map<HostLedger, HostLedger['counts']>;
  pages: number;
  bytes: number;
  requests: number;
  /** Responses to requests, of robots.txt too. */
  answers: number;
  errors: number;
  /** Exchanges that failed, by reason. */
  readonly failures: Record<string, number>;
  turns: number;
  /** Turns that were thrown away because another worker owned the host. */
  staleTurns: number;
}

export const newStats = (): WorkerStats => ({
  hostsActive: 0,
  open: new Map(),
  pages: 0,
  bytes: 0,
  requests: 0,
  answers: 0,
  errors: 0,
  failures: {},
  turns: 0,
  staleTurns: 0,
});

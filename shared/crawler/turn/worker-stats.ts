import type { HostLedger } from '../../core/frontier/ledger.ts';

/** The work of a worker since it began, committed or not: for the live line and for metrics. */
export interface WorkerStats {
  hostsActive: number;
  /**
   * Ledgers of the turns in progress, with their counts when those began: the difference is not committed
   * yet.
   */
  readonly open: Map<HostLedger, HostLedger['counts']>;
  pages: number;
  bytes: number;
  requests: number;
  /** Responses to requests, robots.txt included. */
  answers: number;
  /** Responses that the crawl's cache gave. They do not count as responses of the host. */
  cached: number;
  errors: number;
  /** Exchanges that failed, by reason. */
  readonly failures: Record<string, number>;
  /** Failures of a proxy in a row, and since when. */
  proxyFailures?: { readonly since: number; readonly count: number } | undefined;
  turns: number;
  /** Turns that were discarded because another worker owned the host. */
  staleTurns: number;
  /** Bytes of pages that the functions of hooks may still refer to (`visit-state.ts`). */
  heldBytes: number;
  /** Since then only suspicious hosts are served, or waited for, and no host is received. */
  quarantineSince?: number | undefined;
}

export const newStats = (): WorkerStats => ({
  hostsActive: 0,
  open: new Map(),
  pages: 0,
  bytes: 0,
  requests: 0,
  answers: 0,
  cached: 0,
  errors: 0,
  failures: {},
  turns: 0,
  staleTurns: 0,
  heldBytes: 0,
});

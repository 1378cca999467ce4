import { addCounts } from '../../../core/frontier/host-totals.ts';
import { countUrls } from '../../../core/frontier/url-record.ts';
import type { WorkerStats } from '../../../crawler/turn/worker-stats.ts';

/** The work done since the pool began, committed or not. JSON, as it goes from thread to thread. */
export interface PoolStats extends Omit<WorkerStats, 'open' | 'quarantineSince' | 'heldBytes'> {
  /** The URLs that the turns in progress have found and not committed, and those of them that wait. */
  readonly openUrls: number;
  readonly openWaiting: number;
}

export function poolStats({ open, quarantineSince: _, heldBytes: __, ...stats }: WorkerStats): PoolStats {
  let openUrls = 0;
  let openWaiting = 0;
  for (const [ledger, begun] of open) {
    openUrls += countUrls(ledger.counts) - countUrls(begun);
    openWaiting += ledger.counts.waiting - begun.waiting;
  }
  return { ...stats, openUrls, openWaiting };
}

/** Returns the figures that remain of a thread after its end. */
export const endedStats = (stats: PoolStats): PoolStats => ({
  ...stats,
  hostsActive: 0,
  openUrls: 0,
  openWaiting: 0,
});

export const addStats = (a: PoolStats, b: PoolStats): PoolStats => ({
  hostsActive: a.hostsActive + b.hostsActive,
  openUrls: a.openUrls + b.openUrls,
  openWaiting: a.openWaiting + b.openWaiting,
  pages: a.pages + b.pages,
  bytes: a.bytes + b.bytes,
  requests: a.requests + b.requests,
  answers: a.answers + b.answers,
  cached: a.cached + b.cached,
  errors: a.errors + b.errors,
  failures: addCounts(a.failures, b.failures),
  turns: a.turns + b.turns,
  staleTurns: a.staleTurns + b.staleTurns,
});

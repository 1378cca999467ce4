import type { HostLedger } from '../frontier/ledger.ts';
import type { TurnCounters } from './counters.ts';
import type { TurnCrawl } from './turn-crawl.ts';

export interface FullHostParts {
  readonly crawl: Pick<TurnCrawl, 'config'>;
  readonly ledger: Pick<HostLedger, 'counts' | 'waitingRequisites'>;
  readonly counters: TurnCounters;
}

/** Counts the URLs that wait because the host has had its `maxPagesPerHost` pages. For before the turn's commit. */
export function countAtFullHost({ crawl, ledger, counters }: FullHostParts): void {
  const urls = counters.isFull(crawl.config) ? ledger.counts.waiting - ledger.waitingRequisites : 0;
  if (urls > 0 || counters.totals.full !== undefined) counters.set('full', { urls, hosts: urls > 0 ? 1 : 0 });
}

import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { TurnCounters } from './counters.ts';

export interface WaitingPagesParts {
  readonly ledger: Pick<HostLedger, 'counts' | 'waitingRequisites'>;
  readonly counters: Pick<TurnCounters, 'totals' | 'set'>;
}

/**
 * Counts the pages of the host that wait because of a limit, if it `isMet`: not requisites, which are fetched all the same. For
 * before the turn's commit.
 */
export function countWaitingPages(
  map: 'overBudget' | 'full',
  isMet: boolean,
  { ledger, counters }: WaitingPagesParts,
): void {
  const urls = isMet ? ledger.counts.waiting - ledger.waitingRequisites : 0;
  if (urls > 0 || counters.totals[map] !== undefined) counters.set(map, { urls, hosts: urls > 0 ? 1 : 0 });
}

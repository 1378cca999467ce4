import { maxWaitMs, soonest } from '../../../core/frontier/clamp-times.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import type { TurnCounters } from '../counters.ts';
import type { LinkIntake } from '../links/link-intake.ts';
import type { HostPace } from '../pace/host-pace.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** Requisites of a host that rests for longer are not awaited. */
const MAX_AWAITED_MS = 900_000;

export interface RequisiteParts {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly intake: LinkIntake;
}

/**
 * Counts the requisites that wait, and those that the turn's pages have at other hosts. For before its
 * commit.
 */
export function countRequisites(turn: RequisiteParts, now: number): void {
  const { counters, ledger, intake } = turn;
  const { requisites } = counters.totals;
  let sent = requisites?.sent ?? 0;
  for (const { kind } of intake.outLinks.values()) if (kind === 'requisite') sent++;
  const waiting = ledger.waitingRequisites;
  if (requisites === undefined && waiting + sent === 0) return;
  counters.set('requisites', { waiting, sent, awaited: awaited(turn, now) });
}

/**
 * Requisites that the crawl waits for before it ends at its limit of pages. Requisites at a host that was given up do
 * not count.
 */
function awaited({ crawl, ledger, pace }: RequisiteParts, now: number): number {
  const dueAt = pace.givenUp === undefined ? ledger.nextDueAt(now, true) : undefined;
  if (dueAt === undefined) return 0;
  const from = Math.max(soonest(dueAt, now, maxWaitMs(crawl.config)), pace.nextFetchAt, now);
  const workAt = pace.allowedAt(from);
  return workAt - now <= MAX_AWAITED_MS ? ledger.waitingRequisites : 0;
}

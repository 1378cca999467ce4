import { isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import { longestBudgetWaitMs } from '../../core/crawl/domain-limits.ts';
import { latestOpening } from '../../core/crawl/host-hours.ts';
import type { Sites } from '../../core/crawl/sites.ts';
import { maxWaitMs, soonest } from '../../core/frontier/clamp-times.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import { MAX_WAIT_DAYS } from '../../core/recrawl/due-time.ts';
import { isCutShort, isDraining } from '../crawl-state/drain.ts';
import type { Engine } from '../ports/engine.ts';
import type { TurnCounters } from './counters.ts';
import type { DomainShare } from './links/domain-share.ts';
import type { HostPace } from './pace/host-pace.ts';
import { RETRY_HOST_MS, type RecrawlPlan } from './recrawl/recrawl-plan.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/**
 * A host that may be requested again within this time gets a token, and its group is parked until then ...
 */
export const MAX_PARK_MS = 900_000;
/**
 * ... unless it waits only for one of its URLs: new links should not have to wait with it for longer than
 * this.
 */
const MAX_PARK_FOR_URL_MS = 30_000;
/** The waker checks a host whose token has not come back this long after its time. */
const TOKEN_LOST_MS = 900_000;
/**
 * ... and after hosts that have only pages while no page is begun, after this: their commits must leave 20
 * minutes without any, by which a crawl with wrong counters ends (`isDrained`), and a limit that is not met
 * after all loses no day.
 */
const DRAINED_MS = 7_200_000;

/**
 * A head that says that its host is due later than at this time was written by a process whose clock was ahead. A host
 * with hours (`crawl/host-hours.ts`) is due when they begin next.
 */
export function lastDueAt(config: CrawlConfig, now: number, sites?: Pick<Sites, 'extremes'>): number {
  const overrides = [...config.overrides, ...(sites?.extremes ?? [])];
  const own = overrides.map((override) => maxWaitMs({ ...config, ...withoutUndefined(override) }));
  return latestOpening({ overrides }, now + maxDueMs(config, Math.max(maxWaitMs(config), ...own)));
}

/** How far ahead a host may be due, if it is not closed then. */
export const maxDueMs = (config: CrawlConfig, waitMs = maxWaitMs(config)): number =>
  DRAINED_MS +
  waitMs +
  (isRecrawling(config) ? (MAX_WAIT_DAYS + 1) * 86_400_000 : 0) +
  longestBudgetWaitMs(config);

const withoutUndefined = <T extends object>(settings: T): Partial<T> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<T>;

/** When and by what the host continues. */
export interface NextTurn {
  /** The turn gives its host a token for the next one. */
  readonly hasToken: boolean;
  /** When the waker must check the host; none: there is nothing to do. */
  readonly dueAt?: number;
  /** When the host may next be given to anybody. */
  readonly restUntil: number;
  /** When the next of its URLs is due, whatever the host waits for; Infinity: none is. */
  readonly urlDueAt: number;
}

export interface NextTurnParts {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly recrawl: RecrawlPlan;
  readonly share: Pick<DomainShare, 'outUntil'>;
}

/**
 * Plans the next turn. A crawl that was called finished, or limited, while links were on their way here runs
 * again.
 */
export async function planNextTurn(
  { registry, clock }: Pick<Engine, 'registry' | 'clock'>,
  turn: NextTurnParts,
): Promise<NextTurn> {
  const crawl = await turn.crawl.current();
  const next = nextTurn(turn, clock.now());
  const isRevived =
    crawl.status === 'finished'
      ? next.dueAt !== undefined
      : await isCutShort(registry, crawl, turn.counters.totals);
  if (!isRevived) return next;
  await crawl.revive();
  return nextTurn(turn, clock.now());
}

/**
 * Sets the crawl running again if it was called limited while the turn committed its head: those who called
 * it so did not know yet that requisites of the host are awaited.
 */
export async function reviveIfCutShort(
  { registry }: Pick<Engine, 'registry'>,
  { crawl, counters: { totals } }: Pick<NextTurnParts, 'crawl' | 'counters'>,
): Promise<void> {
  if (!isDraining(crawl) || (totals.requisites?.awaited ?? 0) === 0) return;
  if (await isCutShort(registry, await crawl.latest(), totals)) await crawl.revive();
}

function nextTurn({ crawl, ledger, counters, pace, recrawl, share }: NextTurnParts, now: number): NextTurn {
  const { nextFetchAt } = pace;
  // A host that was given up is not waited for: what it has left of its rest would only keep a crawl from its
  // end.
  if (pace.givenUp !== undefined)
    return {
      hasToken: false,
      ...(recrawl.isOn && { dueAt: now + RETRY_HOST_MS }),
      restUntil: Math.min(pace.gapUntil, nextFetchAt),
      urlDueAt: Number.POSITIVE_INFINITY,
    };
  const isFull = counters.isFull(crawl.config);
  const withoutPages = isFull || isDraining(crawl);
  const { outUntil } = withoutPages ? {} : share;
  const firstDueAt = ledger.nextDueAt(now, withoutPages || outUntil !== undefined);
  const laterDueAt = outUntil === undefined || ledger.nextDueAt(now) === undefined ? undefined : outUntil;
  const refetchDueAt = recrawl.isStarting ? now : recrawl.isOn ? ledger.refetchDueAt() : undefined;
  if (firstDueAt === undefined && refetchDueAt === undefined && laterDueAt === undefined) {
    // URLs wait only while the crawl fetches no pages any more: for when it is resumed, which wakes all hosts; and should one be
    // left out.
    const isDue = !isFull && ledger.nextDueAt(now) !== undefined;
    return {
      hasToken: false,
      ...(isDue && { dueAt: now + DRAINED_MS }),
      restUntil: nextFetchAt,
      urlDueAt: Number.POSITIVE_INFINITY,
    };
  }
  const urlDueAt = Math.min(
    firstDueAt === undefined ? Number.POSITIVE_INFINITY : soonest(firstDueAt, now, maxWaitMs(crawl.config)),
    refetchDueAt === undefined
      ? Number.POSITIVE_INFINITY
      : soonest(refetchDueAt, now, maxDueMs(crawl.config)),
    laterDueAt ?? Number.POSITIVE_INFINITY,
  );
  const workAt = pace.allowedAt(Math.max(urlDueAt, now));
  // A time that is further ahead would count as that of a wrong clock.
  const lookAt = pace.wait?.for === 'refusal' ? Math.min(workAt, now + DRAINED_MS) : workAt;
  // Due, for when the crawl is resumed; but no turn until then. So a status that is some seconds old loses
  // nothing.
  if (crawl.status !== 'running' || (crawl.budget.metLimit() !== undefined && !isDraining(crawl)))
    return { hasToken: false, dueAt: lookAt, restUntil: nextFetchAt, urlDueAt };
  if (pace.accountUntil !== undefined)
    return {
      hasToken: false,
      dueAt: Math.min(Math.max(workAt, pace.accountUntil), now + DRAINED_MS),
      restUntil: nextFetchAt,
      urlDueAt,
    };
  const isParked = workAt - Math.max(nextFetchAt, now) <= MAX_PARK_FOR_URL_MS && workAt - now <= MAX_PARK_MS;
  return isParked
    ? { hasToken: true, dueAt: workAt + TOKEN_LOST_MS, restUntil: workAt, urlDueAt }
    : { hasToken: false, dueAt: lookAt, restUntil: nextFetchAt, urlDueAt };
}

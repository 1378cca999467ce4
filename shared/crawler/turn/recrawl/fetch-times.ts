import { mixHash } from '../../../core/base/mix-hash.ts';
import { isRecrawling } from '../../../core/crawl/config.ts';
import { parseSchedule, type Schedule } from '../../../core/crawl/schedule.ts';
import { budgetPerDay, knownPages } from '../../../core/frontier/recrawl-budget.ts';
import type { RecrawlState, UrlRecord } from '../../../core/frontier/url-record.ts';
import { curveOf, priceFor } from '../../../core/recrawl/demand-curve.ts';
import {
  daysUntilDue,
  firstIntervalDays,
  MAX_WAIT_DAYS,
  type RefetchOutcome,
} from '../../../core/recrawl/due-time.ts';
import { fetchIntervalDays, MIN_INTERVAL_DAYS, NEARLY } from '../../../core/recrawl/fetch-interval.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';
import type { HintWatch } from '../page/hint-watch.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { type HostDemand, objectiveOf, pageValueOf } from './host-demand.ts';

const DAY_MS = 86_400_000;
/** Clocks of several machines may differ by this. */
const CLOCK_SLACK_MS = 60_000;
/** A page that is to be tried after a week is tried at the time of the schedule that is a week later, not at the next. */
const SOONER = 0.9;

/** Whether the page was fetched, or its next fetch planned, by a clock that was ahead: it would wait until that time. */
export const isOfClockAhead = ({ result, dueAt }: UrlRecord, now: number): boolean =>
  (result?.fetchedAt ?? 0) - now > CLOCK_SLACK_MS || dueAt - now > (MAX_WAIT_DAYS + 1) * DAY_MS;

/**
 * When the pages of a host are fetched again: by the price of a fetch, one number for the whole crawl that follows from
 * the demand of all its pages (docs/recrawl-policy.md), after a fixed time, or at the times of a schedule.
 */
export class FetchTimes {
  readonly #engine: Pick<TurnServices['engine'], 'registry'>;
  readonly #crawl: TurnCrawl;
  readonly #demand: HostDemand;
  readonly #hints: HintWatch;
  #price = 0;
  #schedule: Schedule | undefined;
  /** As above, with a cache of its own. */
  #timeAfter: Schedule | undefined;
  /** In this time all known pages can be fetched once. */
  #roundDays = 1;

  constructor(
    engine: Pick<TurnServices['engine'], 'registry'>,
    crawl: TurnCrawl,
    { demand, hints }: { readonly demand: HostDemand; readonly hints: HintWatch },
  ) {
    this.#engine = engine;
    this.#crawl = crawl;
    this.#demand = demand;
    this.#hints = hints;
  }

  /** Finds the price by which this turn decides. */
  async load(): Promise<void> {
    const crawl = this.#crawl;
    const { recrawlSchedule, recrawlTimeZone = 'UTC' } = crawl.config;
    if (recrawlSchedule !== undefined) {
      const schedule = parseSchedule(recrawlSchedule, recrawlTimeZone);
      this.#schedule = remembered(schedule);
      this.#timeAfter = remembered(schedule);
    }
    if (objectiveOf(crawl.config) === undefined) return;
    const { registry } = this.#engine;
    const { demand, urls } = registry.isShared ? crawl.budget.used() : await registry.totals(crawl.id);
    const perDay = budgetPerDay(crawl.config, urls);
    this.#roundDays = Math.max(1, knownPages(urls) / perDay);
    this.#price = this.#demand.priceAt(priceFor(curveOf(demand), perDay));
  }

  /** Whether a URL that is due is worth a fetch by the price as it is now, or by its fixed interval. */
  isWorthFetch(record: UrlRecord, now: number): boolean {
    const { state, result, recrawl, dueAt } = record;
    if (state !== 'fetched' || !result || !recrawl || dueAt === 0) return true;
    if (isOfClockAhead(record, now)) return true;
    if (this.#schedule) return (this.#schedule.next(result.fetchedAt) ?? Number.POSITIVE_INFINITY) <= now;
    return (now - result.fetchedAt) / DAY_MS >= NEARLY * this.#waitDays(record, recrawl);
  }

  /**
   * When the pass over the host's pages begins that follows one begun at `since`; `at` undefined: there is none.
   * `isPartial`: a pass does not fetch all pages, as each has an interval of its own.
   */
  nextPassAt(since: number): { readonly at: number | undefined; readonly isPartial: boolean } {
    const { recrawlEveryMs } = this.#crawl.config;
    if (!isRecrawling(this.#crawl.config)) return { at: undefined, isPartial: false };
    if (this.#schedule) return { at: this.#schedule.next(since), isPartial: false };
    return { at: since + (recrawlEveryMs ?? DAY_MS), isPartial: recrawlEveryMs === undefined };
  }

  /** The record of a URL that is due and not worth its fetch: due when it will be, or looked at again. */
  putOff(record: UrlRecord, now: number): UrlRecord {
    const { result, recrawl } = record;
    const days = recrawl ? this.#waitDays(record, recrawl) : 1;
    const waited = result ? (now - result.fetchedAt) / DAY_MS : 0;
    return this.dueIn(record, { kind: 'fetched' }, Math.max(0, days - waited), now);
  }

  /** The record of a URL that was due and could not be fetched: looked at again after a day. */
  postpone(record: UrlRecord, now: number): UrlRecord {
    return { ...record, dueAt: this.#schedule ? this.#scheduledAfter(now) : now + DAY_MS };
  }

  /**
   * When a page is due that was fetched while the crawl did not recrawl: within the first round, at a time by its hash, so
   * that the round keeps to the budget.
   */
  firstDueAt(url: string, now: number): number {
    if (this.#schedule) return this.#scheduledAfter(now);
    const { recrawlEveryMs } = this.#crawl.config;
    const days = recrawlEveryMs === undefined ? this.#roundDays : recrawlEveryMs / DAY_MS;
    const part = mixHash(hashOfUrl(url)) / 2 ** 32;
    return Math.ceil((now + Math.min(days, MAX_WAIT_DAYS) * part * DAY_MS) / 1000) * 1000;
  }

  /** The days between two fetches of a page. */
  intervalDays(record: UrlRecord, recrawl: RecrawlState): number {
    const { config } = this.#crawl;
    const objective = objectiveOf(config);
    const time = this.#schedule?.next(record.result?.fetchedAt ?? 0);
    if (time !== undefined) return ((this.#timeAfter?.next(time) ?? time + DAY_MS) - time) / DAY_MS;
    if (objective === undefined) return (config.recrawlEveryMs ?? DAY_MS) / DAY_MS;
    const days = fetchIntervalDays(objective, pageValueOf(config, record, recrawl), this.#price);
    // Pages of a site that were never fetched again have one interval, and would come in a wave.
    return recrawl.history === 0 ? firstIntervalDays(days, mixHash(hashOfUrl(record.url))) : days;
  }

  /** The days from a page's last fetch to its next one: its interval, without those that hints make it older. */
  #waitDays(record: UrlRecord, recrawl: RecrawlState): number {
    const days = this.intervalDays(record, recrawl);
    const hinted = objectiveOf(this.#crawl.config) ? this.#hints.daysOf(recrawl) : 0;
    return Math.min(days, Math.max(MIN_INTERVAL_DAYS, days - hinted));
  }

  /**
   * The record of a page whose next fetch follows `days` after the one at `from`, or by the outcome of that. Due times are whole seconds, as the
   * lists of a ledger keep them.
   */
  dueIn(record: UrlRecord, outcome: RefetchOutcome, days: number, from: number): UrlRecord {
    const until = daysUntilDue(outcome, days);
    if (until === undefined) return { ...record, dueAt: 0 };
    if (this.#schedule) return { ...record, dueAt: this.#scheduledAfter(from, outcome, until) };
    return { ...record, dueAt: Math.ceil((from + until * DAY_MS) / 1000) * 1000 };
  }

  /**
   * The next time of the schedule; for a page that has failed again or is not there, the first one after about as many
   * days. 0: none.
   */
  #scheduledAfter(from: number, outcome?: RefetchOutcome, days = 0): number {
    const isNext =
      outcome === undefined ||
      outcome.kind === 'fetched' ||
      (outcome.kind === 'failed' && outcome.failures <= 1);
    const next = this.#schedule?.next(isNext ? from : from + SOONER * days * DAY_MS);
    return next === undefined ? 0 : Math.min(next, Math.ceil(from / 1000) * 1000 + MAX_WAIT_DAYS * DAY_MS);
  }

  /** Whether the page waited for one time of the schedule until the next one came, which it skips. */
  isLate({ state }: UrlRecord, fetchedBefore: number, now: number): boolean {
    const time = state === 'fetched' ? this.#schedule?.next(fetchedBefore) : undefined;
    return time !== undefined && (this.#timeAfter?.next(time) ?? Number.POSITIVE_INFINITY) <= now;
  }
}

/** Most pages of a turn are fetched between the same two times. */
function remembered(schedule: Schedule): Schedule {
  let from = Number.POSITIVE_INFINITY;
  let until: number | undefined;
  return {
    next(at) {
      if (at < from || at >= (until ?? 0)) [from, until] = [at, schedule.next(at)];
      return until;
    },
  };
}

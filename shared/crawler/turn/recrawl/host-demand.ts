import type { HostConfig } from '../../../core/crawl/config.ts';
import { allowedShare } from '../../../core/crawl/host-hours.ts';
import { importanceOf } from '../../../core/frontier/importance-of.ts';
import { isRefetch, type RecrawlState, type UrlRecord } from '../../../core/frontier/url-record.ts';
import { rateOfCode } from '../../../core/recrawl/change-rate.ts';
import {
  addDemand,
  capDemand,
  type DemandCurve,
  demandOf,
  hostPrice,
  NO_DEMAND,
  PRICES,
  perDayOf,
  subtractDemand,
  UNITS,
} from '../../../core/recrawl/demand-curve.ts';
import type { PageValue, RecrawlObjective } from '../../../core/recrawl/fetch-interval.ts';
import type { TurnCounters } from '../counters.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

const DAY_MS = 86_400_000;
/** The share of a host's requests that its known pages may have. */
const HOST_SHARE = 0.8;

/** Returns by what the crawl chooses pages to fetch again; undefined: it fetches each once, or at fixed times. */
export function objectiveOf({
  recrawl,
  recrawlEveryMs,
  recrawlSchedule,
}: Pick<HostConfig, 'recrawl' | 'recrawlEveryMs' | 'recrawlSchedule'>): RecrawlObjective | undefined {
  const isFixed = recrawlEveryMs !== undefined || recrawlSchedule !== undefined;
  return recrawl === 'off' || isFixed ? undefined : recrawl;
}

export function pageValueOf(
  { importance }: Pick<HostConfig, 'importance'>,
  record: UrlRecord,
  { rate }: RecrawlState,
): PageValue {
  return { importance: importance * importanceOf(record), changeRate: rateOfCode(rate) };
}

/**
 * How many fetches a day the known pages of a host are worth at each price of a fetch. The demand of all hosts gives
 * the price of the crawl (docs/recrawl-policy.md).
 */
export class HostDemand {
  readonly #crawl: TurnCrawl;
  readonly #counters: TurnCounters;
  /** In {@link UNITS}. */
  #curve: DemandCurve;

  constructor(crawl: TurnCrawl, counters: TurnCounters, stored: readonly number[] | undefined) {
    this.#crawl = crawl;
    this.#counters = counters;
    this.#curve = PRICES.map((_, i) => stored?.[i] ?? 0);
  }

  /** As it stands in the host's head. */
  get curve(): DemandCurve {
    return this.#curve;
  }

  /** The host's own price, at the crawl's `price`: higher if its pace allows fewer fetches than its pages are worth. */
  priceAt(price: number): number {
    return hostPrice(price, perDayOf(this.#curve), this.#possiblePerDay);
  }

  /** Counts the demand of a page whose record was replaced. */
  replace(before: UrlRecord | undefined, after: UrlRecord): void {
    const objective = objectiveOf(this.#crawl.config);
    if (objective === undefined || (before?.recrawl === undefined && after.recrawl === undefined)) return;
    const removed = before ? this.#demandOf(objective, before) : NO_DEMAND;
    const added = this.#demandOf(objective, after);
    this.#curve = addDemand(subtractDemand(this.#curve, removed), added);
    const possible = capDemand(this.#curve, UNITS * this.#possiblePerDay).map(Math.round);
    this.#counters.set('demand', Object.fromEntries(possible.map((value, i) => [i, value])));
  }

  /** Fetches of known pages that the host's pace allows, per day. */
  get #possiblePerDay(): number {
    const { config } = this.#crawl;
    const perDay = (config.perHost * DAY_MS) / Math.max(1, config.delayMs);
    return HOST_SHARE * allowedShare(config) * perDay;
  }

  /** In {@link UNITS}, whole. */
  #demandOf(objective: RecrawlObjective, record: UrlRecord): DemandCurve {
    const { recrawl } = record;
    if (!recrawl || !isRefetch(record) || record.state === 'gone') return NO_DEMAND;
    const value = pageValueOf(this.#crawl.config, record, recrawl);
    return demandOf(objective, value).map((perDay) => Math.round(UNITS * perDay));
  }
}

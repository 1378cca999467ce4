/**
 * How fresh a crawl keeps its copies, as `strand report --changes` shows it: estimated from the results of its fetches.
 */
import { isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlConfig } from '../../core/crawl/crawl-options.ts';
import type { Head } from '../../core/frontier/head.ts';
import { importanceOf } from '../../core/frontier/importance-of.ts';
import { budgetPerDay } from '../../core/frontier/recrawl-budget.ts';
import { isRefetch, type RecrawlState, type UrlRecord } from '../../core/frontier/url-record.ts';
import { unpackHistory } from '../../core/recrawl/change-history.ts';
import { rateOfCode } from '../../core/recrawl/change-rate.ts';
import {
  addDemand,
  curveOf,
  type DemandCurve,
  demandAt,
  NO_DEMAND,
  priceFor,
} from '../../core/recrawl/demand-curve.ts';
import { hintCountsOf, hintTrust } from '../../core/recrawl/hints.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { templateOf } from '../../core/url/template-of.ts';
import { createTop } from './report-top.ts';
import type { CrawlSummary } from './summary.ts';

export interface FreshnessReport {
  /** Pages that have a copy and are fetched again. */
  readonly pages: number;
  /** The estimated share of them whose copy is up to date at this moment: the mean of e^(-rate x time since the fetch). */
  readonly freshShare: number;
  /** As above, each page weighted by its importance. */
  readonly weightedFreshShare: number;
  /** The estimated mean age of copies: days since the first change that is not seen yet; 0 of one that is up to date. */
  readonly meanAgeDays: number;
  /** The estimated number of changes of all pages in a day. */
  readonly changesPerDay: number;
  /** Pages by the time since their last fetch, in {@link BANDS}. */
  readonly sinceFetch: readonly Band[];
  /** Pages by the time between two changes, as estimated. */
  readonly betweenChanges: readonly Band[];
  /** The page that was fetched longest ago. */
  readonly oldest?: { readonly url: string; readonly days: number };
  /** Known pages that were fetched again in the last 24 hours, each once. */
  readonly refetchedLastDay: number;
  /** Pages that are due at this moment. */
  readonly due: number;
  /** Only of a crawl that goes by a price. */
  readonly byPrice?: PriceReport;
  /** The hosts with the most changes in a day, all pages together. */
  readonly templates: readonly TemplateRow[];
  /** Hosts with hints (`lastmod`, dates of feeds), those with the most fetches first. */
  readonly hints: readonly HintRow[];
}

/** Pages of which a time is shorter than `upToHours` and not shorter than that of the band before. */
export interface Band {
  /** Absent: any longer time. */
  readonly upToHours?: number;
  readonly pages: number;
  /** The estimated number of them whose copy is up to date. */
  readonly freshPages: number;
}

/** Upper edges of the bands, in hours: an hour to 60 days. */
const BANDS = [1, 6, 24, 72, 168, 336, 672, 1440, Number.POSITIVE_INFINITY] as const;

interface PriceReport {
  readonly objective: 'changes' | 'freshness';
  /** Fetches of known pages a day. */
  readonly budgetPerDay: number;
  /** The price of a fetch at which the pages are worth the budget. */
  readonly price: number;
  /** Fetches a day that the pages are worth at this price, limited by the hosts' pace. */
  readonly plannedPerDay: number;
}

export interface TemplateRow {
  readonly host: HostKey;
  /** With digits as 0, without the host. */
  readonly template: string;
  readonly pages: number;
  readonly changesPerDay: number;
  /** The estimated share of its copies that are up to date. */
  readonly freshShare: number;
  /** Fetches that found a change; old ones count less. */
  readonly seenChanges: number;
}

export interface HintRow {
  readonly host: HostKey;
  /** The probability that a hint shows a change which would not have been expected anyway. */
  readonly precision: number;
  /** The share of changes that are hinted at. */
  readonly recall: number;
  readonly hintedFetches: number;
}

const DAY_MS = 86_400_000;
const ROWS = 20;
/** Templates of one host that are counted by themselves; pages of further ones are counted together. */
const MAX_TEMPLATES = 5000;
const OTHER = 'other templates';

interface Sums {
  pages: number;
  rate: number;
  fresh: number;
  seen: number;
}

/** Adds host by host. Its memory does not grow with hosts or URLs. */
export class Freshness {
  readonly #now: number;
  readonly #sinceFetch = createBands();
  readonly #betweenChanges = createBands();
  readonly #templates = createTop<TemplateRow>(ROWS, ({ changesPerDay }) => changesPerDay);
  readonly #hints = createTop<HintRow>(ROWS, ({ hintedFetches }) => hintedFetches);
  readonly #sums = { pages: 0, fresh: 0, weight: 0, weightedFresh: 0, age: 0, rate: 0, lastDay: 0, due: 0 };
  #oldest: FreshnessReport['oldest'];
  #demand: DemandCurve = NO_DEMAND;
  #ofHost = new Map<string, Sums>();

  constructor(now: number) {
    this.#now = now;
  }

  /** `importance`: the factor that the crawl's settings give to the host's pages. */
  add(record: UrlRecord, importance = 1): void {
    const { state, result, recrawl, kind, dueAt } = record;
    if (!result || !recrawl || !isRefetch(record)) return;
    const days = Math.max(0, this.#now - result.fetchedAt) / DAY_MS;
    if (recrawl.history !== 0 && days < 1) this.#sums.lastDay++;
    if (dueAt <= this.#now) this.#sums.due++;
    if (state === 'fetched' && kind === undefined) this.#addCopy(record, { ...recrawl, days, importance });
  }

  #addCopy(
    record: UrlRecord,
    {
      rate: code,
      history,
      days,
      importance,
    }: RecrawlState & { readonly days: number; readonly importance: number },
  ): void {
    const { url } = record;
    const rate = rateOfCode(code);
    const fresh = Math.exp(-rate * days);
    const weight = importance * importanceOf(record);
    const sums = this.#sums;
    sums.pages++;
    sums.fresh += fresh;
    sums.weight += weight;
    sums.weightedFresh += weight * fresh;
    // The first change comes after an exponential time: its expected age is t - (1 - e^-rt) / r.
    sums.age += days + Math.expm1(-rate * days) / rate;
    sums.rate += rate;
    this.#sinceFetch.add(24 * days, fresh);
    this.#betweenChanges.add(24 / rate, fresh);
    if (days > (this.#oldest?.days ?? 0)) this.#oldest = { url, days };
    addTo(this.#ofHost, templateOf(url), { pages: 1, rate, fresh, seen: unpackHistory(history).changes });
  }

  /** Ends a host, whose records were added. */
  endHost(host: HostKey, { recrawl, totals }: Head): void {
    this.#demand = addDemand(this.#demand, curveOf(totals.demand));
    for (const [template, { pages, rate, fresh, seen }] of this.#ofHost)
      this.#templates.add({
        host,
        template: template.replace(/^https?:\/\/[^/]*/, ''),
        pages,
        changesPerDay: rate,
        freshShare: fresh / pages,
        seenChanges: Math.round(seen),
      });
    this.#ofHost = new Map();
    const counts = hintCountsOf(recrawl?.hints);
    const hintedFetches = Math.round(counts.hintedChanged + counts.hintedUnchanged);
    this.#hints.add({ host, ...hintTrust(counts), hintedFetches });
  }

  /** Undefined of a crawl that does not recrawl, or has no copies yet. */
  report(config: CrawlConfig | undefined, byStatus: CrawlSummary['byStatus']): FreshnessReport | undefined {
    const { pages, fresh, weight, weightedFresh, age, rate, lastDay, due } = this.#sums;
    if (!config || !isRecrawling(config) || pages === 0) return undefined;
    return {
      pages,
      freshShare: fresh / pages,
      weightedFreshShare: weightedFresh / weight,
      meanAgeDays: age / pages,
      changesPerDay: rate,
      sinceFetch: this.#sinceFetch.bands(),
      betweenChanges: this.#betweenChanges.bands(),
      ...(this.#oldest && { oldest: this.#oldest }),
      refetchedLastDay: lastDay,
      due,
      ...priceReport(config, byStatus, this.#demand),
      templates: this.#templates.values(),
      hints: this.#hints.values(),
    };
  }
}

function priceReport(
  config: CrawlConfig,
  byStatus: CrawlSummary['byStatus'],
  curve: DemandCurve,
): { byPrice: PriceReport } | undefined {
  const { recrawl, recrawlEveryMs, recrawlSchedule } = config;
  if (recrawl === 'off' || recrawlEveryMs !== undefined || recrawlSchedule !== undefined) return undefined;
  const perDay = budgetPerDay(config, byStatus);
  const price = priceFor(curve, perDay);
  return {
    byPrice: { objective: recrawl, budgetPerDay: perDay, price, plannedPerDay: demandAt(curve, price) },
  };
}

function addTo(sums: Map<string, Sums>, template: string, added: Sums): void {
  const key = sums.has(template) || sums.size < MAX_TEMPLATES ? template : OTHER;
  const { pages, rate, fresh, seen } = sums.get(key) ?? { pages: 0, rate: 0, fresh: 0, seen: 0 };
  sums.set(key, {
    pages: pages + added.pages,
    rate: rate + added.rate,
    fresh: fresh + added.fresh,
    seen: seen + added.seen,
  });
}

function createBands() {
  const counts = BANDS.map(() => ({ pages: 0, freshPages: 0 }));
  return {
    add(hours: number, fresh: number): void {
      const band = counts[BANDS.findIndex((edge) => hours < edge)];
      if (!band) return;
      band.pages++;
      band.freshPages += fresh;
    },
    bands: (): Band[] =>
      counts.map((band, n) => {
        const upToHours = BANDS[n] as number;
        return { ...(Number.isFinite(upToHours) && { upToHours }), ...band };
      }),
  };
}

/**
 * The policy of Strand through its own code: packed histories, learned rates, the price of the demand curves, and
 * a price of its own for each host that politeness limits.
 */
import { mixHash } from '../../../shared/core/base/mix-hash.ts';
import { observePacked, unpackHistory } from '../../../shared/core/recrawl/change-history.ts';
import { changeRate, EMPTY_POOL, observePool, priorRate } from '../../../shared/core/recrawl/change-rate.ts';
import {
  addDemand,
  capDemand,
  type DemandCurve,
  demandOf,
  hostPrice,
  NO_DEMAND,
  priceFor,
  subtractDemand,
} from '../../../shared/core/recrawl/demand-curve.ts';
import { daysUntilDue, firstIntervalDays } from '../../../shared/core/recrawl/due-time.ts';
import {
  fetchIntervalDays,
  NEARLY,
  type PageValue,
  type RecrawlObjective,
} from '../../../shared/core/recrawl/fetch-interval.ts';
import { createTemplatePools } from '../../../shared/core/recrawl/template-pools.ts';
import type { ChangingWeb } from './changing-web.ts';
import { knownValue } from './known-rates.ts';
import { createLeastFirst } from './least-first.ts';
import { createMeter, type Scores } from './meter.ts';

export interface Host {
  readonly pages: readonly number[];
  /** Fetches per day that its crawl delay allows. */
  readonly perDay: number;
}

export interface PolicyOptions {
  readonly objective: RecrawlObjective;
  /** The budget of the crawl. */
  readonly perDay: number;
  /** Default: one host without a limit. */
  readonly hosts?: readonly Host[];
  /** Rates are known, not learned. */
  readonly isKnown?: boolean;
  /** Limited hosts queue their pages by due time, at the crawl's price. */
  readonly isOnePrice?: boolean;
  /** The template of each page, whose rate is the prior of its pages. None: that of the host. */
  readonly templateOf?: ((page: number) => number) | undefined;
  /** A fixed price in place of the one that meets the budget. */
  readonly price?: number;
  /** Changes that are seen at a fetch. Default: those that there are. */
  readonly seenChange?: ((page: number, hasChanged: boolean) => boolean) | undefined;
}

export interface PolicyRun extends Scores {
  /** The last price. */
  readonly price: number;
}

/** A price is broadcast this often, in days: each half an hour. */
const PRICE_EACH = 1 / 48;

export function runPolicy(web: ChangingWeb, options: PolicyOptions): PolicyRun {
  const { objective, perDay, seenChange = (_, hasChanged) => hasChanged } = options;
  const meter = createMeter(web);
  const hosts = hostsOf(web, options).map((host) => ({
    ...host,
    rates: createRates(web, host.pages, options),
    due: createLeastFirst(),
    freeAt: 0,
    price: 0,
  }));
  const order = createLeastFirst();
  let price = 0;
  const setPrices = (): void => {
    const demand = hosts.map(({ rates, perDay: most }) => capDemand(rates.demand(), most)).reduce(addDemand);
    price = options.price ?? priceFor(demand, perDay);
    for (const host of hosts)
      host.price = options.isOnePrice ? price : hostPrice(price, host.rates.demand(), host.perDay);
  };
  setPrices();
  hosts.forEach((host, index) => {
    for (const page of host.pages) {
      const days = fetchIntervalDays(objective, host.rates.valueOf(page), host.price);
      host.due.push(firstIntervalDays(days, mixHash(page)), page);
    }
    order.push(host.due.leastKey(), index);
  });
  for (let nextPriceAt = PRICE_EACH; order.leastKey() < web.days; ) {
    const now = order.leastKey();
    const index = order.pop();
    const host = hosts[index] as (typeof hosts)[number];
    if (now >= nextPriceAt) {
      setPrices();
      nextPriceAt = now + PRICE_EACH;
    }
    const page = host.due.pop();
    const days = meter.daysSince(page, now);
    let value = host.rates.valueOf(page);
    let waited = days;
    if (days >= NEARLY * fetchIntervalDays(objective, value, host.price)) {
      const hasChanged = seenChange(page, meter.fetch(page, now));
      value = host.rates.observe(page, { days, hasChanged, now });
      host.freeAt = now + 1 / host.perDay;
      waited = 0;
    }
    const interval = fetchIntervalDays(objective, value, host.price);
    host.due.push(now + (daysUntilDue({ kind: 'fetched' }, interval - waited) as number), page);
    order.push(Math.max(host.freeAt, host.due.leastKey()), index);
  }
  return { ...meter.scores(), price };
}

const hostsOf = ({ pages }: ChangingWeb, { hosts }: PolicyOptions): readonly Host[] =>
  hosts ?? [{ pages: Array.from({ length: pages }, (_, page) => page), perDay: Number.POSITIVE_INFINITY }];

interface Observation {
  readonly days: number;
  readonly hasChanged: boolean;
  readonly now: number;
}

/** The rates of a host's pages, and their demand. */
function createRates(web: ChangingWeb, pages: readonly number[], options: PolicyOptions) {
  const { objective, isKnown, templateOf } = options;
  const templates = createTemplatePools();
  const known = new Map<number, { packed: number; value: PageValue; demand: DemandCurve }>();
  let pool = EMPTY_POOL;
  let sum = NO_DEMAND;
  const priorOf = (page: number): number =>
    templateOf ? priorRate(pool, templates.of(templateOf(page)) ?? EMPTY_POOL) : priorRate(pool);
  const valueWith = (page: number, packed: number): PageValue =>
    isKnown
      ? knownValue(web, page)
      : { ...knownValue(web, page), changeRate: changeRate(unpackHistory(packed), priorOf(page)) };
  const add = (page: number, packed: number): PageValue => {
    const value = valueWith(page, packed);
    const demand = demandOf(objective, value);
    known.set(page, { packed, value, demand });
    sum = addDemand(sum, demand);
    return value;
  };
  for (const page of pages) add(page, 0);
  const get = (page: number) => known.get(page) as { packed: number; value: PageValue; demand: DemandCurve };
  return {
    valueOf: (page: number): PageValue => get(page).value,
    demand: (): DemandCurve => sum,
    observe(page: number, { days, hasChanged, now }: Observation): PageValue {
      const { packed, demand, value } = get(page);
      if (isKnown) return value;
      pool = observePool(pool, days, hasChanged);
      if (templateOf) templates.observe(templateOf(page), days, hasChanged);
      sum = subtractDemand(sum, demand);
      return add(
        page,
        observePacked(packed, days, hasChanged, mixHash(mixHash(page) + Math.floor(now * 86_400))),
      );
    },
  };
}

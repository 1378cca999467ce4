/**
 * The demand of a set of pages: how many fetches per day they are worth at each of 18 prices. Curves add up, so
 * each host keeps that of its pages and the crawl has their sum. The price at which the sum meets the budget is
 * then broadcast to all hosts. No central queue, no pass over all pages, and no feedback that could oscillate.
 */
import { fetchIntervalDays, type PageValue, type RecrawlObjective } from './fetch-interval.ts';

/** The prices of a curve, growing: 0.0001, 0.0004, ... 1,717,986.9. */
export const PRICES: readonly number[] = Array.from({ length: 18 }, (_, k) => 1e-4 * 4 ** k);

/** Fetches per day at each of {@link PRICES}. Not growing. */
export type DemandCurve = readonly number[];

export const NO_DEMAND: DemandCurve = PRICES.map(() => 0);

/** Returns the demand of one page. About 3 µs. */
export const demandOf = (objective: RecrawlObjective, page: PageValue): DemandCurve =>
  PRICES.map((price) => 1 / fetchIntervalDays(objective, page, price));

export const addDemand = (a: DemandCurve, b: DemandCurve): DemandCurve =>
  a.map((value, k) => value + (b[k] as number));

/**
 * `a` without `b`, which must have been added before exactly. A page's rate depends on the prior rate, too: keep
 * the prior with which a host's curve was summed until the curve is summed again. Never negative, as sums of
 * rounded numbers may be.
 */
export const subtractDemand = (a: DemandCurve, b: DemandCurve): DemandCurve =>
  a.map((value, k) => Math.max(0, value - (b[k] as number)));

/**
 * Returns the part of a host's demand that politeness allows: the host adds this part to the crawl's curve. Otherwise
 * the crawl's price would include fetches that cannot be made, and part of the budget unused.
 *
 * @param perDay Fetches per day for recrawls that the host's crawl delay leaves.
 */
export const capDemand = (curve: DemandCurve, perDay: number): DemandCurve =>
  curve.map((demand) => Math.min(demand, perDay));

/**
 * Returns the price at which the demand is `perDay` fetches, by interpolation on logarithmic scales. Between two
 * prices of the curve the demand is nearly a power of the price: measured, the budget is met within 1 %. The lowest
 * price if the pages are not worth that number at any; above the highest one, demand is taken to fall as 1 / price.
 */
export function priceFor(curve: DemandCurve, perDay: number): number {
  const above = curve.findLastIndex((demand) => demand > perDay);
  if (above < 0) return PRICES[0] as number;
  const [price, demand] = [PRICES[above] as number, curve[above] as number];
  if (above === PRICES.length - 1) return price * (demand / Math.max(perDay, TINY));
  const part = Math.log(demand / perDay) / Math.log(demand / Math.max(curve[above + 1] as number, TINY));
  return price * STEP ** Math.min(1, part);
}

/** Returns the fetches per day at `price`, by the same interpolation. */
export function demandAt(curve: DemandCurve, price: number): number {
  const at = Math.log(price / (PRICES[0] as number)) / Math.log(STEP);
  if (at <= 0) return curve[0] as number;
  const last = PRICES.length - 1;
  if (at >= last) return (curve[last] as number) * ((PRICES[last] as number) / price);
  const below = Math.floor(at);
  const [high, low] = [curve[below] as number, curve[below + 1] as number];
  return low <= 0 ? high * (1 - (at - below)) : high * (low / high) ** (at - below);
}

/**
 * Returns the price that a host uses: the crawl's, or a higher one if its pages would need more fetches at the crawl's
 * price than politeness allows. Pages that merely queued would all be late alike; by its own price the host fetches
 * those that matter. (The structure of Kolobov et al., SIGIR 2019, without a central solver.)
 *
 * @param perDay Fetches per day for recrawls that the host's crawl delay leaves.
 */
export const hostPrice = (price: number, curve: DemandCurve, perDay: number): number =>
  demandAt(curve, price) <= perDay ? price : Math.max(price, priceFor(curve, perDay));

/** Stored demand is counted in millionths of a fetch per day, since counters are integers. */
export const UNITS = 1e6;

export const perDayOf = (stored: DemandCurve): DemandCurve => stored.map((units) => units / UNITS);

/** The curve that counters hold, by the number of its price (`HostTotals.demand`). */
export const curveOf = (demand: Readonly<Record<string, number>> | undefined): DemandCurve =>
  perDayOf(PRICES.map((_, n) => demand?.[n] ?? 0));

const STEP = 4;
const TINY = 1e-12;

/** A web whose pages change at known rates: each change has a time, and all policies see the same changes. */
import { type Random, randomOf } from '../../../simulation/models/random.ts';

export interface WebOptions {
  readonly pages: number;
  readonly days: number;
  /** Days at the beginning that do not count: those who learn begin without knowledge. */
  readonly warmUpDays: number;
  readonly seed: number;
  /** Changes per day. Default: {@link commonRate}. */
  readonly rateOf?: (page: number, random: Random) => number;
  /** All pages are of the same importance; default: Pareto 1.2, at most 1,000 times the least. */
  readonly isFlat?: boolean;
}

export interface ChangingWeb extends WebOptions {
  /** Changes per day of each page. */
  readonly rates: Float64Array;
  /** One for each page. The mean is 1. */
  readonly importances: Float64Array;
  /** Days of all changes, page by page, growing. */
  readonly changes: Float64Array;
  /** The place of a page's first change in `changes`, with one more at the end. */
  readonly firstChange: Uint32Array;
}

/** Lognormal: the median is one change in 20 days, one page in six changes more than once in three days. */
export const commonRate = (random: Random): number => bounded(0.05 * Math.exp(1.8 * normal(random)));

/** The bounds of LambdaCrawl's experiments. */
export const bounded = (rate: number): number => Math.min(7, Math.max(0.0005, rate));

export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export function createChangingWeb(options: WebOptions): ChangingWeb {
  const { pages, days, seed, isFlat, rateOf = (_, random) => commonRate(random) } = options;
  const random = randomOf('web', seed);
  const rates = new Float64Array(pages).map((_, page) => rateOf(page, random));
  const importances = new Float64Array(pages).map(() =>
    isFlat ? 1 : Math.min(1000, (1 - random()) ** (-1 / 1.2)),
  );
  const sum = importances.reduce((all, one) => all + one, 0);
  const changes: number[] = [];
  const firstChange = new Uint32Array(pages + 1);
  for (let page = 0; page < pages; page++) {
    for (let day = waitOf(random, rates[page]); day < days; day += waitOf(random, rates[page]))
      changes.push(day);
    firstChange[page + 1] = changes.length;
  }
  return {
    ...options,
    rates,
    importances: importances.map((one) => (one * pages) / sum),
    changes: Float64Array.from(changes),
    firstChange,
  };
}

/** An exponential time with this rate. */
export const waitOf = (random: Random, rate: number | undefined): number =>
  -Math.log(1 - random()) / (rate as number);

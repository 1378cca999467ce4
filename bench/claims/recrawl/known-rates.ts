/** Policies that know each page's change rate: bounds for those that learn it. */
import { fetchIntervalDays, type RecrawlObjective } from '../../../shared/core/recrawl/fetch-interval.ts';
import { randomOf } from '../../../simulation/models/random.ts';
import { type ChangingWeb, waitOf } from './changing-web.ts';
import { createMeter, type Scores } from './meter.ts';

/** Runs fixed intervals, evenly spaced from a random time on, or with exponential times between fetches. */
export function runFixed(
  web: ChangingWeb,
  intervalOf: (page: number) => number,
  spacing: 'even' | 'random' = 'even',
): Scores {
  const random = randomOf('fixed', web.seed);
  const meter = createMeter(web);
  for (let page = 0; page < web.pages; page++) {
    const days = intervalOf(page);
    const wait = (): number => (spacing === 'even' ? days : waitOf(random, 1 / days));
    const first = spacing === 'even' ? random() * days : wait();
    for (let now = first; now < web.days; now += wait()) meter.fetch(page, now);
  }
  return meter.scores();
}

/** Each page as often as the others. */
export const uniform = (web: ChangingWeb, perDay: number): Scores => runFixed(web, () => web.pages / perDay);

/** Pages that change twice as often are fetched twice as often. */
export function proportional(web: ChangingWeb, perDay: number): Scores {
  const changesPerDay = web.rates.reduce((sum, rate) => sum + rate, 0);
  return runFixed(web, (page) => changesPerDay / (web.rates[page] as number) / perDay);
}

/** LambdaCrawl (Kolobov et al., NeurIPS 2019) for pages without announcements: Poisson times of these rates. */
export function lambdaCrawl(web: ChangingWeb, perDay: number): Scores {
  const rateAt = (price: number, page: number): number => {
    const [rate, importance] = [web.rates[page] as number, web.importances[page] as number];
    return (Math.sqrt(rate ** 2 + (4 * importance * rate) / price) - rate) / 2;
  };
  const price = solvePrice(web, perDay, rateAt);
  return runFixed(web, (page) => 1 / rateAt(price, page), 'random');
}

/** Our intervals at the price that fits the known rates exactly: the optimum of the objective. */
export function thresholdKnown(web: ChangingWeb, perDay: number, objective: RecrawlObjective): Scores {
  const daysAt = (price: number, page: number): number =>
    fetchIntervalDays(objective, knownValue(web, page), price);
  const price = solvePrice(web, perDay, (at, page) => 1 / daysAt(at, page));
  return runFixed(web, (page) => daysAt(price, page));
}

export const knownValue = ({ rates, importances }: ChangingWeb, page: number) => ({
  changeRate: rates[page] as number,
  importance: importances[page] as number,
});

/** Bisection: the price at which all pages together are fetched `perDay` times. */
function solvePrice(
  web: ChangingWeb,
  perDay: number,
  rateAt: (price: number, page: number) => number,
): number {
  let [low, high] = [1e-9, 1e9];
  for (let step = 0; step < 60; step++) {
    const price = Math.sqrt(low * high);
    let sum = 0;
    for (let page = 0; page < web.pages; page++) sum += rateAt(price, page);
    if (sum > perDay) low = price;
    else high = price;
  }
  return high;
}

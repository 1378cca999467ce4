/** Measures how fresh the copies of a crawl are, between its fetches. Weighted by importance. */
import type { ChangingWeb } from './changing-web.ts';

export interface Scores {
  /** The share of time in which a copy is up to date. */
  readonly fresh: number;
  /** The mean of 1 + 1/2 + ... + 1/n while n changes are unseen: the objective of `changes`. */
  readonly cost: number;
  /** The mean age of copies, in days since the first unseen change. */
  readonly ageDays: number;
  readonly fetchesPerDay: number;
}

export interface Meter {
  /** Returns whether the page has changed since its last fetch. All pages were fetched on day 0. */
  fetch(page: number, day: number): boolean;
  /** The days since the page's last fetch. */
  daysSince(page: number, day: number): number;
  scores(): Scores;
}

export function createMeter(web: ChangingWeb): Meter {
  const { changes, firstChange, importances, pages, days, warmUpDays } = web;
  const last = new Float64Array(pages);
  const next = firstChange.slice();
  const sums = { fresh: 0, cost: 0, age: 0, weight: 0, fetches: 0 };

  /** Counts the time from the page's last fetch to `day`. */
  function count(page: number, day: number): boolean {
    const from = Math.max(last[page] as number, warmUpDays);
    const end = firstChange[page + 1] as number;
    const first = next[page] as number;
    let at = first;
    let [harmonic, cost] = [0, 0];
    for (; at < end && (changes[at] as number) < day; at++) {
      harmonic += 1 / (at - first + 1);
      const until = Math.min(day, at + 1 < end ? (changes[at + 1] as number) : day);
      cost += harmonic * Math.max(0, until - Math.max(from, changes[at] as number));
    }
    next[page] = at;
    if (day > from) {
      const weight = importances[page] as number;
      const stale = at > first ? Math.max(from, changes[first] as number) : day;
      const unseen = at > first ? (changes[first] as number) : day;
      sums.fresh += weight * (stale - from);
      sums.cost += weight * cost;
      sums.age += (weight * ((day - unseen) ** 2 - (stale - unseen) ** 2)) / 2;
      sums.weight += weight * (day - from);
    }
    return at > first;
  }

  return {
    fetch(page, day) {
      const hasChanged = count(page, day);
      last[page] = day;
      if (day >= warmUpDays) sums.fetches++;
      return hasChanged;
    },
    daysSince: (page, day) => day - (last[page] as number),
    scores() {
      for (let page = 0; page < pages; page++) count(page, days);
      const { fresh, cost, age, weight, fetches } = sums;
      return {
        fresh: fresh / weight,
        cost: cost / weight,
        ageDays: age / weight,
        fetchesPerDay: fetches / (days - warmUpDays),
      };
    },
  };
}

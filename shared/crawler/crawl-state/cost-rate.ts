/** How fast a crawl costs money, by readings of what it has cost. */
interface Reading {
  readonly at: number;
  readonly cost: number;
}

/** The rate is a mean over at least this time: the counters of a crawl grow in lumps, as processes add to them. */
const WINDOW_MS = 60_000;

export class CostRate {
  /** In order. The first one is the last that is older than the window. */
  #readings: Reading[] = [];

  constructor(first: Partial<Reading> & Pick<Reading, 'at'>) {
    this.add(first);
  }

  /** Takes a reading; one without a cost says nothing. */
  add({ at, cost }: Partial<Reading> & Pick<Reading, 'at'>): void {
    if (cost === undefined) return;
    this.#readings.push({ at, cost });
    const first = this.#readings.findLastIndex((reading) => reading.at <= at - WINDOW_MS);
    if (first > 0) this.#readings.splice(0, first);
  }

  /** US dollars a millisecond. The first minute of readings counts as a whole one: the rate may be too low, never too high. */
  perMs(): number {
    const [first, last] = [this.#readings.at(0), this.#readings.at(-1)];
    if (!first || !last) return 0;
    return Math.max(0, last.cost - first.cost) / Math.max(WINDOW_MS, last.at - first.at);
  }
}

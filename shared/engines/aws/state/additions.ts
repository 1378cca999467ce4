/** Differences of crawls' counters on their way to the table. */

import { messageOf } from '../../../core/base/error-message.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { type Counts, sumOfCounts } from './head-counts.ts';

export interface Addition {
  readonly id: string;
  readonly crawl: CrawlId;
  readonly counts: Counts;
  /** Nothing happened in the crawl: only its usage is added. */
  readonly isUsageOnly: boolean;
}

export interface AdditionsOptions {
  readonly clock: Pick<Clock, 'now' | 'uuid'>;
  /** The maximal number of counts in an addition. */
  readonly maxCounts: number;
  /** Returns the usage of the crawl that goes along with its differences, once. */
  readonly takeUsage: (crawl: CrawlId) => Counts;
  /** Stores an addition; again with the same id if it failed. */
  readonly store: (addition: Addition) => Promise<void>;
  /** Called with differences that could not be stored yet, and those that never can. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Crawls stored at once. */
const AT_ONCE = 16;

/**
 * Each crawl's additions are stored one after the other, and one that failed first: as it may have been carried out, nothing
 * else may be added to the crawl before it. No crawl waits for the failure of another one.
 */
export class Additions {
  readonly #options: AdditionsOptions;
  readonly #gathered = new Map<CrawlId, { readonly counts: Counts; readonly isUsageOnly: boolean }>();
  /** Additions that were begun and are not known to be stored. */
  readonly #begun = new Map<CrawlId, Addition[]>();

  constructor(options: AdditionsOptions) {
    this.#options = options;
  }

  gather(crawl: CrawlId, counts: Counts, isUsageOnly: boolean): void {
    const before = this.#gathered.get(crawl) ?? { counts: {}, isUsageOnly: true };
    this.#gathered.set(crawl, {
      counts: sumOfCounts(before.counts, counts),
      isUsageOnly: before.isUsageOnly && isUsageOnly,
    });
  }

  /** Whether there is something of the crawl to store. */
  has(crawl: CrawlId): boolean {
    return this.#gathered.has(crawl) || this.#begun.has(crawl);
  }

  /** Stores all of it; begins nothing when `until` is over. The rest is for the next time. Never rejects. */
  async store(until: () => number): Promise<void> {
    const crawls = new Set([...this.#begun.keys(), ...this.#gathered.keys()]).values();
    const failed: { readonly crawl: CrawlId; readonly error: unknown }[] = [];
    const work = async () => {
      for (const crawl of crawls) {
        if (this.#options.clock.now() >= until()) return;
        await this.#storeCrawl(crawl).catch((error) => failed.push({ crawl, error }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const [first, ...others] = failed;
    if (first === undefined) return;
    const names = others.length > 0 ? `${first.crawl} and ${others.length} others` : first.crawl;
    this.#options.warn?.(`totals of ${names} are behind: ${messageOf(first.error)}`);
  }

  async #storeCrawl(crawl: CrawlId): Promise<void> {
    if (this.#begun.has(crawl)) await this.#storeBegun(crawl);
    if (!this.#gathered.has(crawl)) return;
    this.#begin(crawl);
    await this.#storeBegun(crawl);
  }

  /** A crawl's usage goes along when the crawl is written to in any case. */
  #begin(crawl: CrawlId): void {
    const { clock, maxCounts, takeUsage } = this.#options;
    const { counts = {}, isUsageOnly = true } = this.#gathered.get(crawl) ?? {};
    this.#gathered.delete(crawl);
    const parts = partsOf(sumOfCounts(counts, takeUsage(crawl)), maxCounts);
    const additions = parts.map((part) => ({ id: clock.uuid(), crawl, counts: part, isUsageOnly }));
    this.#begun.set(crawl, additions);
  }

  async #storeBegun(crawl: CrawlId): Promise<void> {
    const { store, warn } = this.#options;
    const additions = this.#begun.get(crawl) ?? [];
    for (let first = additions[0]; first; first = additions[0]) {
      try {
        await store(first);
      } catch (error) {
        if (!isInvalid(error)) throw error;
        // It would fail for ever.
        warn?.(`totals of ${crawl}: an addition is refused, and left out: ${messageOf(error)}`);
      }
      additions.shift();
    }
    this.#begun.delete(crawl);
  }
}

/** Whether DynamoDB will refuse the request at each try (DynamoDB developer guide, "Error handling"). */
const isInvalid = (error: unknown): boolean =>
  error instanceof Error && ['ValidationException', 'SerializationException'].includes(error.name);

/** Splits counts into parts of at most `maxCounts`; one empty part for none. */
function partsOf(counts: Counts, maxCounts: number): Counts[] {
  const entries = Object.entries(counts);
  return Array.from({ length: Math.max(1, Math.ceil(entries.length / maxCounts)) }, (_, i) =>
    Object.fromEntries(entries.slice(i * maxCounts, (i + 1) * maxCounts)),
  );
}

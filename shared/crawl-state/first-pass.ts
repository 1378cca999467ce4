/** When a crawl that recrawls has fetched each known URL once. It has no end that would say so. */
import { isRecrawling } from '../crawl/config.ts';
import type { CrawlRecord, CrawlTotals, FirstPass } from '../ports/crawl-registry.ts';
import type { Crawl } from './crawls.ts';

/** As long as links may be on their way from one host to another, in ms. */
export interface FirstPassOptions {
  readonly settleMs: number;
}

/**
 * Notices that no host has a URL left that was never fetched, at looks that are far enough apart. Hosts that were given up do not
 * count, nor does what waits behind the limit of pages.
 */
export class FirstPassWatch {
  readonly #settleMs: number;
  /** Since when that was so at each look, and how many URLs were known. */
  #since: { readonly at: number; readonly urls: number } | undefined;

  constructor({ settleMs }: FirstPassOptions) {
    this.#settleMs = settleMs;
  }

  /** One look at a crawl that runs. `now`: ms, by a clock that only goes forward if possible. */
  isComplete(
    { budget, config }: Pick<Crawl, 'budget' | 'config'>,
    totals: CrawlTotals,
    now: number,
  ): boolean {
    if (!isRecrawling(config)) return false;
    const isFull = budget.metLimit()?.allowsRecrawl === true;
    const urls = Object.values(totals.urls).reduce((sum, count) => sum + count, 0);
    if (urls === 0 || (totals.hostsWaiting > 0 && !isFull)) {
      this.#since = undefined;
      return false;
    }
    if (this.#since?.urls !== urls || now < this.#since.at) this.#since = { at: now, urls };
    return now - this.#since.at >= this.#settleMs;
  }
}

/** The record with what is noted; the same object if it says so already. */
export function withFirstPass(record: CrawlRecord, { at, isAnnounced }: FirstPass): CrawlRecord {
  const { firstPass } = record;
  if (firstPass && (!isAnnounced || firstPass.isAnnounced)) return record;
  return { ...record, firstPass: { at: firstPass?.at ?? at, ...(isAnnounced && { isAnnounced }) } };
}

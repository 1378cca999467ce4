/** When a crawl that recrawls has fetched each known URL once. It has no end that would say so. */
import { isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlRecord, CrawlTotals, FirstPass } from '../ports/crawl-registry.ts';
import type { Crawl } from './crawls.ts';

/** As long as links may be on their way from one host to another, in ms. */
export interface FirstPassOptions {
  readonly settleMs: number;
}

/** `goesOn`: hosts wait. `isUnclear`: they do by the counters, which have not moved for long. */
export type FirstPassLook = 'goesOn' | 'isUnclear' | 'isComplete';

/** A continuous crawl finds new URLs all the time: this share of those known, in the time to settle, does not matter. */
const NEW_SHARE = 0.01;
/** The longest wait between two counts of what waits, in times to settle. */
const MAX_WAITS = 64;

/**
 * Notices that no host has a URL left that was never fetched, at looks that are far enough apart. Hosts that were given
 * up do not count, nor do URLs that wait beyond the limit of pages.
 *
 * Counters may be wrong where processes died between a head and its count: a caller that can should count by the heads
 * before it believes them (`isUnclear`, `isComplete`), and say so if they are wrong ({@link contradict}).
 */
export class FirstPassWatch {
  readonly #settleMs: number;
  /** Since when nothing waited at a look, and how many URLs were known. */
  #since: { readonly at: number; readonly urls: number } | undefined;
  /** The least number of URLs that waited by the counters, in the time since `at` and in the one before. */
  #least: { readonly at: number; readonly waiting: number; readonly before: number } | undefined;
  /** For how long no count is requested, and since when. */
  #contradicted: { readonly at: number; readonly waitMs: number } | undefined;

  constructor({ settleMs }: FirstPassOptions) {
    this.#settleMs = settleMs;
  }

  /** Looks at a running crawl. `now`: ms, by a clock that only goes forward if possible. */
  look(
    { budget, config }: Pick<Crawl, 'budget' | 'config'>,
    totals: CrawlTotals,
    now: number,
  ): FirstPassLook {
    if (!isRecrawling(config)) return 'goesOn';
    const urls = Object.values(totals.urls).reduce((sum, count) => sum + count, 0);
    if (urls === 0) return 'goesOn';
    if (budget.metLimit()?.allowsRecrawl === true)
      return this.#isSettled(urls, true, now) ? 'isComplete' : 'goesOn';
    const isLeft = totals.hostsWaiting > 0;
    const isSettled = this.#isSettled(urls, !isLeft, now);
    const isStill = this.#isStill(totals.urls.waiting, now);
    if (this.#isContradicted(now)) return 'goesOn';
    if (!isLeft) return isSettled ? 'isComplete' : 'goesOn';
    return isStill ? 'isUnclear' : 'goesOn';
  }

  /** The counters were wrong, or there is something left: after each time twice as long is waited for the next. */
  contradict(now: number): void {
    const waitMs = Math.min(
      MAX_WAITS * this.#settleMs,
      2 * (this.#contradicted?.waitMs ?? this.#settleMs / 2),
    );
    this.#contradicted = { at: now, waitMs };
  }

  /** Whether nothing waits now and nothing waited at a look some time ago, and nearly all URLs were known then. */
  #isSettled(urls: number, isNothingLeft: boolean, now: number): boolean {
    const since = this.#since;
    const isKnown = since && now >= since.at && Math.abs(urls - since.urls) <= NEW_SHARE * since.urls;
    if (!isKnown) this.#since = isNothingLeft ? { at: now, urls } : undefined;
    return isNothingLeft && this.#since !== undefined && now - this.#since.at >= this.#settleMs;
  }

  /** Whether as many URLs as before waited at least, over two times of this length. Progress makes them fewer. */
  #isStill(waiting: number, now: number): boolean {
    const known = this.#least;
    if (!known || now < known.at) {
      this.#least = { at: now, waiting, before: Number.NaN };
      return false;
    }
    const least = Math.min(known.waiting, waiting);
    const isOver = now - known.at >= this.#settleMs;
    if (isOver && least < known.before) this.#contradicted = undefined;
    this.#least = isOver ? { at: now, waiting, before: least } : { ...known, waiting: least };
    return isOver && least >= known.before;
  }

  #isContradicted(now: number): boolean {
    const { at, waitMs } = this.#contradicted ?? { at: now, waitMs: 0 };
    return now >= at && now - at < waitMs;
  }
}

/** The record with the new notes; the given object if nothing is new. */
export function withFirstPass(record: CrawlRecord, { at, isAnnounced }: FirstPass): CrawlRecord {
  const { firstPass } = record;
  if (firstPass && (!isAnnounced || firstPass.isAnnounced)) return record;
  return { ...record, firstPass: { at: firstPass?.at ?? at, ...(isAnnounced && { isAnnounced }) } };
}

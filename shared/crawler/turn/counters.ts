import type { LinkSkip } from '../../core/crawl/skip-reason.ts';
import { COUNT_MAPS, exchangesOf, type HostTotals } from '../../core/frontier/host-totals.ts';
import { type FetchOutcome, sentRequest } from '../../core/outcome/fetch-outcome.ts';
import type { WorkerStats } from './worker-stats.ts';

type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends Readonly<Record<string, number>> | undefined
    ? Record<string, number> | Extract<T[K], undefined>
    : T[K];
};

/** Maps of {@link HostTotals} that few hosts have. */
type RareMap =
  | 'seeds'
  | 'hooks'
  | 'hints'
  | 'requisites'
  | 'cache'
  | 'sent'
  | 'recrawl'
  | 'demand'
  | 'overBudget'
  | 'full'
  | 'refused'
  | 'render'
  | 'accounts';

/**
 * Counts what a turn does: in the host's totals, which are committed, and in the worker's stats, which are
 * not.
 */
export class TurnCounters {
  readonly #totals: Mutable<HostTotals>;
  readonly #before: HostTotals;
  readonly #stats: WorkerStats;

  constructor(before: HostTotals, stats: WorkerStats) {
    this.#before = before;
    this.#totals = copyTotals(before);
    this.#stats = stats;
  }

  get totals(): HostTotals {
    return this.#totals;
  }

  /** Pages and bytes of this turn. */
  gained(): Pick<HostTotals, 'pages' | 'bytes'> {
    const { pages, bytes } = this.#totals;
    return { pages: pages - this.#before.pages, bytes: bytes - this.#before.bytes };
  }

  /** Whether the turn has made a request to the host, or to the crawl's cache. */
  get hasRequested(): boolean {
    return exchangesOf(this.#totals) > exchangesOf(this.#before);
  }

  /** Whether any request to the host was ever answered by HTTP. */
  get hasAnswered(): boolean {
    for (const _ in this.#totals.httpStatus) return true;
    return false;
  }

  /** Whether the host has had its share of pages, if those `inFlight` become some. */
  isFull({ maxPagesPerHost }: { readonly maxPagesPerHost?: number | undefined }, inFlight = 0): boolean {
    return maxPagesPerHost !== undefined && this.#totals.pages + inFlight >= maxPagesPerHost;
  }

  countPage(): void {
    this.#totals.pages++;
    this.#stats.pages++;
  }

  countSkipped(reason: LinkSkip | 'sitemapFault', count = 1): void {
    countIn(this.#totals.skipped, reason, count);
  }

  countError(kind: string): void {
    countIn(this.#totals.errors, kind);
  }

  /** Counts in a map that few hosts have. */
  count(map: RareMap, key: string, count = 1): void {
    const counts = (this.#totals[map] as Record<string, number> | undefined) ?? {};
    countIn(counts, key, count);
    this.#totals[map] = counts;
  }

  /** Sets these counts; the other ones of the map stay. */
  set(map: RareMap, counts: Readonly<Record<string, number>>): void {
    this.#totals[map] = { ...this.#totals[map], ...counts };
  }

  /**
   * Counts an exchange with the host, robots.txt included. An exchange that was not made is not counted; if the cache
   * answered, only the status is.
   */
  countExchange(outcome: FetchOutcome): void {
    const totals = this.#totals;
    if (outcome.cache) this.#countCache(outcome);
    if (!sentRequest(outcome)) return;
    if (outcome.sentBytes !== undefined) {
      this.count('sent', 'requests');
      this.count('sent', 'bytes', outcome.sentBytes);
    }
    if (outcome.status === 'response') {
      totals.requests++;
      totals.bytes += outcome.body.size;
      countIn(totals.httpStatus, String(outcome.httpStatus));
      this.#stats.requests++;
      this.#stats.answers++;
      return;
    }
    if (!outcome.isNotSent) {
      totals.requests++;
      this.#stats.requests++;
    }
    if (outcome.reason !== 'aborted') countIn(totals.errors, outcome.reason);
  }

  #countCache(outcome: FetchOutcome): void {
    const kind = outcome.cache?.kind;
    if (kind === undefined || kind === 'withoutRequest' || kind === 'kept') return;
    this.count('cache', kind);
    if (kind !== 'hit' || outcome.status !== 'response') return;
    countIn(this.#totals.httpStatus, String(outcome.httpStatus));
    this.#stats.cached++;
  }

  /** Counts an exchange in the worker's stats of URLs, which leave out robots.txt. */
  countUrlExchange(outcome: FetchOutcome, isHostFailure: boolean): void {
    if (isHostFailure) this.#stats.errors++;
    if (!sentRequest(outcome)) return;
    if (outcome.status === 'response') this.#stats.bytes += outcome.body.size;
    else countIn(this.#stats.failures, outcome.reason);
  }
}

function countIn(counts: Record<string, number>, key: string, count = 1): void {
  counts[key] = (counts[key] ?? 0) + count;
}

/** A copy whose counts the turn may change. */
function copyTotals(totals: HostTotals): Mutable<HostTotals> {
  const maps = COUNT_MAPS.flatMap((map) => (totals[map] ? [[map, { ...totals[map] }]] : []));
  return { ...totals, ...Object.fromEntries(maps) };
}

import { isDraining } from '../crawl-state/drain.ts';
import type { TurnCounters } from './counters.ts';
import type { TurnCrawl } from './turn-crawl.ts';

/**
 * How many pages a turn may still fetch: by the crawl's budget, the host's share, and the turn's own limit.
 */
export class PageAllowance {
  readonly #crawl: TurnCrawl;
  readonly #counters: TurnCounters;
  readonly #maxPages: number;
  #begun = 0;
  #inFlight = 0;

  /** `maxPages`: of this turn. */
  constructor(crawl: TurnCrawl, counters: TurnCounters, maxPages: number) {
    this.#crawl = crawl;
    this.#counters = counters;
    this.#maxPages = maxPages;
  }

  /** Whether the host has its share of pages if those in flight become some. */
  get isHostFull(): boolean {
    return this.#counters.isFull(this.#crawl.config, this.#inFlight);
  }

  /** Whether no page may be begun, by one of the limits: requisites make those whole that were fetched. */
  get allowsOnlyRequisites(): boolean {
    return this.#begun >= this.#maxPages || this.isHostFull || isDraining(this.#crawl);
  }

  /** Reserves a page of the budget; waits while others have reserved the last ones. False: a limit is met. */
  reserve(): Promise<boolean> {
    return this.#crawl.budget.reserve();
  }

  /** Gives back a page that was reserved and not begun. */
  cancel(): void {
    this.#crawl.budget.settle(false);
  }

  /** Begins a page that was reserved. */
  begin(): void {
    this.#begun++;
    this.#inFlight++;
  }

  /** Reserves and begins a page, if that can be done at once: a requisite turned out to be one. */
  tryBegin(): boolean {
    if (this.isHostFull || !this.#crawl.budget.tryReserve()) return false;
    this.begin();
    return true;
  }

  /** Ends what was begun: whether it became a page. */
  end(isPage: boolean): void {
    this.#crawl.budget.settle(isPage);
    this.#inFlight--;
    if (isPage) this.#counters.countPage();
  }

  /** Whether a requisite may be fetched. */
  get allowsRequisites(): boolean {
    const met = this.#crawl.budget.metLimit();
    return met === undefined || met.allowsRequisites === true;
  }
}

import { isDraining } from '../../crawl-state/drain.ts';
import type { TurnCounters } from '../counters.ts';
import type { DomainShare } from '../links/domain-share.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

export interface PageAllowanceOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly share: Pick<DomainShare, 'isOut' | 'reserve' | 'tryReserve' | 'cancel'>;
}

/**
 * How many pages a turn may still fetch: by the crawl's budget, the host's share, what it has of its domain's
 * budget, and the turn's own limit.
 */
export class PageAllowance {
  readonly #crawl: TurnCrawl;
  readonly #counters: TurnCounters;
  readonly #share: Pick<DomainShare, 'isOut' | 'reserve' | 'tryReserve' | 'cancel'>;
  readonly #maxPages: number;
  #begun = 0;
  #inFlight = 0;

  /** `maxPages`: of this turn. */
  constructor({ crawl, counters, share }: PageAllowanceOptions, maxPages: number) {
    this.#crawl = crawl;
    this.#counters = counters;
    this.#share = share;
    this.#maxPages = maxPages;
  }

  /** Whether the host has its share of pages if those in flight become some. */
  get isHostFull(): boolean {
    return this.#counters.isFull(this.#crawl.config, this.#inFlight);
  }

  /** Whether no page may be begun, by one of the limits: requisites make those whole that were fetched. */
  get allowsOnlyRequisites(): boolean {
    return this.#begun >= this.#maxPages || this.isHostFull || this.isDomainOut || isDraining(this.#crawl);
  }

  /** Whether the budget of the host's domain is used up. */
  get isDomainOut(): boolean {
    return this.#share.isOut;
  }

  /**
   * Reserves a page of the crawl's and of the domain's budget; waits while others have reserved the last ones. False:
   * a limit is met.
   */
  async reserve(): Promise<boolean> {
    if (!(await this.#crawl.budget.reserve())) return false;
    let isGranted = false;
    try {
      isGranted = await this.#share.reserve();
    } finally {
      if (!isGranted) this.#crawl.budget.settle(false);
    }
    return isGranted;
  }

  /** Gives back a page that was reserved and not begun. */
  cancel(): void {
    this.#crawl.budget.settle(false);
    this.#share.cancel();
  }

  /** Begins a page that was reserved. */
  begin(): void {
    this.#begun++;
    this.#inFlight++;
  }

  /** Reserves and begins a page, if that can be done at once: a requisite turned out to be one. */
  tryBegin(): boolean {
    if (this.isHostFull || !this.#share.tryReserve()) return false;
    if (!this.#crawl.budget.tryReserve()) {
      this.#share.cancel();
      return false;
    }
    this.begin();
    return true;
  }

  /** Ends a page that was begun: says whether it became a page. */
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

import { type DomainLimits, domainLimitsOf } from '../../../core/crawl/domain-limits.ts';
import {
  grantPages,
  periodAt,
  periodEnd,
  takeBackPages,
  withHost,
} from '../../../core/frontier/domain-state.ts';
import type { DomainShareState, Head } from '../../../core/frontier/head.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { domainOf } from '../../../core/url/registrable-domain.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';
import { budgetNow } from '../budget-now.ts';
import type { TurnCounters } from '../counters.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { countWaitingPages } from '../waiting-pages.ts';
import type { DomainFacts } from './domain-heads.ts';

export interface DomainShareOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  /** As the head has it. */
  readonly share: Head['share'];
}

/**
 * The host's share of its domain's budget. A host is granted some pages at a time, which its head keeps; when it has
 * requested them, it claims more. Pages granted to a discarded turn are lost: a domain has fewer pages then, and never
 * more than its budget.
 */
export class DomainShare {
  readonly #services: Pick<TurnServices, 'engine' | 'domains' | 'medians'>;
  readonly #options: DomainShareOptions;
  readonly #limits: DomainLimits;
  readonly #domain: string;
  #period: number;
  #left = 0;
  /** Pages taken in this period. */
  #taken = 0;
  #isOut = false;
  /** The last claim to the domain: lanes that need pages at the same time share it. */
  #asking: Promise<void> | undefined;

  constructor(services: Pick<TurnServices, 'engine' | 'domains' | 'medians'>, options: DomainShareOptions) {
    const { crawl, share } = options;
    this.#services = services;
    this.#options = options;
    this.#domain = domainOf(crawl.host);
    this.#limits = domainLimitsOf(crawl.config, this.#domain);
    this.#period = this.#now();
    if (share?.period !== this.#period) return;
    this.#left = share.left;
    // A budget that grows by links may have grown since: it is claimed again.
    this.#isOut = share.isOut === true && !this.#limits.growsByLinks;
  }

  /** The crawl gives each domain a budget. */
  get isOn(): boolean {
    return this.#limits.budget !== undefined;
  }

  /** The domain's budget is used up: no page may be begun before the next period. */
  get isOut(): boolean {
    this.#follow();
    return this.#isOut;
  }

  /** When the next period begins, if the budget of this one is used up. */
  get outUntil(): number | undefined {
    return this.isOut ? periodEnd(this.#domain, this.#period, this.#limits.everyMs) : undefined;
  }

  /** Claims again, though the budget was used up: the operator may have raised it. */
  forget(): void {
    this.#isOut = false;
  }

  /** Claims pages if the host has none left: before any request for a page that may be refused. */
  async prepare(): Promise<void> {
    this.#follow();
    if (!this.isOn || this.#left > 0 || this.#isOut) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  /** Takes a page of the host's share, claiming more if none is left. False: the budget is used up. */
  async reserve(): Promise<boolean> {
    if (!this.isOn) return true;
    for (;;) {
      await this.prepare();
      if (this.tryReserve()) return true;
      if (this.isOut) return false;
    }
  }

  /** Takes a page if one is left. */
  tryReserve(): boolean {
    if (!this.isOn) return true;
    this.#follow();
    if (this.#left === 0) return false;
    this.#left--;
    this.#taken++;
    return true;
  }

  /** Gives back a page that was not requested. */
  cancel(): void {
    this.#follow();
    if (!this.isOn || this.#taken === 0) return;
    this.#taken--;
    this.#left++;
  }

  /** Returns the share as the host's next head has it. */
  state(): DomainShareState | undefined {
    if (!this.isOn) return undefined;
    this.#follow();
    const left = this.#isUnused() ? 0 : this.#left;
    return { period: this.#period, left, ...(this.#isOut && { isOut: true }) };
  }

  /** Counts the URLs that wait because the budget is used up. For before the turn's commit. */
  countWaiting(): void {
    countWaitingPages('overBudget', this.isOut, this.#options);
  }

  /** After the commit of {@link state}: gives its domain back what the host has no use for. */
  async giveBack(): Promise<void> {
    if (!this.isOn || this.#left === 0 || !this.#isUnused()) return;
    const unused = { period: this.#period, pages: this.#left };
    this.#left = 0;
    const { id } = this.#options.crawl;
    try {
      const change = (state: DomainFacts) => ({ state: takeBackPages(state, unused), result: undefined });
      // A single try: pages returned twice would be granted twice.
      await this.#services.domains.change(id, this.#domain, change, 1);
    } catch (error) {
      // The turn is committed. What is not given back expires with its period.
      if (!(error instanceof StaleTurn)) throw error;
    }
  }

  #isUnused(): boolean {
    return this.#options.ledger.counts.waiting === 0;
  }

  async #ask(): Promise<void> {
    const { crawl, ledger } = this.#options;
    const budgetOf = await budgetNow(this.#services, crawl, this.#limits);
    const period = this.#period;
    const wanted = Math.max(1, ledger.counts.waiting);
    const pages = await this.#services.domains.change(crawl.id, this.#domain, (state) => {
      const granted = grantPages(state, { period, budget: budgetOf(state), wanted });
      // Opened here, too: the crawl may have had no limits when it met the host.
      return { state: withHost(granted.state, crawl.host), result: granted.pages };
    });
    this.#follow();
    // A new period began meanwhile.
    if (period !== this.#period) return;
    this.#left += pages;
    this.#isOut = pages === 0;
  }

  /** Begins a new period if its time has come. */
  #follow(): void {
    const period = this.#now();
    if (period === this.#period) return;
    this.#period = period;
    this.#left = 0;
    this.#taken = 0;
    this.#isOut = false;
  }

  #now(): number {
    return periodAt(this.#domain, this.#services.engine.clock.now(), this.#limits.everyMs);
  }
}

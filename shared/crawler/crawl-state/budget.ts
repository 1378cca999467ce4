/**
 * The limits of a crawl: pages, bytes, time, money. A page is reserved before it is fetched, so that many
 * turns together do not pass the limit, and given back if it was none (a redirect, a failure).
 *
 * Several processes may work for one crawl. Each knows what it has done itself, at once, and what all have
 * done by the crawl's totals, some seconds late; so several together may pass a limit by what they do in that
 * time. A single process never passes `maxPages`, nor do its threads, which count together (`tally.ts`).
 */
import type { StatusCode, StatusReason } from '../../core/causes/status-reason.ts';
import { type CrawlConfig, isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlStatus } from '../ports/crawl-registry.ts';
import { CostRate } from './cost-rate.ts';
import { createTally, type Tally, type Used } from './tally.ts';

export interface Budget {
  /**
   * Reserves a page. `false`: a limit is met, and the crawl is over. While the last pages are reserved by
   * others it waits to see whether they need them.
   */
  reserve(): Promise<boolean>;
  /** Reserves a page if that can be done at once. */
  tryReserve(): boolean;
  /** Settles a reservation: whether it became a page. */
  settle(isPage: boolean): void;
  /** Counts bytes of any response, robots.txt too. */
  receive(bytes: number): void;
  /** Takes back counts of a discarded turn. */
  giveBack(pages: number, bytes: number): void;
  /**
   * Marks these counts as committed: the crawl's totals contain them from now on. `readsBefore`: {@link reads}
   * before they were stored.
   */
  commit(pages: number, bytes: number, readsBefore: number): void;
  /** The number of times that the usage of the whole crawl was read. */
  reads(): number;
  /** Whether some committed counts become final only with the next read. */
  isInDoubt(): boolean;
  /**
   * Reads again what the whole crawl has used, in every process, and takes over the limits as they are now.
   */
  refresh(limits: Limits, read: () => Promise<Used>): Promise<void>;
  /**
   * Pages that one turn may make at most: where other processes crawl too, a small part of what `maxPages`
   * leaves, since their turns are counted only when they are committed.
   */
  turnPages(): number;
  /**
   * For how long the crawl has been running, its pauses not counted; where no other process works for it, in
   * this process: one that is killed again and again keeps half of what it does.
   */
  ageMs(): number;
  /** The limit that was reached by this process's counts, if any: then nothing is begun, except perhaps requisites. */
  metLimit(): MetLimit | undefined;
  /** As above, by committed counts: these are never taken back, so the crawl may be marked as limited. */
  metFinally(): MetLimit | undefined;
  /**
   * Returns the usage of the whole crawl as far as this process knows it, without its own work since the last
   * read.
   */
  used(): Used;
}

export type Limits = Pick<CrawlConfig, 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost'> &
  Partial<Pick<CrawlConfig, 'requisites' | 'recrawl' | 'recrawlEveryMs' | 'recrawlSchedule'>>;

/** The new status of the crawl, and the reason. */
export interface MetLimit {
  readonly status: Extract<CrawlStatus, 'limited' | 'paused'>;
  readonly reason: StatusReason;
  /** No further page is begun, but requisites of those that were fetched still are, and these are fetched again. */
  readonly allowsRequisites?: true;
  /** The crawl recrawls: it does not end. */
  readonly allowsRecrawl?: true;
}

/**
 * The crawl pauses when it would, at its present rate, have cost its limit after this: work in progress costs, too.
 */
const COST_HEADROOM_MS = 30_000;
/**
 * Where other processes work for the crawl too, what it has used is read every few seconds (`crawls.ts`). A
 * process that read it longer ago stood still, and does not know what the crawl did meanwhile.
 */
const MAX_UNREAD_MS = 15_000;

/** The number of turns that could use up the rest. */
const TURNS_TO_LIMIT = 20;

export interface BudgetOptions {
  /** Whether other processes work for the crawl too. Default: no. */
  readonly isShared?: boolean;
  /** Where several threads of this process count together. Default: a tally of this budget alone. */
  readonly tally?: Tally | undefined;
}

/** `used`: what the crawl has used so far; `now`: the clock. */
export function createBudget(
  limits: Limits,
  used: Used,
  now: () => number,
  options: BudgetOptions = {},
): Budget {
  return new CrawlBudget(limits, used, now, options);
}

class CrawlBudget implements Budget {
  readonly #tally: Tally;
  readonly #now: () => number;
  readonly #isShared: boolean;
  readonly #beganAt: number;
  #limits: Limits;
  /** The usage of the crawl, as last read. */
  #base: Used;
  #baseAt: number;
  readonly #costRate: CostRate;
  /**
   * Callers of {@link Budget.reserve} that wait for pages which others have reserved. No semaphore: limits
   * change, and other threads reserve, too, so all look again.
   */
  #waiting: (() => void)[] = [];

  constructor(limits: Limits, used: Used, now: () => number, { isShared = false, tally }: BudgetOptions) {
    this.#tally = tally ?? createTally(used);
    this.#now = now;
    this.#isShared = isShared;
    this.#beganAt = now();
    this.#limits = limits;
    this.#base = used;
    this.#baseAt = this.#beganAt;
    this.#costRate = new CostRate({ at: this.#beganAt, cost: used.cost });
  }

  metLimit(): MetLimit | undefined {
    return this.#met(this.#tally.pages(), this.#tally.bytes());
  }

  metFinally(): MetLimit | undefined {
    const { pages, bytes } = this.#tally.committed();
    return this.#met(pages, bytes);
  }

  turnPages(): number {
    const { maxPages } = this.#limits;
    if (!this.#isShared || maxPages === undefined) return Infinity;
    return Math.max(1, Math.ceil((maxPages - this.#tally.pages()) / TURNS_TO_LIMIT));
  }

  ageMs(): number {
    return this.#isShared ? this.#activeMs() : this.#now() - this.#beganAt;
  }

  async reserve(): Promise<boolean> {
    for (;;) {
      if (this.metLimit() !== undefined) return false;
      if (this.#tally.reserve(this.#limits.maxPages ?? Infinity)) return true;
      await new Promise<void>((wake) => {
        this.#waiting.push(wake);
        if (this.#tally.pollMs !== undefined) setTimeout(wake, this.#tally.pollMs);
      });
    }
  }

  tryReserve(): boolean {
    return this.metLimit() === undefined && this.#tally.reserve(this.#limits.maxPages ?? Infinity);
  }

  used(): Used {
    return this.#base;
  }

  settle(isPage: boolean): void {
    this.#tally.settle(isPage);
    this.#wakeAll();
  }

  receive(bytes: number): void {
    this.#tally.receive(bytes);
  }

  giveBack(pages: number, bytes: number): void {
    this.#tally.giveBack(pages, bytes);
    this.#wakeAll();
  }

  commit(pages: number, bytes: number, readsBefore: number): void {
    this.#tally.commit(pages, bytes, readsBefore);
  }

  reads(): number {
    return this.#tally.reads();
  }

  isInDoubt(): boolean {
    return this.#tally.isInDoubt();
  }

  async refresh(limits: Limits, read: () => Promise<Used>): Promise<void> {
    this.#base = await this.#tally.refresh(read);
    this.#baseAt = this.#now();
    this.#limits = limits;
    this.#costRate.add({ at: this.#baseAt, cost: this.#base.cost });
    this.#wakeAll();
  }

  #activeMs(): number {
    return this.#base.activeMs + this.#sinceReadMs();
  }

  /** How long the crawl has gone on since what it has used was read, as far as this process can know. */
  #sinceReadMs(): number {
    const ms = this.#now() - this.#baseAt;
    return this.#isShared ? Math.min(ms, MAX_UNREAD_MS) : ms;
  }

  #met(pages: number, bytes: number): MetLimit | undefined {
    const {
      maxPages,
      maxBytes,
      maxTimeMs,
      maxCost,
      requisites,
      recrawl = 'off',
      recrawlEveryMs,
      recrawlSchedule,
    } = this.#limits;
    if (maxBytes !== undefined && bytes >= maxBytes) return limited('maxBytes', `${maxBytes} bytes`);
    if (maxTimeMs !== undefined && this.#activeMs() >= maxTimeMs)
      return limited('maxTime', `${maxTimeMs / 1000} seconds`);
    if (maxCost !== undefined && this.#costSoon() >= maxCost)
      return {
        status: 'paused',
        reason: { code: 'maxCost', text: `maxCost: it would soon have cost ${maxCost} US dollars` },
      };
    // The last one, as the others end requisites, too.
    if (maxPages !== undefined && pages >= maxPages)
      return {
        ...limited('maxPages', `${maxPages} pages`),
        ...(requisites && { allowsRequisites: true }),
        ...(isRecrawling({ recrawl, recrawlEveryMs, recrawlSchedule }) && {
          allowsRequisites: true,
          allowsRecrawl: true,
        }),
      };
    return undefined;
  }

  /** Returns the cost of the crawl when all that is in progress is done. */
  #costSoon(): number {
    const soonMs = this.#sinceReadMs() + COST_HEADROOM_MS;
    return (this.#base.cost ?? 0) + this.#costRate.perMs() * soonMs;
  }

  #wakeAll(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) wake();
  }
}

const limited = (code: StatusCode, text: string): MetLimit => ({ status: 'limited', reason: { code, text } });

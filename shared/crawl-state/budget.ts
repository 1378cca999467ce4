/**
 * The limits of a crawl: pages, bytes, time, money. A page is reserved before it is fetched, so that many turns
 * together do not pass the limit, and given back if it was none (a redirect, a failure).
 *
 * Several processes may work for one crawl. Each knows what it has done itself, at once, and what all have done by the
 * crawl's totals, some seconds late; so several together may pass a limit by what they do in that time. One alone never
 * passes `maxPages`, nor do the threads of one, which count together (`tally.ts`).
 */
import type { CrawlConfig } from '../crawl/config.ts';
import type { CrawlStatus } from '../ports/crawl-registry.ts';
import { createTally, type Used } from './tally.ts';

export interface Budget {
  /**
   * Reserves a page. `false`: a limit is met, and the crawl is over. While the last pages are reserved by others it
   * waits to see whether they need them.
   */
  reserve(): Promise<boolean>;
  /** Reserves a page if that can be done at once. */
  tryReserve(): boolean;
  /** Settles a reservation: whether it became a page. */
  settle(isPage: boolean): void;
  /** Counts bytes of any response, robots.txt too. */
  receive(bytes: number): void;
  /** Takes back what was counted and did not become real: its turn was thrown away. */
  giveBack(pages: number, bytes: number): void;
  /** What was counted is in the crawl's totals from now on: its turn is committed. */
  commit(pages: number, bytes: number): void;
  /** Reads anew what the whole crawl has used, by every process; and takes over the limits as they are now. */
  refresh(limits: Limits, read: () => Promise<Used>): Promise<void>;
  /**
   * Pages that one turn may make at most: where other processes crawl too, a small part of what `maxPages` leaves, since
   * their turns are counted only when they are committed.
   */
  turnPages(): number;
  /**
   * For how long the crawl has been running, its pauses not counted; where no other process works for it, in this process:
   * one that is killed again and again keeps half of what it does.
   */
  ageMs(): number;
  /** Which limit was met, if any, by what was done: nothing is begun then, except perhaps requisites. */
  metLimit(): MetLimit | undefined;
  /** The same by what is committed: nothing takes that back, and the crawl may be called limited. */
  metForGood(): MetLimit | undefined;
  /** What the whole crawl has used as far as this process knows, without what it has done itself since. */
  used(): Used;
}

export type Limits = Pick<CrawlConfig, 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost'> &
  Partial<Pick<CrawlConfig, 'requisites'>>;

/** What the crawl's status becomes, and why, in words for people. */
export interface MetLimit {
  readonly status: Extract<CrawlStatus, 'limited' | 'paused'>;
  readonly reason: string;
  /** No further page is begun, but requisites of those that were fetched still are. */
  readonly allowsRequisites?: true;
}

/** The crawl pauses when it would, at its present rate, have cost its limit after this: what is under way costs too. */
const COST_HEADROOM_MS = 30_000;

/** As many turns could use up what is left. */
const TURNS_TO_LIMIT = 20;

/**
 * `used`: what the crawl has used so far; `now`: the clock; `isShared`: whether other processes work for the crawl too.
 */
export function createBudget(limits: Limits, used: Used, now: () => number, isShared = false): Budget {
  const tally = used.tally ?? createTally(used);
  let limit = limits;
  let base = used;
  const beganAt = now();
  let baseAt = beganAt;
  /** US dollars a millisecond. */
  let costRate = 0;
  let waiting: (() => void)[] = [];

  const activeMs = () => base.activeMs + now() - baseAt;

  function met(done: Pick<Used, 'pages' | 'bytes'>): MetLimit | undefined {
    const { maxPages, maxBytes, maxTimeMs, maxCost, requisites } = limit;
    const limited = (reason: string): MetLimit => ({ status: 'limited', reason });
    if (maxBytes !== undefined && done.bytes >= maxBytes) return limited(`${maxBytes} bytes`);
    if (maxTimeMs !== undefined && activeMs() >= maxTimeMs) return limited(`${maxTimeMs / 1000} seconds`);
    if (maxCost !== undefined && (base.cost ?? 0) + costRate * (now() - baseAt + COST_HEADROOM_MS) >= maxCost)
      return { status: 'paused', reason: `maxCost: it would soon have cost ${maxCost} US dollars` };
    // The last one, as the others end requisites, too.
    if (maxPages !== undefined && done.pages >= maxPages)
      return { ...limited(`${maxPages} pages`), ...(requisites && { allowsRequisites: true }) };
    return undefined;
  }

  const metLimit = () => met({ pages: tally.pages(), bytes: tally.bytes() });

  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    metLimit,
    metForGood: () => met(tally.committed()),
    turnPages() {
      if (!isShared || limit.maxPages === undefined) return Infinity;
      return Math.max(1, Math.ceil((limit.maxPages - tally.pages()) / TURNS_TO_LIMIT));
    },
    ageMs: () => (isShared ? activeMs() : now() - beganAt),
    async reserve() {
      for (;;) {
        if (metLimit() !== undefined) return false;
        if (tally.reserve(limit.maxPages ?? Infinity)) return true;
        await new Promise<void>((wake) => {
          waiting.push(wake);
          if (tally.pollMs !== undefined) setTimeout(wake, tally.pollMs);
        });
      }
    },
    tryReserve: () => metLimit() === undefined && tally.reserve(limit.maxPages ?? Infinity),
    used: () => base,
    settle(isPage) {
      tally.settle(isPage);
      wakeAll();
    },
    receive: tally.receive,
    giveBack(pages, bytes) {
      tally.giveBack(pages, bytes);
      wakeAll();
    },
    commit: tally.commit,
    async refresh(limits, read) {
      const next = await tally.refresh(read);
      const at = now();
      if (base.cost !== undefined && next.cost !== undefined && at > baseAt)
        costRate = Math.max(0, next.cost - base.cost) / (at - baseAt);
      limit = limits;
      base = next;
      baseAt = at;
      wakeAll();
    },
  };
}

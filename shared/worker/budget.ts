/**
 * The limits of a crawl: pages, bytes, time, money. A page is reserved before it is fetched, so that many turns
 * together do not pass the limit, and given back if it was none (a redirect, a failure).
 *
 * Several processes may work for one crawl. Each knows what it has done itself, at once, and what all have done by the
 * crawl's totals, some seconds late; so several together may pass a limit by what they do in that time. One alone never
 * passes `maxPages`.
 */
import type { CrawlConfig } from '../crawl/config.ts';
import type { CrawlStatus, CrawlTotals } from '../ports.ts';

export interface Budget {
  /**
   * Reserves a page. `false`: a limit is met, and the crawl is over. While the last pages are reserved by others it
   * waits to see whether they need them.
   */
  reserve(): Promise<boolean>;
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
  /** Which limit was met, if any, by what was done: nothing is begun then. */
  metLimit(): MetLimit | undefined;
  /** The same by what is committed: nothing takes that back, and the crawl may be called limited. */
  metForGood(): MetLimit | undefined;
}

export type Limits = Pick<CrawlConfig, 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost'>;
export type Used = Pick<CrawlTotals, 'pages' | 'bytes' | 'activeMs' | 'cost'>;

/** What the crawl's status becomes, and why, in words for people. */
export interface MetLimit {
  readonly status: Extract<CrawlStatus, 'limited' | 'paused'>;
  readonly reason: string;
}

/** The crawl pauses when it would, at its present rate, have cost its limit after this: what is under way costs too. */
const COST_HEADROOM_MS = 30_000;

/** As many turns could use up what is left. */
const TURNS_TO_LIMIT = 20;

/**
 * `used`: what the crawl has used so far; `now`: the clock; `isShared`: whether other processes work for the crawl too.
 */
export function createBudget(limits: Limits, used: Used, now: () => number, isShared = false): Budget {
  let limit = limits;
  let base = used;
  let baseAt = now();
  /** US dollars a millisecond. */
  let costRate = 0;
  /** What this process has settled and `base` does not have yet. */
  const own = { pages: 0, bytes: 0 };
  /** The part of it that is committed. */
  const committed = { pages: 0, bytes: 0 };
  /** The part of that which `base` may have all the same, as it was committed while `base` was read. */
  let doubtful = { pages: 0, bytes: 0 };
  let reserved = 0;
  let waiting: (() => void)[] = [];

  const pages = () => base.pages + own.pages;

  function met(done: Readonly<typeof own>): MetLimit | undefined {
    const { maxPages, maxBytes, maxTimeMs, maxCost } = limit;
    const limited = (reason: string): MetLimit => ({ status: 'limited', reason });
    if (maxPages !== undefined && base.pages + done.pages >= maxPages) return limited(`${maxPages} pages`);
    if (maxBytes !== undefined && base.bytes + done.bytes >= maxBytes) return limited(`${maxBytes} bytes`);
    const sinceBase = now() - baseAt;
    if (maxTimeMs !== undefined && base.activeMs + sinceBase >= maxTimeMs)
      return limited(`${maxTimeMs / 1000} seconds`);
    if (maxCost !== undefined && (base.cost ?? 0) + costRate * (sinceBase + COST_HEADROOM_MS) >= maxCost)
      return { status: 'paused', reason: `maxCost: it would soon have cost ${maxCost} US dollars` };
    return undefined;
  }

  const metLimit = () => met(own);

  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    metLimit,
    metForGood: () =>
      met({ pages: committed.pages - doubtful.pages, bytes: committed.bytes - doubtful.bytes }),
    turnPages() {
      if (!isShared || limit.maxPages === undefined) return Infinity;
      return Math.max(1, Math.ceil((limit.maxPages - pages()) / TURNS_TO_LIMIT));
    },
    async reserve() {
      for (;;) {
        if (metLimit() !== undefined) return false;
        if (limit.maxPages === undefined || pages() + reserved < limit.maxPages) {
          reserved++;
          return true;
        }
        await new Promise<void>((wake) => waiting.push(wake));
      }
    },
    settle(isPage) {
      reserved--;
      if (isPage) own.pages++;
      wakeAll();
    },
    receive(bytes) {
      own.bytes += bytes;
    },
    giveBack(pages, bytes) {
      own.pages -= pages;
      own.bytes -= bytes;
      wakeAll();
    },
    commit(pages, bytes) {
      committed.pages += pages;
      committed.bytes += bytes;
    },
    async refresh(limits, read) {
      const before = { ...committed };
      const next = await read();
      const at = now();
      if (base.cost !== undefined && next.cost !== undefined && at > baseAt)
        costRate = Math.max(0, next.cost - base.cost) / (at - baseAt);
      limit = limits;
      base = next;
      baseAt = at;
      for (const key of ['pages', 'bytes'] as const) {
        own[key] -= before[key];
        committed[key] -= before[key];
      }
      doubtful = { ...committed };
      wakeAll();
    },
  };
}

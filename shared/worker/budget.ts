/**
 * The limits of a crawl: pages, bytes, time. A page is reserved before it is fetched, so that many turns together
 * do not pass the limit, and given back if it was none (a redirect, a failure).
 */
import type { CrawlConfig } from '../crawl/config.ts';

export interface Budget {
  /**
   * Reserves a page. `false`: a limit is met, and the crawl is over. While the last pages are reserved by others it
   * waits to see whether they need them.
   */
  reserve(): Promise<boolean>;
  /** Settles a reservation: whether it became a page, and the bytes received. */
  settle(isPage: boolean, bytes: number): void;
  /** Takes pages back that were counted and did not become real: their turn was thrown away. */
  giveBack(pages: number): void;
  /** Which limit was met, in words for people. */
  metLimit(): string | undefined;
}

export type Limits = Pick<CrawlConfig, 'maxPages' | 'maxBytes' | 'maxTimeMs'>;

/** `used`: what the crawl has used so far; `startedAt`: when this session began, on the clock of `now`. */
export function createBudget(
  limits: Limits,
  used: { readonly pages: number; readonly bytes: number; readonly activeMs: number },
  now: () => number,
): Budget {
  const startedAt = now();
  let { pages, bytes } = used;
  let reserved = 0;
  let waiting: (() => void)[] = [];

  function metLimit(): string | undefined {
    if (limits.maxPages !== undefined && pages >= limits.maxPages) return `${limits.maxPages} pages`;
    if (limits.maxBytes !== undefined && bytes >= limits.maxBytes) return `${limits.maxBytes} bytes`;
    if (limits.maxTimeMs !== undefined && used.activeMs + now() - startedAt >= limits.maxTimeMs)
      return `${limits.maxTimeMs / 1000} seconds`;
    return undefined;
  }

  function wakeAll(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    metLimit,
    async reserve() {
      for (;;) {
        if (metLimit() !== undefined) return false;
        if (limits.maxPages === undefined || pages + reserved < limits.maxPages) {
          reserved++;
          return true;
        }
        await new Promise<void>((wake) => waiting.push(wake));
      }
    },
    settle(isPage, received) {
      reserved--;
      if (isPage) pages++;
      bytes += received;
      wakeAll();
    },
    giveBack(count) {
      pages -= count;
      wakeAll();
    },
  };
}

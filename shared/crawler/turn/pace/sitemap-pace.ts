import type { SitemapPace as StoredPace } from '../../../core/frontier/head.ts';

/** Requests of other kinds between two sitemaps of a host, so that a large index does not keep its pages waiting. */
const REQUESTS_BETWEEN = 10;
/** No further sitemap is read while this number of URLs of the host wait: two full sitemaps. */
const MAX_WAITING = 100_000;

/** How many sitemaps of a host are read, and when: they take turns with its pages. */
export class SitemapPace {
  #known: number;
  #rest: number;

  constructor(stored: StoredPace = { known: 0, rest: 0 }) {
    this.#known = stored.known;
    this.#rest = stored.rest;
  }

  /** Undefined for a host without sitemaps. */
  state(): StoredPace | undefined {
    return this.#known > 0 ? { known: this.#known, rest: this.#rest } : undefined;
  }

  /** Whether a sitemap is to come before the pages that wait. If no page waits, sitemaps come anyway. */
  isNext(waitingUrls: number): boolean {
    return this.#rest === 0 && waitingUrls < MAX_WAITING;
  }

  /** Counts a request that is about to be made. */
  countRequest(isSitemap: boolean): void {
    this.#rest = isSitemap ? REQUESTS_BETWEEN : Math.max(0, this.#rest - 1);
  }

  /** Counts a sitemap that is new to the host's ledger. False: the host has had `max` sitemaps. */
  admit(max: number): boolean {
    if (this.#known >= max) return false;
    this.#known++;
    return true;
  }
}

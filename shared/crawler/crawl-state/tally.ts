import type { CrawlTotals } from '../ports/crawl-registry.ts';

export type Used = Pick<CrawlTotals, 'pages' | 'bytes' | 'activeMs' | 'cost'> &
  Partial<Pick<CrawlTotals, 'requisites' | 'demand' | 'urls' | 'linking'>>;

/** The counts of a crawl's budget: pages and bytes used, and pages reserved. */
export interface Tally {
  /** Settled as pages, committed or not. */
  pages(): number;
  bytes(): number;
  /** Returns the committed counts, which never decrease. */
  committed(): { readonly pages: number; readonly bytes: number };
  /** Reserves a page, if no more than `max` are made and reserved then. */
  reserve(max: number): boolean;
  settle(isPage: boolean): void;
  receive(bytes: number): void;
  giveBack(pages: number, bytes: number): void;
  /** `readsBefore`: the number of reads before the committed counts were stored. */
  commit(pages: number, bytes: number, readsBefore: number): void;
  /** The number of times that the usage of all processes was read. */
  reads(): number;
  /** Whether some committed counts become final only with the next read. */
  isInDoubt(): boolean;
  /** Takes over what `read` says that all processes have used. */
  refresh(read: () => Promise<Used>): Promise<Used>;
  /** Other threads reserve, too: a caller that waits for their returned pages looks again after this. */
  readonly pollMs?: number;
}

/** Returns the tally of this process, beginning with the usage of the crawl so far. */
export function createTally(used: Used): Tally {
  let base = used;
  /** Work that this process has settled and that `base` does not have yet. */
  const own = { pages: 0, bytes: 0 };
  /** The part of it that is committed. */
  const committed = { pages: 0, bytes: 0 };
  /** The part of that which `base` may have anyway, as `base` was read while it was committed. */
  let doubtful = { pages: 0, bytes: 0 };
  let reserved = 0;
  let reads = 0;

  return {
    pages: () => base.pages + own.pages,
    bytes: () => base.bytes + own.bytes,
    committed: () => ({
      pages: base.pages + committed.pages - doubtful.pages,
      bytes: base.bytes + committed.bytes - doubtful.bytes,
    }),
    reserve(max) {
      if (base.pages + own.pages + reserved >= max) return false;
      reserved++;
      return true;
    },
    settle(isPage) {
      reserved--;
      if (isPage) own.pages++;
    },
    receive(bytes) {
      own.bytes += bytes;
    },
    giveBack(pages, bytes) {
      own.pages -= pages;
      own.bytes -= bytes;
    },
    commit(pages, bytes, readsBefore) {
      committed.pages += pages;
      committed.bytes += bytes;
      if (readsBefore === reads) return;
      doubtful.pages += pages;
      doubtful.bytes += bytes;
    },
    reads: () => reads,
    isInDoubt: () => doubtful.pages > 0 || doubtful.bytes > 0,
    async refresh(read) {
      const before = { ...committed };
      base = await read();
      for (const key of ['pages', 'bytes'] as const) {
        own[key] -= before[key];
        committed[key] -= before[key];
      }
      doubtful = { ...committed };
      reads++;
      return base;
    },
  };
}

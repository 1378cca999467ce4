/**
 * The crawls that may have WARC objects to join, or items to put into tables. Writers of such objects enter the crawl
 * before they write, and so does the end of a crawl, which lets the rest be joined. The compactor visits only these
 * crawls, and removes a crawl without further work: unless it was entered again meanwhile.
 */
import QuickLRU from 'quick-lru';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, getItem, putItem, putOf, type Write } from '../table/table.ts';
import { COMPACTOR, type StateTable, UNJOINED } from './tables.ts';

export interface UnjoinedCrawl {
  readonly crawl: CrawlId;
  /** When it was entered last, in ms since the epoch. */
  readonly enteredAt: number;
  /** A new value each time that the crawl is entered. */
  readonly entry: string;
}

/** Writes of a process share an entry for this time. */
const SHARED_MS = 20 * 60_000;
/** A write that ends this long after its entry is followed by another entry. */
const LATE_MS = 40 * 60_000;
/** All objects whose writers count on an entry are there when it is this old; the rest is for clocks that differ. */
const SETTLED_MS = 60 * 60_000;
/** Crawls whose last entry a process remembers. */
const MAX_REMEMBERED = 10_000;

/**
 * Whether all that was written by writers who count on the entry can be seen at that time. An entry of a clock that was ahead is
 * visited for as much longer.
 */
export const isSettledEntry = ({ enteredAt }: Pick<UnjoinedCrawl, 'enteredAt'>, now: number): boolean =>
  now - enteredAt >= SETTLED_MS;

export class UnjoinedCrawls {
  readonly #table: StateTable;
  /** When this process has entered a crawl last. */
  readonly #entered = new QuickLRU<CrawlId, number>({ maxSize: MAX_REMEMBERED });

  constructor(table: StateTable) {
    this.#table = table;
  }

  /** The write of an entry, for a transaction. */
  entry(crawl: CrawlId): Write {
    return putOf(this.#table, this.#itemOf(crawl));
  }

  #itemOf(crawl: CrawlId): Item {
    const { clock } = this.#table;
    return { ...itemKey(UNJOINED, crawl), enteredAt: N(clock.now()), entry: S(clock.uuid()) };
  }

  /** Does a write after which the crawl has something to join. */
  readonly whileEntered = async <T>(crawl: CrawlId, write: () => Promise<T>): Promise<T> => {
    await this.#enter(crawl, SHARED_MS);
    const result = await write();
    await this.#enter(crawl, LATE_MS);
    return result;
  };

  /** Enters the crawl unless this process did so less than `maxAgeMs` ago. */
  async #enter(crawl: CrawlId, maxAgeMs: number): Promise<void> {
    const enteredAt = this.#table.clock.now();
    const age = enteredAt - (this.#entered.get(crawl) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back says nothing.
    if (age >= 0 && age < maxAgeMs) return;
    await putItem(this.#table, this.#itemOf(crawl));
    this.#entered.set(crawl, enteredAt);
  }

  /** By name. */
  async list(): Promise<UnjoinedCrawl[]> {
    const found: UnjoinedCrawl[] = [];
    for await (const { sk, enteredAt, entry } of queryItems(this.#table, { partition: UNJOINED }))
      found.push({ crawl: sk?.S as string, enteredAt: Number(enteredAt?.N), entry: entry?.S as string });
    return found;
  }

  /** Resolves to false if the crawl was entered again since it was listed. */
  async strike({ crawl, entry }: UnjoinedCrawl): Promise<boolean> {
    const { isWritten } = await deleteItem(this.#table, itemKey(UNJOINED, crawl), {
      // Where there is none, this very call may have deleted it, and its answer was lost.
      condition: 'attribute_not_exists(pk) OR #entry = :entry',
      values: { entry: S(entry) },
    });
    return isWritten;
  }

  /** Returns the crawl that was begun last, by any run of the compactor. */
  async lastBegun(): Promise<CrawlId | undefined> {
    return (await getItem(this.#table, LAST_BEGUN))?.crawl?.S;
  }

  /** Notes the crawl that is begun: the next run begins with the one after it, even if this one fails. */
  async noteBegun(crawl: CrawlId): Promise<void> {
    await putItem(this.#table, { ...LAST_BEGUN, crawl: S(crawl) });
  }
}

const LAST_BEGUN = itemKey(COMPACTOR, 'last');

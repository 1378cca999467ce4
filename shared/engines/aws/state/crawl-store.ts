import QuickLRU from 'quick-lru';
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { CorruptBytes } from '../../../core/frontier/bytes.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import { retryWaitMs } from '../retry.ts';
import { getItems } from '../table/batch.ts';
import { type Item, itemKey, N, PARTITION_KEY, S } from '../table/item.ts';
import { getItem, putItem, putOf, type Write } from '../table/table.ts';
import { transact } from '../table/transact.ts';
import { createCrawlDecoder, encodeCrawl, type StoredCrawl } from './crawl-record.ts';
import { CRAWL, replacing, STAMP, type StateTable } from './tables.ts';

export interface CrawlStoreOptions extends StateTable {
  readonly sizes?: Sizes | undefined;
  /** Called before a crawl is changed. */
  readonly onChange: (crawl: CrawlId) => Promise<unknown>;
}

/** Rounds of a change that others' changes come before. */
const CHANGE_ATTEMPTS = 20;

/** A large record is read this often though its stamp is the same. */
const MAX_STAMPED_MS = 60_000;
/** Crawls whose large records are kept. */
const MAX_SEEN = 20;

interface Seen {
  readonly stored: StoredCrawl;
  readonly stamp: string | undefined;
  readonly readAt: number;
}

/** The items of crawls. Each has a version, and is written only over the one that was read. */
export class CrawlStore {
  readonly #options: CrawlStoreOptions;
  readonly #decode = createCrawlDecoder();
  /** Large records, as read last. */
  readonly #seen = new QuickLRU<CrawlId, Seen>({ maxSize: MAX_SEEN });

  constructor(options: CrawlStoreOptions) {
    this.#options = options;
  }

  /**
   * Returns the crawl as the last finished change has left it. A change of a process that
   * died before it wrote the stamp shows after {@link MAX_STAMPED_MS} at the latest if the record is large.
   */
  async load(crawl: CrawlId): Promise<StoredCrawl | undefined> {
    const seen = this.#seen.get(crawl);
    if (seen === undefined || this.#elapsed() - seen.readAt >= MAX_STAMPED_MS) return this.loadNow(crawl);
    const stamp = await this.#readNonce(crawl, STAMP);
    return stamp !== undefined && stamp === seen.stamp ? seen.stored : this.#read(crawl, stamp);
  }

  /** The present record. */
  loadNow(crawl: CrawlId): Promise<StoredCrawl | undefined> {
    return this.#read(crawl);
  }

  /**
   * The records of the existing crawls that are small or not known yet, in a few calls. Without those that are damaged: who
   * loads such a crawl alone gets the error.
   */
  async loadMany(crawls: readonly CrawlId[]): Promise<Map<CrawlId, StoredCrawl>> {
    const readAt = this.#elapsed();
    const keys = crawls.filter((crawl) => !this.#seen.has(crawl)).map((crawl) => itemKey(crawl, CRAWL));
    const found = new Map<CrawlId, StoredCrawl>();
    for (const item of await getItems(this.#options, keys)) {
      const crawl = item[PARTITION_KEY]?.S as string;
      try {
        found.set(crawl, this.#decoded(crawl, item, { readAt }));
      } catch (error) {
        if (!(error instanceof CorruptBytes)) throw error;
      }
    }
    return found;
  }

  /** `stamp`: that which was read before. Default: the stamp that belongs to the item. */
  async #read(crawl: CrawlId, stamp?: string): Promise<StoredCrawl | undefined> {
    const readAt = this.#elapsed();
    const item = await getItem(this.#options, itemKey(crawl, CRAWL));
    if (item) return this.#decoded(crawl, item, { readAt, stamp });
    this.#seen.delete(crawl);
    return undefined;
  }

  #decoded(
    crawl: CrawlId,
    item: Item,
    { readAt, stamp = item.nonce?.S }: { readonly readAt: number; readonly stamp?: string | undefined },
  ): StoredCrawl {
    const stored = this.#decode(crawl, item);
    const isLarge = (item.record?.B?.length ?? 0) > sizesOf(this.#options).maxUnstampedBytes;
    if (isLarge) this.#seen.set(crawl, { stored, stamp, readAt });
    else this.#seen.delete(crawl);
    return stored;
  }

  async #readNonce(crawl: CrawlId, name: string): Promise<string | undefined> {
    return (await getItem(this.#options, itemKey(crawl, name)))?.nonce?.S;
  }

  /**
   * Writes the crawl over its last version. False if another has written meanwhile. The stamp of a new crawl is
   * written before it, as nobody knows the crawl yet: it is never without one. Otherwise after it, so that a
   * process that reads the new stamp reads the new record, too. `beside`: what is written together with the crawl.
   */
  async put(crawl: CrawlId, next: StoredCrawl, beside: readonly Write[] = []): Promise<boolean> {
    const nonce = this.#options.clock.uuid();
    const item = encodeCrawl(next);
    const isLarge = (item.record?.B?.length ?? 0) > sizesOf(this.#options).maxUnstampedBytes;
    const isNew = next.version === 1;
    if (isLarge && isNew) await this.#stamp(crawl, nonce, next.version);
    // The item that is replaced, as read last.
    const wasLarge = this.#seen.has(crawl);
    if (!(await this.#replace(crawl, next.version, { ...item, nonce: S(nonce) }, beside))) return false;
    this.#seen.delete(crawl);
    if ((isLarge || wasLarge) && !isNew) await this.#stamp(crawl, nonce, next.version);
    return true;
  }

  /** A late call does not replace the stamp of a later version. A new crawl may follow a deleted one. */
  async #stamp(crawl: CrawlId, nonce: string, version: number): Promise<void> {
    const item = { ...itemKey(crawl, STAMP), nonce: S(nonce), version: N(version) };
    const condition = 'attribute_not_exists(#version) OR #version < :version';
    await putItem(this.#options, item, version > 1 ? { condition, values: item } : undefined);
  }

  async #replace(
    crawl: CrawlId,
    version: number,
    attributes: Item,
    beside: readonly Write[],
  ): Promise<boolean> {
    const item = { ...itemKey(crawl, CRAWL), ...attributes };
    const isOurs = ({ nonce }: Item) => nonce?.S === item.nonce?.S;
    const when = { ...replacing(version - 1), isOurs };
    return beside.length === 0
      ? (await putItem(this.#options, item, when)).isWritten
      : transact(this.#options, [putOf(this.#options, item, when), ...beside]);
  }

  /**
   * Changes an existing crawl, with retries. If `changes` returns the record unchanged, nothing is written. `beside`:
   * what is written together with the crawl.
   */
  async change(
    crawl: CrawlId,
    changes: (stored: StoredCrawl) => StoredCrawl,
    beside?: readonly Write[],
  ): Promise<void> {
    const { clock, onChange } = this.#options;
    await onChange(crawl);
    for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
      const stored = await this.loadNow(crawl);
      if (!stored) throw new Error(`there is no crawl ${crawl}`);
      const changed = changes(stored);
      if (changed === stored) return;
      if (await this.put(crawl, { ...changed, version: stored.version + 1 }, beside)) return;
      await clock.sleep(retryWaitMs(Math.min(attempt, 4), clock.random()));
    }
    throw new Error(`the crawl ${crawl} is being changed by too many at once`);
  }

  /** As above, for its record alone. */
  changeRecord(crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord): Promise<void> {
    return this.change(crawl, (stored) => {
      const record = changes(stored.record);
      return record === stored.record ? stored : { ...stored, record };
    });
  }

  #elapsed(): number {
    const { clock } = this.#options;
    return (clock.elapsed ?? clock.now)();
  }
}

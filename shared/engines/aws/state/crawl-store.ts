import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import QuickLRU from 'quick-lru';
import { type Sizes, sizesOf } from '../../../core/base/sizes.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { CrawlRecord } from '../../../crawler/ports/crawl-registry.ts';
import { retryWaitMs, withRetry } from '../retry.ts';
import { createCrawlDecoder, encodeCrawl, type StoredCrawl } from './crawl-record.ts';
import { getItems } from './dynamo-batch.ts';
import { CRAWL, type Item, itemKey, N, PARTITION_KEY, replacing, S, STAMP } from './tables.ts';
import { transact } from './transact.ts';

export interface CrawlStoreOptions {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
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

  /** The records of the existing crawls that are small or not known yet, in a few calls. */
  async loadMany(crawls: readonly CrawlId[]): Promise<Map<CrawlId, StoredCrawl>> {
    const { table } = this.#options;
    const readAt = this.#elapsed();
    const keys = crawls.filter((crawl) => !this.#seen.has(crawl)).map((crawl) => itemKey(crawl, CRAWL));
    const found = new Map<CrawlId, StoredCrawl>();
    for (const item of await getItems(this.#options, table, keys)) {
      const crawl = item[PARTITION_KEY]?.S as string;
      found.set(crawl, this.#decoded(crawl, item, { readAt }));
    }
    return found;
  }

  /** `stamp`: that which was read before. Default: the stamp that belongs to the item. */
  async #read(crawl: CrawlId, stamp?: string): Promise<StoredCrawl | undefined> {
    const readAt = this.#elapsed();
    const item = await this.#get(crawl, CRAWL);
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
    return (await this.#get(crawl, name))?.nonce?.S;
  }

  async #get(crawl: CrawlId, name: string): Promise<Item | undefined> {
    const { dynamo, table, clock } = this.#options;
    const command = new GetItemCommand({ TableName: table, Key: itemKey(crawl, name), ConsistentRead: true });
    const { Item } = await withRetry('loading a crawl', () => dynamo.send(command), { clock });
    return Item;
  }

  /**
   * Writes the crawl over its last version. False if another has written meanwhile. The stamp of a new crawl is
   * written before it, as nobody knows the crawl yet: it is never without one. Otherwise after it, so that a
   * process that reads the new stamp reads the new record, too. `beside`: what is written together with the crawl.
   */
  async put(crawl: CrawlId, next: StoredCrawl, beside: readonly TransactWriteItem[] = []): Promise<boolean> {
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
    const { dynamo, table, clock } = this.#options;
    const command = new PutItemCommand({
      TableName: table,
      Item: { ...itemKey(crawl, STAMP), nonce: S(nonce), version: N(version) },
      ...(version > 1 && {
        ConditionExpression: 'attribute_not_exists(#version) OR #version < :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': N(version) },
      }),
    });
    try {
      await withRetry('stamping a crawl', () => dynamo.send(command), { clock });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  async #replace(
    crawl: CrawlId,
    version: number,
    item: Item,
    beside: readonly TransactWriteItem[],
  ): Promise<boolean> {
    const { table } = this.#options;
    const Put = {
      TableName: table,
      Item: { ...itemKey(crawl, CRAWL), ...item },
      ...replacing(version - 1),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    const failed =
      beside.length === 0
        ? await this.#putAlone(Put)
        : await transact(this.#options, 'storing a crawl', [{ Put }, ...beside]);
    // Written by this very call, whose answer was lost?
    return failed === undefined || failed.get(0)?.nonce?.S === item.nonce?.S;
  }

  /** As `transact` does it for the one item. */
  async #putAlone(put: PutItemCommandInput): Promise<ReadonlyMap<number, Item | undefined> | undefined> {
    const { dynamo, clock } = this.#options;
    try {
      await withRetry('storing a crawl', () => dynamo.send(new PutItemCommand(put)), { clock });
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return new Map([[0, error.Item]]);
    }
  }

  /**
   * Changes an existing crawl, with retries. If `changes` returns the record unchanged, nothing is written. `beside`:
   * what is written together with the crawl.
   */
  async change(
    crawl: CrawlId,
    changes: (stored: StoredCrawl) => StoredCrawl,
    beside?: readonly TransactWriteItem[],
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

/**
 * The crawls that may have WARC objects to join, or items to put into tables. Writers of such objects enter the crawl
 * before they write, and so does the end of a crawl, which lets the rest be joined. The compactor visits only these
 * crawls, and removes a crawl without further work: unless it was entered again meanwhile.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import QuickLRU from 'quick-lru';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { partitionItems } from './dynamo-pages.ts';
import { COMPACTOR, itemKey, N, S, UNJOINED } from './tables.ts';

export interface UnjoinedContext {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

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

/** Whether all that was written by writers who count on the entry can be seen at that time. */
export const isSettledEntry = ({ enteredAt }: UnjoinedCrawl, now: number): boolean =>
  now - enteredAt >= SETTLED_MS;

export class UnjoinedCrawls {
  readonly #context: UnjoinedContext;
  /** When this process has entered a crawl last. */
  readonly #entered = new QuickLRU<CrawlId, number>({ maxSize: MAX_REMEMBERED });

  constructor(context: UnjoinedContext) {
    this.#context = context;
  }

  /** The write of an entry, for a transaction. */
  entry(crawl: CrawlId): { readonly Put: PutItemCommandInput } {
    const { table, clock } = this.#context;
    const Item = { ...itemKey(UNJOINED, crawl), enteredAt: N(clock.now()), entry: S(clock.uuid()) };
    return { Put: { TableName: table, Item } };
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
    const { dynamo, clock } = this.#context;
    const enteredAt = clock.now();
    const age = enteredAt - (this.#entered.get(crawl) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back says nothing.
    if (age >= 0 && age < maxAgeMs) return;
    const command = new PutItemCommand(this.entry(crawl).Put);
    await withRetry('entering a crawl to be joined', () => dynamo.send(command), { clock });
    this.#entered.set(crawl, enteredAt);
  }

  /** By name. */
  async list(): Promise<UnjoinedCrawl[]> {
    const { dynamo, table, clock } = this.#context;
    const found: UnjoinedCrawl[] = [];
    const entries = partitionItems({ dynamo, clock }, { table, partition: UNJOINED });
    for await (const { sk, enteredAt, entry } of entries)
      found.push({ crawl: sk?.S as string, enteredAt: Number(enteredAt?.N), entry: entry?.S as string });
    return found;
  }

  /** Resolves to false if the crawl was entered again since it was listed. */
  async strike({ crawl, entry }: UnjoinedCrawl): Promise<boolean> {
    const { dynamo, table, clock } = this.#context;
    const command = new DeleteItemCommand({
      TableName: table,
      Key: itemKey(UNJOINED, crawl),
      // Where there is none, this very call may have deleted it, and its answer was lost.
      ConditionExpression: 'attribute_not_exists(pk) OR #entry = :entry',
      ExpressionAttributeNames: { '#entry': 'entry' },
      ExpressionAttributeValues: { ':entry': S(entry) },
    });
    try {
      await withRetry('striking a crawl that is joined', () => dynamo.send(command), { clock });
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** Returns the crawl that was begun last, by any run of the compactor. */
  async lastBegun(): Promise<CrawlId | undefined> {
    const { dynamo, table, clock } = this.#context;
    const Key = itemKey(COMPACTOR, 'last');
    const command = new GetItemCommand({ TableName: table, Key, ConsistentRead: true });
    const { Item } = await withRetry('looking where to join', () => dynamo.send(command), { clock });
    return Item?.crawl?.S;
  }

  /** Notes the crawl that is begun: the next run begins with the one after it, even if this one fails. */
  async noteBegun(crawl: CrawlId): Promise<void> {
    const { dynamo, table, clock } = this.#context;
    const Item = { ...itemKey(COMPACTOR, 'last'), crawl: S(crawl) };
    const command = new PutItemCommand({ TableName: table, Item });
    await withRetry('noting where to join', () => dynamo.send(command), { clock });
  }
}

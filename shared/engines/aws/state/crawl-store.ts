import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { CrawlRecord } from '../../../ports/crawl-registry.ts';
import { retryWaitMs, withRetry } from '../retry.ts';
import { createCrawlDecoder, encodeCrawl, type StoredCrawl } from './crawl-record.ts';
import { CRAWL, itemKey, replacing, S } from './tables.ts';

export interface CrawlStoreOptions {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  /** Called before a crawl is changed. */
  readonly onChange: (crawl: CrawlId) => Promise<unknown>;
}

/** Rounds of a change that others' changes come before. */
const CHANGE_ATTEMPTS = 20;

/** The items of crawls. Each has a version, and is written only over the one that was read. */
export class CrawlStore {
  readonly #options: CrawlStoreOptions;
  readonly #decode = createCrawlDecoder();

  constructor(options: CrawlStoreOptions) {
    this.#options = options;
  }

  async load(crawl: CrawlId): Promise<StoredCrawl | undefined> {
    const { dynamo, table, clock } = this.#options;
    const command = new GetItemCommand({
      TableName: table,
      Key: itemKey(crawl, CRAWL),
      ConsistentRead: true,
    });
    const { Item } = await withRetry('loading a crawl', () => dynamo.send(command), { clock });
    return Item && this.#decode(crawl, Item);
  }

  /** Writes the crawl over its last version. False if another has written meanwhile. */
  async put(crawl: CrawlId, next: StoredCrawl): Promise<boolean> {
    const { dynamo, table, clock } = this.#options;
    const nonce = clock.uuid();
    const command = new PutItemCommand({
      TableName: table,
      Item: { ...itemKey(crawl, CRAWL), ...encodeCrawl(next), nonce: S(nonce) },
      ...replacing(next.version - 1),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await withRetry('storing a crawl', () => dynamo.send(command), { clock });
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // Written by this very call, whose answer was lost?
      return error.Item?.nonce?.S === nonce;
    }
  }

  /** Changes a crawl that is there, as often as it takes. What `changes` returns unchanged is not written. */
  async change(crawl: CrawlId, changes: (stored: StoredCrawl) => StoredCrawl): Promise<void> {
    const { clock, onChange } = this.#options;
    await onChange(crawl);
    for (let attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
      const stored = await this.load(crawl);
      if (!stored) throw new Error(`there is no crawl ${crawl}`);
      const changed = changes(stored);
      if (changed === stored) return;
      if (await this.put(crawl, { ...changed, version: stored.version + 1 })) return;
      await clock.sleep(retryWaitMs(Math.min(attempt, 4), clock.random()));
    }
    throw new Error(`the crawl ${crawl} is being changed by too many at once`);
  }

  /** The same for its record alone. */
  changeRecord(crawl: CrawlId, changes: (record: CrawlRecord) => CrawlRecord): Promise<void> {
    return this.change(crawl, (stored) => {
      const record = changes(stored.record);
      return record === stored.record ? stored : { ...stored, record };
    });
  }
}

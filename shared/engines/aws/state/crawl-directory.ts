import {
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { withRetry } from '../retry.ts';
import { queryItems } from './dynamo-pages.ts';
import { itemKey, S } from './tables.ts';

export interface CrawlDirectoryOptions {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  /** The partition key of its entries. */
  readonly name: string;
}

/** Names of crawls. */
export class CrawlDirectory {
  readonly #options: CrawlDirectoryOptions;

  constructor(options: CrawlDirectoryOptions) {
    this.#options = options;
  }

  /** The write of `enter`, for a transaction. */
  entry(crawl: CrawlId): { readonly Put: PutItemCommandInput } {
    const { table, name } = this.#options;
    return { Put: { TableName: table, Item: itemKey(name, crawl) } };
  }

  /** The write of `strike`, for a transaction. */
  withoutEntry(crawl: CrawlId): { readonly Delete: DeleteItemCommandInput } {
    const { table, name } = this.#options;
    return { Delete: { TableName: table, Key: itemKey(name, crawl) } };
  }

  async enter(crawl: CrawlId): Promise<void> {
    const { dynamo, clock } = this.#options;
    const command = new PutItemCommand(this.entry(crawl).Put);
    await withRetry('entering a crawl into a directory', () => dynamo.send(command), { clock });
  }

  async strike(crawl: CrawlId): Promise<void> {
    const { dynamo, clock } = this.#options;
    const command = new DeleteItemCommand(this.withoutEntry(crawl).Delete);
    await withRetry('striking a crawl out of a directory', () => dynamo.send(command), { clock });
  }

  async list(): Promise<CrawlId[]> {
    const { dynamo, table, clock, name } = this.#options;
    const found: CrawlId[] = [];
    const entries = queryItems(
      { dynamo, clock },
      {
        TableName: table,
        KeyConditionExpression: 'pk = :directory',
        ExpressionAttributeValues: { ':directory': S(name) },
        ConsistentRead: true,
      },
    );
    for await (const { sk } of entries) found.push(sk?.S as string);
    return found;
  }
}

import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Clock } from '../../../ports/clock.ts';
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

  async enter(crawl: CrawlId): Promise<void> {
    const { dynamo, table, clock, name } = this.#options;
    const command = new PutItemCommand({ TableName: table, Item: itemKey(name, crawl) });
    await withRetry('entering a crawl into a directory', () => dynamo.send(command), { clock });
  }

  async strike(crawl: CrawlId): Promise<void> {
    const { dynamo, table, clock, name } = this.#options;
    const command = new DeleteItemCommand({ TableName: table, Key: itemKey(name, crawl) });
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

import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { Referrers } from '../../../services/control/referrers.ts';
import { withRetry } from '../retry.ts';
import { queryItems } from '../state/dynamo-pages.ts';
import { itemKey, REFERRED, REFERRERS, S } from '../state/tables.ts';

export interface ReferrersContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

/**
 * {@link Referrers} as items of CrawlState, two for each two crawls: one is found by the crawl that is referred to, the other
 * by the one that refers. They outlive both crawls' state: an archive refers to another one until it is deleted.
 */
export function createReferrers({ dynamo, clock, table }: ReferrersContext): Referrers {
  /** The crawls that stand after that one in the partition. */
  async function* secondsOf(partition: string, crawl: CrawlId): AsyncGenerator<CrawlId> {
    const items = queryItems(
      { dynamo, clock },
      {
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :crawl)',
        ExpressionAttributeValues: { ':pk': S(partition), ':crawl': S(`${crawl} `) },
        ConsistentRead: true,
      },
    );
    for await (const { sk } of items) yield (sk?.S ?? '').split(' ')[1] ?? '';
  }

  async function put(partition: string, first: CrawlId, second: CrawlId): Promise<void> {
    const command = new PutItemCommand({
      TableName: table,
      Item: itemKey(partition, `${first} ${second}`),
    });
    await withRetry('noting an archive that refers to another', () => dynamo.send(command), { clock });
  }

  async function strike(partition: string, first: CrawlId, second: CrawlId): Promise<void> {
    const command = new DeleteItemCommand({
      TableName: table,
      Key: itemKey(partition, `${first} ${second}`),
    });
    await withRetry('forgetting an archive', () => dynamo.send(command), { clock });
  }

  return {
    async add(by, crawls) {
      for (const crawl of crawls) {
        // First the one that `remove` finds: a process that dies after it leaves nothing that stays for ever.
        await put(REFERRED, by, crawl);
        await put(REFERRERS, crawl, by);
      }
    },
    async of(crawl) {
      const found: CrawlId[] = [];
      for await (const by of secondsOf(REFERRERS, crawl)) found.push(by);
      return found;
    },
    async remove(by) {
      for await (const crawl of secondsOf(REFERRED, by)) {
        await strike(REFERRERS, crawl, by);
        await strike(REFERRED, by, crawl);
      }
    },
  };
}

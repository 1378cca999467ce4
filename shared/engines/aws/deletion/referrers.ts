import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { Referrers } from '../../../services/control/referrers.ts';
import { withRetry } from '../retry.ts';
import { queryItems } from '../state/dynamo-pages.ts';
import { itemKey, REFERRERS, S } from '../state/tables.ts';

export interface ReferrersContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

/**
 * {@link Referrers} as items of CrawlState, one for each two crawls. They outlive both crawls' state: an archive refers to
 * another one until it is deleted.
 */
export function createReferrers({ dynamo, clock, table }: ReferrersContext): Referrers {
  /** The notes about one crawl that is referred to, or all of them. */
  async function* notes(crawl?: CrawlId): AsyncGenerator<{ crawl: CrawlId; by: CrawlId }> {
    const items = queryItems(
      { dynamo, clock },
      {
        TableName: table,
        KeyConditionExpression: crawl === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :crawl)',
        ExpressionAttributeValues: {
          ':pk': S(REFERRERS),
          ...(crawl !== undefined && { ':crawl': S(`${crawl} `) }),
        },
        ConsistentRead: true,
      },
    );
    for await (const { sk } of items) {
      const [of = '', by = ''] = (sk?.S ?? '').split(' ');
      yield { crawl: of, by };
    }
  }

  return {
    async add(by, crawls) {
      for (const crawl of crawls) {
        const command = new PutItemCommand({ TableName: table, Item: itemKey(REFERRERS, `${crawl} ${by}`) });
        await withRetry('noting an archive that refers to another', () => dynamo.send(command), { clock });
      }
    },
    async of(crawl) {
      const found: CrawlId[] = [];
      for await (const { by } of notes(crawl)) found.push(by);
      return found;
    },
    async remove(by) {
      for await (const note of notes()) {
        if (note.by !== by) continue;
        const Key = itemKey(REFERRERS, `${note.crawl} ${by}`);
        const command = new DeleteItemCommand({ TableName: table, Key });
        await withRetry('forgetting an archive', () => dynamo.send(command), { clock });
      }
    },
  };
}

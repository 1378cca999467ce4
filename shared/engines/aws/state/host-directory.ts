/**
 * The directory of a crawl's hosts: an item for each, in partitions of the crawl's own, so that its hosts are found
 * without a look at those of other crawls.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { SitePass } from '../../../core/frontier/site-pass.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { HostPass } from '../../../crawler/ports/ledger-store.ts';
import { withRetry } from '../retry.ts';
import { queryItems } from './dynamo-pages.ts';
import { allHostShards, hostShardOf, type Item, itemKey, N, S } from './tables.ts';

export interface HostDirectoryContext {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
}

/** A cursor in the directory: after this host. Without a host: at the partition's begin. */
export interface DirectoryPlace {
  /** The number of the partition. */
  readonly shard: number;
  readonly host?: HostKey;
}

export interface DirectoryPage {
  readonly hosts: readonly HostKey[];
  /** Absent: the directory is at its end. */
  readonly next?: DirectoryPlace;
}

export class HostDirectory {
  readonly #context: HostDirectoryContext;

  constructor(context: HostDirectoryContext) {
    this.#context = context;
  }

  /** Before the host's first head is stored: an entry without a head does no harm. */
  async enter(crawl: CrawlId, host: HostKey): Promise<void> {
    const { dynamo, table, clock } = this.#context;
    const command = new PutItemCommand({ TableName: table, Item: itemKey(hostShardOf(crawl, host), host) });
    await withRetry('entering a host into the directory', () => dynamo.send(command), { clock });
  }

  /**
   * Enters a host with the pass over it. Before its head is stored, so that no pass is left out if the process ends; a turn
   * that is late changes nothing.
   */
  async enterPass(crawl: CrawlId, host: HostKey, pass: SitePass, version: number): Promise<void> {
    const { dynamo, table, clock } = this.#context;
    const command = new PutItemCommand({
      TableName: table,
      Item: {
        ...itemKey(hostShardOf(crawl, host), host),
        site: S(JSON.stringify(pass)),
        version: N(version),
      },
      ConditionExpression: 'attribute_not_exists(#version) OR #version <= :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': N(version) },
    });
    try {
      await withRetry('noting the pass over a site', () => dynamo.send(command), { clock });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  /** The hosts that have a pass, as their entries have it. */
  async *passes(crawl: CrawlId): AsyncGenerator<HostPass> {
    const { table } = this.#context;
    for (const partition of allHostShards(crawl)) {
      const entries = queryItems(this.#context, {
        TableName: table,
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': S(partition) },
      });
      for await (const { sk, site } of entries)
        if (site?.S !== undefined) yield { host: sk?.S as HostKey, pass: JSON.parse(site.S) };
    }
  }

  /** Returns up to `limit` hosts from the cursor `place` on, of one partition, read consistently. */
  async page(crawl: CrawlId, place: DirectoryPlace, limit: number): Promise<DirectoryPage> {
    const { dynamo, table, clock } = this.#context;
    const shards = allHostShards(crawl);
    const partition = shards[place.shard];
    if (partition === undefined) return { hosts: [] };
    const command = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :partition',
      ExpressionAttributeValues: { ':partition': S(partition) },
      ConsistentRead: true,
      Limit: limit,
      ...(place.host !== undefined && { ExclusiveStartKey: itemKey(partition, place.host) }),
    });
    const { Items = [], LastEvaluatedKey } = await withRetry(`listing hosts`, () => dynamo.send(command), {
      clock,
    });
    const hosts = Items.map(({ sk }) => sk?.S as string);
    const last = (LastEvaluatedKey as Item | undefined)?.sk?.S;
    if (last !== undefined) return { hosts, next: { shard: place.shard, host: last } };
    if (place.shard + 1 < shards.length) return { hosts, next: { shard: place.shard + 1 } };
    return { hosts };
  }
}

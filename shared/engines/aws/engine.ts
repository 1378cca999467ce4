import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock, Engine } from '../../ports.ts';
import { type ArchivesOptions, createArchives } from './archives.ts';
import type { OnCorrupt } from './delivery.ts';
import { createLedgerStore } from './ledger-store.ts';
import { createLinkExchange } from './link-exchange.ts';
import { type AwsCrawlRegistry, createRegistry } from './registry.ts';
import { countMessages } from './sqs-queue.ts';
import type { StateNames } from './tables.ts';
import { createTurnQueue, type SqsTurnQueue } from './turn-queue.ts';

export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

export interface AwsNames extends StateNames {
  readonly turnQueueUrl: string;
  readonly linkQueueUrl: string;
}

export interface AwsEngineOptions {
  readonly clients: AwsClients;
  readonly names: AwsNames;
  readonly clock: Clock;
  /** The turn queue's visibility timeout: the lease of a host. */
  readonly visibilityMs: number;
  readonly archive: Pick<ArchivesOptions, 'software' | 'prefix' | 'maxBytes' | 'gatherMs'>;
  /** How long a crawl must have had nothing to do. Default 60,000. */
  readonly settleMs?: number;
  readonly onCorrupt?: OnCorrupt;
  /** Hears of what could not be done at once, for people. */
  readonly warn?: (message: string) => void;
}

export interface AwsEngine extends Engine {
  readonly queue: SqsTurnQueue;
  readonly registry: AwsCrawlRegistry;
}

/**
 * The engine on SQS, DynamoDB and S3. It holds nothing that must be closed: what is not flushed or committed is not
 * there, by design. The clients are the caller's to make, and to destroy.
 */
export function createAwsEngine(options: AwsEngineOptions): AwsEngine {
  const { clients, names, clock, visibilityMs, archive, settleMs, onCorrupt, warn } = options;
  const { dynamo, s3, sqs } = clients;
  const queueUrls = [names.turnQueueUrl, names.linkQueueUrl];
  const registry = createRegistry({
    dynamo,
    names,
    clock,
    settleMs,
    warn,
    async hasMessages() {
      const counts = await Promise.all(queueUrls.map((url) => countMessages(sqs, url)));
      return counts.some((count) => count > 0);
    },
  });
  return {
    clock,
    registry,
    queue: createTurnQueue({
      client: sqs,
      queueUrl: names.turnQueueUrl,
      clock,
      visibilityMs,
      onCorrupt,
    }),
    exchange: createLinkExchange({ client: sqs, queueUrl: names.linkQueueUrl, clock, onCorrupt }),
    ledgers: createLedgerStore({ dynamo, s3, names, clock, onCommit: registry.onCommit }),
    archiveOf: createArchives({ client: s3, bucket: names.bucket, clock, registry, ...archive }),
  };
}

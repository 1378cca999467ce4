/** The whole engine on an emulator, composed as a worker composes it, with resources of its own. */
import { randomUUID } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { createAwsEngine } from '../../shared/engines/aws/engine.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { OpenedEngine, OpenOptions } from '../contract/subject.ts';
import { CLIENT_OPTIONS, makeResources, type Resources } from './resources.ts';

export interface AwsOpenOptions extends OpenOptions {
  /** Default 2; queues.slow.test.ts has one. */
  readonly turnQueues?: number;
  /** Requests wait for others, as in a deployed stack. */
  readonly isGathering?: boolean;
  /** Called before the engine is made: puts something into its tables, bucket and queues. */
  readonly fill?: (place: Place) => Promise<void>;
  /** The wall clock is this many ms ahead. */
  readonly aheadMs?: () => number;
}

export interface Place extends Pick<Resources, 'dynamo' | 's3' | 'names'> {
  readonly sqs: SQSClient;
  readonly turnQueueUrls: readonly string[];
  readonly linkQueueUrl: string;
}

export async function openAwsEngine(options: AwsOpenOptions = {}): Promise<OpenedEngine> {
  const { leaseMs = 60_000, turnQueues = 2, isGathering = false, aheadMs = () => 0 } = options;
  const resources = await makeResources();
  const { dynamo, s3, names } = resources;
  const sqs = new SQSClient(CLIENT_OPTIONS);
  const id = `strand-${randomUUID()}`;
  const makeQueue = async (QueueName: string, Attributes = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl as string;
  const shards = Array.from({ length: turnQueues }, (_, shard) => shard);
  const turnQueueUrls = await Promise.all(
    shards.map((shard) =>
      makeQueue(`${id}-${shard}.fifo`, {
        FifoQueue: 'true',
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      }),
    ),
  );
  const linkQueueUrl = await makeQueue(id);
  await options.fill?.({ dynamo, s3, names, sqs, turnQueueUrls, linkQueueUrl });
  const engine = createAwsEngine({
    clients: { dynamo, s3, sqs },
    names: {
      ...names,
      turnQueueUrls,
      linkQueueUrl,
      backlogQueueUrls: [],
      startQueueUrl: 'none',
      workersPerQueue: 1,
    },
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs() },
    // A lease counts from before the poll that gave it.
    visibilityMs: Math.max(leaseMs, 4000),
    archive: { prefix: 'test', software: 'test' },
    // A test that is to see a crawl unsettled may take seconds between two calls.
    settleMs: 4000,
    ...(isGathering && { sendGatherMs: 50, settleGatherMs: 200 }),
  });
  return {
    engine,
    reopen: async () => engine,
    async readRecord(crawl, { file, offset, length }) {
      const { Body } = await s3.send(
        new GetObjectCommand({
          Bucket: names.bucket,
          Key: warcKey(warcFolder(crawl), file),
          Range: `bytes=${offset}-${offset + length - 1}`,
        }),
      );
      return Body!.transformToByteArray();
    },
    async close() {
      for (const QueueUrl of [...turnQueueUrls, linkQueueUrl])
        await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      sqs.destroy();
      await resources.remove();
    },
  };
}

/** The whole engine on an emulator, composed as a worker composes it, with resources of its own. */
import { randomUUID } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { warcKey } from '../../shared/engines/aws/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archives.ts';
import { createAwsEngine } from '../../shared/engines/aws/engine.ts';
import { systemClock } from '../../shared/engines/local/clock.ts';
import type { OpenedEngine, OpenOptions } from '../contract/engine-contract.ts';
import { CLIENT_OPTIONS, makeResources } from './resources.ts';

export async function openAwsEngine({ leaseMs = 60_000 }: OpenOptions = {}): Promise<OpenedEngine> {
  const resources = await makeResources();
  const { dynamo, s3, names } = resources;
  const sqs = new SQSClient(CLIENT_OPTIONS);
  const id = `strand-${randomUUID()}`;
  const makeQueue = async (QueueName: string, Attributes = {}) =>
    (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl as string;
  const turnQueueUrl = await makeQueue(`${id}.fifo`, {
    FifoQueue: 'true',
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
  });
  const linkQueueUrl = await makeQueue(id);
  const engine = createAwsEngine({
    clients: { dynamo, s3, sqs },
    names: { ...names, turnQueueUrl, linkQueueUrl },
    clock: systemClock,
    // A lease counts from before the poll that gave it.
    visibilityMs: Math.max(leaseMs, 4000),
    archive: { prefix: 'test', software: 'test' },
    settleMs: 1000,
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
      for (const QueueUrl of [turnQueueUrl, linkQueueUrl])
        await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      sqs.destroy();
      await resources.remove();
    },
  };
}

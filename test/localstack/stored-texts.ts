/** All that a deployed stack holds, as texts in which a test looks for secrets. */
import { gunzipSync } from 'node:zlib';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { ledgersOf } from '../crawler/worker/world.ts';
import type { Deployed } from './deployed.ts';
import { CLIENT_OPTIONS } from './resources.ts';

const unpacked = (bytes: Uint8Array): string =>
  Buffer.from(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1');

/** The ledgers of the crawl, all items of the tables but the cookies of jars, and all objects of the bucket. */
export async function storedTexts(deployed: Deployed, crawl: string): Promise<string[]> {
  const { stack, settings } = deployed;
  const { dynamo } = stack.clients;
  const texts = [JSON.stringify([...(await ledgersOf(stack.engine, crawl))])];
  for (const TableName of [settings.crawlState, settings.urlSeen])
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName }))
      for (const { cookies, ...item } of Items) {
        texts.push(JSON.stringify(item));
        for (const { B } of Object.values(item)) if (B) texts.push(unpacked(B));
      }
  return [...texts, ...(await objectTexts(deployed))];
}

/** All objects of the bucket. */
export async function objectTexts({ stack, settings }: Deployed): Promise<string[]> {
  const { s3 } = stack.clients;
  const { bucket: Bucket } = settings;
  const texts: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket }))
    for (const { Key } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      texts.push(unpacked(await Body!.transformToByteArray()));
    }
  return texts;
}

/** The messages of all queues, received ones too: by the emulator's own call, which does not receive them. */
export async function queuedTexts({ settings }: Deployed): Promise<string[]> {
  const { turnQueueUrls, backlogQueueUrls, linkShardUrls, startQueueUrl, linkQueueUrl } = settings;
  const { linkDeadLetterUrl, turnDeadLetterUrl } = settings;
  const queues = [
    ...[...turnQueueUrls, ...backlogQueueUrls, ...linkShardUrls],
    ...[startQueueUrl, linkQueueUrl, linkDeadLetterUrl, turnDeadLetterUrl],
  ];
  const texts = queues.map(async (QueueUrl) => {
    const query = new URLSearchParams({ QueueUrl, ShowInvisible: 'true', ShowDelayed: 'true' });
    const response = await fetch(`${CLIENT_OPTIONS.endpoint}/_aws/sqs/messages?${query}`);
    if (!response.ok) throw new Error(`${QueueUrl}: ${response.status} ${await response.text()}`);
    return response.text();
  });
  return Promise.all(texts);
}

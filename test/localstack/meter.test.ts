/** Tests of the emulator's services with a metered engine, and of the crawl's totals. */
import { randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeter, type Meter } from '../../shared/engines/aws/cost/meter.ts';
import { costOf, priceOf, type Usage } from '../../shared/engines/aws/cost/prices.ts';
import { createTurnQueue } from '../../shared/engines/aws/queues/turn-queue.ts';
import { createLedgerStore } from '../../shared/engines/aws/state/ledger-store.ts';
import { createRegistry } from '../../shared/engines/aws/state/registry.ts';
import { itemKey, S } from '../../shared/engines/aws/table/item.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { CRAWL, headOf, RECORD, token } from '../contract/subjects.ts';
import { CLIENT_OPTIONS, hasEmulator, makeResources, type Resources } from './resources.ts';

describe.runIf(hasEmulator())('a meter that watches clients of an emulator', () => {
  let resources: Resources;
  let meter: Meter;
  beforeEach(async () => {
    resources = await makeResources();
    meter = createMeter({ clock: systemClock, memoryMb: 1024 });
    meter.watch(resources.dynamo);
    meter.watch(resources.s3);
  });
  afterEach(() => resources.remove());

  async function usageOf(work: () => Promise<unknown>): Promise<Usage> {
    await meter.run(CRAWL, work);
    return meter.take().get(CRAWL) ?? {};
  }

  test('counts units of DynamoDB as it reports them, indexes included, and failed conditions', async () => {
    const { dynamo, names } = resources;
    const key = itemKey('p', 's');
    const put = (Item: object, more = {}) =>
      dynamo.send(new PutItemCommand({ TableName: names.crawlState, Item: { ...key, ...Item }, ...more }));
    const get = (ConsistentRead: boolean) =>
      dynamo.send(new GetItemCommand({ TableName: names.crawlState, Key: key, ConsistentRead }));
    expect(await usageOf(() => put({ text: S('x'.repeat(2000)) }))).toEqual({ dynamoWriteUnits: 2 });
    expect(await usageOf(() => get(true))).toEqual({ dynamoReadUnits: 1 });
    expect(await usageOf(() => get(false))).toEqual({ dynamoReadUnits: 0.5 });
    // The units of the replaced item, because it is larger, and one for the index.
    expect(await usageOf(() => put({ dueShard: S('0'), dueAt: { N: '1' } }))).toEqual({
      dynamoWriteUnits: 3,
    });
    const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
    expect(await usageOf(() => put({ text: S('x'.repeat(3000)) }, condition).catch(() => {}))).toEqual({
      dynamoWriteUnits: 3,
    });
  });

  test('counts requests of S3 and SQS', async () => {
    const { s3, names } = resources;
    const object = { Bucket: names.bucket, Key: 'k' };
    expect(
      await usageOf(async () => {
        await s3.send(new PutObjectCommand({ ...object, Body: 'b' }));
        await s3.send(new GetObjectCommand(object));
        await s3.send(new HeadObjectCommand(object));
      }),
    ).toEqual({ s3Puts: 1, s3Gets: 2 });

    const client = new SQSClient(CLIENT_OPTIONS);
    const Attributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true' };
    const { QueueUrl } = await client.send(
      new CreateQueueCommand({ QueueName: `strand-${randomUUID()}.fifo`, Attributes }),
    );
    meter.watch(client);
    try {
      const queue = createTurnQueue({
        client,
        queueUrl: QueueUrl as string,
        clock: systemClock,
        visibilityMs: 30_000,
      });
      const usage = await usageOf(async () => {
        await queue.send([{ host: 'a.test', message: token('1') }]);
        const [received] = await queue.receive(1, 0);
        await queue.acknowledge(received!, received!.deliveries);
        await queue.receive(1, 0);
      });
      expect(usage).toEqual({ sqsFifoRequests: 4 });
      expect(meter.takeCalls()).toMatchObject({
        'sqsFifo.SendMessageBatch': 1,
        'sqsFifo.ReceiveMessage': 2,
        'sqsFifo.DeleteMessageBatch': 1,
        's3.PutObject': 1,
      });
    } finally {
      await client.send(new DeleteQueueCommand({ QueueUrl }));
      client.destroy();
    }
  });

  test('a crawl’s totals hold what it has used and what that costs, and a recount keeps it', async () => {
    const { dynamo, s3, names } = resources;
    const registry = createRegistry({
      dynamo,
      names,
      clock: systemClock,
      hasMessages: async () => false,
      meter,
    });
    const ledgers = createLedgerStore({ dynamo, s3, names, clock: systemClock, onCommit: registry.onCommit });
    meter.beginInvocation();
    await meter.run(CRAWL, async () => {
      await registry.create(CRAWL, RECORD);
      await ledgers.commit(CRAWL, 'a.test', headOf(1, { totals: { pages: 1, requests: 2, bytes: 1000 } }));
    });
    const early = await registry.totals(CRAWL);
    expect(early).toMatchObject({ pages: 1, usage: { lambdaRequests: 1 } });
    // Less would be added to the usage of the stack, however short the invocation is.
    await meter.run(CRAWL, async () => {
      for (let load = 0; load < 24; load++) await registry.load(CRAWL);
    });
    meter.endInvocation();
    await registry.flushUsage();

    const { usage, cost } = await registry.totals(CRAWL);
    // The items of three directories, the crawl's, one of its directory of hosts, the head, the counters. AWS counts
    // those of a transaction twice, the emulator once.
    expect(usage).toMatchObject({ dynamoWriteUnits: 7, lambdaRequests: 1, dataOutBytes: 5018 });
    expect(usage?.lambdaMbMs).toBeGreaterThan(0);
    expect(cost).toBe(costOf(usage as Usage, priceOf('us-east-1')).total);
    expect(cost).toBeGreaterThan(early.cost as number);

    await registry.recount(CRAWL, ledgers);
    expect(await registry.totals(CRAWL)).toMatchObject({ pages: 1, usage, cost });
  });
});

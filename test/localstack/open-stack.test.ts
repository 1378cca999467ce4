/**
 * The engine of a deployed stack, opened by its settings alone: what finds the emulator is the environment.
 */
import { randomUUID } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, test } from 'vitest';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { createClients } from '../../shared/engines/aws/clients.ts';
import { turnShardOf } from '../../shared/engines/aws/queues/turn-shards.ts';
import type { StackSettings } from '../../shared/engines/aws/settings.ts';
import { openStack } from '../../shared/engines/aws/stack.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { CRAWL, headOf, linkTo, RECORD, token } from '../contract/subjects.ts';
import { hasEmulator, makeResources } from './resources.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function makeStack(): Promise<StackSettings> {
  const resources = await makeResources();
  const clients = createClients(1, systemClock);
  const id = `strand-${randomUUID()}`;
  async function makeQueue(QueueName: string, Attributes = {}): Promise<string> {
    const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    closing.push(() => clients.sqs.send(new DeleteQueueCommand({ QueueUrl })));
    return QueueUrl as string;
  }
  closing.push(resources.remove, () => clients.sqs.destroy());
  const turnQueueUrls = [];
  for (const shard of [0, 1])
    turnQueueUrls.push(await makeQueue(`${id}-${shard}.fifo`, { FifoQueue: 'true' }));
  return {
    ...resources.names,
    stack: 'Strand of (a) test',
    turnQueueUrls,
    backlogQueueUrls: [],
    startQueueUrl: 'none',
    workersPerQueue: 25,
    linkQueueUrl: await makeQueue(id),
    linkShardUrls: [],
    linkDeadLetterUrl: 'none',
    turnDeadLetterUrl: 'none',
    dueShards: 4,
    workerTimeoutMs: 60_000,
    hostsPerWorker: 10,
    workerMemoryMb: 1024,
    crawlDefaults: {},
    defaultCrawl: 'default',
    allowPrivateAddresses: [],
  };
}

describe.runIf(hasEmulator())('on an emulator', () => {
  test('a stack is found by its settings, works, and knows what that has used', async () => {
    const settings = await makeStack();
    const { engine, clients, flushMeter, close } = openStack(settings, { clock: systemClock });
    closing.push(close);
    await engine.registry.create(CRAWL, RECORD);
    const hosts = Array.from({ length: 6 }, (_, i) => `h${i}.test`);
    await engine.queue.send(hosts.map((host) => ({ host, message: token('1') })));
    const bound = openStack(settings, { clock: systemClock, turnQueueUrl: settings.turnQueueUrls[1] });
    closing.push(bound.close);
    const own = await bound.engine.queue.receive(10, 1000);
    expect(own.map(({ host }) => host).sort()).toEqual(hosts.filter((host) => turnShardOf(host, 2) === 1));
    await Promise.all(own.map((received) => bound.engine.queue.acknowledge(received, received.deliveries)));

    await engine.exchange.send({ crawl: CRAWL, links: [linkTo('http://a.test/')] });
    expect((await engine.exchange.receive(10, 1000)).length).toBe(1);
    const archive = engine.archiveOf(CRAWL);
    const [location] = await archive.append([[Buffer.from('a record')]]);
    await archive.flush();
    expect(location!.file).toMatch(/^Strand-of-a-test-\d{14}-/);
    const { Body } = await clients.s3.send(
      new GetObjectCommand({
        Bucket: settings.bucket,
        Key: warcKey(warcFolder(CRAWL), location!.file),
        Range: `bytes=${location!.offset}-${location!.offset + location!.length - 1}`,
      }),
    );
    expect(await Body!.transformToString()).toBe('a record');
    await engine.ledgers.commit(CRAWL, 'a.test', headOf(1, { totals: { pages: 1 } }));
    await flushMeter();
    const { pages, usage, cost } = await engine.registry.totals(CRAWL);
    expect(pages).toBe(1);
    expect(usage).toMatchObject({ s3Puts: 1, sqsStandardRequests: expect.any(Number) });
    expect(cost).toBeGreaterThan(0);
  });
});

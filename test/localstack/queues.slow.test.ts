/**
 * The contract of the turn queue and the link exchange, on SQS as an emulator has it, at `AWS_ENDPOINT_URL`.
 * The other ports are the test double's.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Link } from '../../shared/core/frontier/message.ts';
import type { TurnQueue } from '../../shared/crawler/ports/turn-queue.ts';
import type { OnCorrupt } from '../../shared/engines/aws/queues/delivery.ts';
import { createLinkExchange } from '../../shared/engines/aws/queues/link-exchange.ts';
import { countMessages } from '../../shared/engines/aws/queues/sqs-queue.ts';
import { createTurnQueue } from '../../shared/engines/aws/queues/turn-queue.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { engineContract } from '../contract/engine-contract.ts';
import type { OpenedEngine, OpenOptions } from '../contract/subject.ts';
import { CRAWL, linkTo, token, tokensOf } from '../contract/subjects.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { CLIENT_OPTIONS, hasEmulator } from './resources.ts';

const VISIBILITY_MS = 60_000;
const LONG_MS = 5000;

const A = 'a.test';

interface QueueOptions extends OpenOptions {
  readonly onCorrupt?: OnCorrupt;
  /** Messages of the turn queue received more often go to the dead letters. */
  readonly maxReceiveCount?: number;
}

async function openQueues({ leaseMs, onCorrupt, maxReceiveCount = 1000 }: QueueOptions = {}) {
  const client = new SQSClient(CLIENT_OPTIONS);
  const name = `strand-${randomUUID()}`;
  const create = async (QueueName: string, Attributes = {}) => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    return QueueUrl as string;
  };
  const deadLetters = await create(`${name}-dead.fifo`, { FifoQueue: 'true' });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const turns = await create(`${name}.fifo`, {
    FifoQueue: 'true',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount }),
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
  });
  const links = await create(name);

  /** By receipt handle: the queue of every message ever received. */
  const handles = new Map<string, string>();
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName === 'ReceiveMessageCommand') {
          const { Messages = [] } = result.output as ReceiveMessageCommandOutput;
          for (const { ReceiptHandle } of Messages) {
            handles.set(ReceiptHandle as string, (args.input as { QueueUrl: string }).QueueUrl);
          }
        }
        return result;
      },
    { step: 'initialize' },
  );

  return {
    client,
    turns,
    links,
    deadLetters,
    // SQS locks by whole seconds, and a lease counts from before the poll that gave it.
    queue: createTurnQueue({
      client,
      queueUrl: turns,
      clock: systemClock,
      visibilityMs: leaseMs === undefined ? VISIBILITY_MS : Math.max(leaseMs, 4000),
      onCorrupt,
    }),
    exchange: createLinkExchange({ client, queueUrl: links, clock: systemClock, onCorrupt }),
    /** Waits for the end of all visibility timeouts. */
    async showAll() {
      for (const [ReceiptHandle, QueueUrl] of [...handles].reverse()) {
        const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
        // A deleted message has none.
        await client.send(command).catch(() => {});
      }
    },
    async close() {
      for (const QueueUrl of [turns, links, deadLetters])
        await client.send(new DeleteQueueCommand({ QueueUrl }));
      client.destroy();
    },
  };
}

async function open(options?: OpenOptions): Promise<OpenedEngine> {
  const { client, turns, links, queue, exchange, showAll, close } = await openQueues(options);
  const memory = createMemoryEngine(systemClock);
  const registry = {
    ...memory.registry,
    isQuiet: async (crawl: string, requisitesOnly?: boolean) =>
      (await countMessages(client, turns)) + (await countMessages(client, links)) === 0 &&
      memory.registry.isQuiet(crawl, requisitesOnly),
  };
  const engine = { ...memory, queue, exchange, registry };
  return {
    engine,
    async reopen() {
      await showAll();
      return {
        ...memory.reopen(),
        registry,
        queue: createTurnQueue({ client, queueUrl: turns, clock: systemClock, visibilityMs: VISIBILITY_MS }),
        exchange: createLinkExchange({ client, queueUrl: links, clock: systemClock }),
      };
    },
    close,
  };
}

describe.runIf(hasEmulator())('on an emulator', () => {
  engineContract('SQS queues (other ports in memory)', open, {
    readRecord: 'the archive is the test double',
  });
  sqsTests();
});

/** Tests that apply only to SQS. */
function sqsTests(): void {
  const opened: Awaited<ReturnType<typeof openQueues>>[] = [];
  async function openOne(options: QueueOptions = {}) {
    const queues = await openQueues(options);
    opened.push(queues);
    return queues;
  }
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  const send = (queue: TurnQueue, host: string, ...texts: string[]) =>
    queue.send(texts.map((text) => ({ host, message: token(text) })));

  test('a message repeated within minutes is dropped, a crawl resumed twice is not', async () => {
    const { queue } = await openOne();
    await send(queue, A, '1', '2', '1');
    const wake = { host: A, message: { kind: 'wake', crawl: CRAWL, resume: 1 } } as const;
    await queue.send([wake]);
    const [received] = await queue.receive(10, LONG_MS);
    expect(tokensOf(received!.deliveries)).toEqual(['1', '2', 'wake']);
    await queue.acknowledge(received!, received!.deliveries);
    await queue.send([wake]);
    await send(queue, A, '1', '3');
    const [again] = await queue.receive(10, LONG_MS);
    expect(tokensOf(again!.deliveries)[0]).toBe('wake');
    await queue.acknowledge(again!, again!.deliveries);
    expect(tokensOf(again!.deliveries)).not.toContain('1');
  });

  test('hands out a group with several messages whole, and parks and gives back all of it', async () => {
    const { queue } = await openOne();
    await send(queue, A, '1', '2', '3');
    const [received] = await queue.receive(10, LONG_MS);
    await queue.acknowledge(received!, received!.deliveries.slice(0, 1));
    await queue.park(received!, 1000);
    await send(queue, A, '4');
    expect(await queue.receive(10, 0)).toEqual([]);
    const [again] = await queue.receive(10, LONG_MS);
    expect(again!.deliveries.map(({ receiveCount }) => receiveCount)).toEqual([2, 2, 1]);
    await queue.park(again!, 0);
    const [third] = await queue.receive(10, LONG_MS);
    expect(tokensOf(third!.deliveries)).toEqual(['2', '3', '4']);
  });

  test('links larger than a message arrive in several, in one group', async () => {
    const { queue, exchange } = await openOne();
    const links = Array.from({ length: 4000 }, () =>
      linkTo(`http://${A}/${randomBytes(64).toString('hex')}`),
    );
    const urls = (list: readonly Link[]) => list.map(({ url }) => url).sort();
    await queue.send([{ host: A, message: { kind: 'links', crawl: CRAWL, links } }]);
    const [received, ...others] = await queue.receive(10, LONG_MS);
    expect(others).toEqual([]);
    const { deliveries } = received!;
    expect(deliveries.length).toBeGreaterThan(1);
    const got = deliveries.flatMap(({ message }) => (message.kind === 'links' ? message.links : []));
    expect(urls(got)).toEqual(urls(links));

    await exchange.send({ crawl: CRAWL, links });
    const parcels = await exchange.receive(10, LONG_MS);
    expect(urls(parcels.flatMap(({ outLinks }) => outLinks.links))).toEqual(urls(links));
  });

  test('a message that cannot be read goes to the dead letters by the redrive policy, its group continues', async () => {
    const { client, turns, deadLetters, queue } = await openOne({ maxReceiveCount: 2 });
    await client.send(
      new SendMessageCommand({
        QueueUrl: turns,
        MessageBody: 'nonsense',
        MessageGroupId: A,
        MessageDeduplicationId: '1',
      }),
    );
    await send(queue, A, '1');
    const tokens = new Set<string>();
    const until = Date.now() + 20_000;
    while ((await countMessages(client, deadLetters)) === 0 && Date.now() < until) {
      for (const received of await queue.receive(10, 1000)) {
        for (const text of tokensOf(received.deliveries)) tokens.add(text);
        await queue.acknowledge(received, received.deliveries);
      }
    }
    expect(tokens).toEqual(new Set(['1']));
    expect(await countMessages(client, deadLetters)).toBe(1);
    expect(await countMessages(client, turns)).toBe(0);
  });

  test('texts that are no parcels go to the link queue as they are', async () => {
    const { client, links, exchange } = await openOne();
    const texts = ['{"control":"resume"}', 'http://b\u00fccher.test/ \u2713'];
    await exchange.sendTexts([]);
    await exchange.sendTexts(texts);
    const bodies: (string | undefined)[] = [];
    while (bodies.length < 2) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl: links, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      bodies.push(...Messages.map(({ Body }) => Body));
    }
    expect(bodies.sort()).toEqual([...texts].sort());
    await expect(exchange.sendTexts(['\u2713'.repeat(100_000)])).rejects.toThrow('got 300000');
  });

  test("a person's text on the link queue is distinguished from a parcel", async () => {
    const texts: string[] = [];
    const { client, links, exchange } = await openOne({
      onCorrupt: async ({ body }) => {
        texts.push(body);
      },
    });
    const seed = '{"url": "http://a.test/"}';
    await client.send(new SendMessageCommand({ QueueUrl: links, MessageBody: seed }));
    expect(await exchange.receive(10, LONG_MS)).toEqual([]);
    expect(texts).toEqual([seed]);
    expect(await countMessages(client, links)).toBe(0);
  });
}

/**
 * The contract of the turn queue and the link exchange, on SQS as an emulator has it, at `AWS_ENDPOINT_URL`. The other
 * ports are the test double's.
 */
import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  type ReceiveMessageCommandOutput,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createLinkExchange } from '../../shared/engines/aws/link-exchange.ts';
import { countMessages } from '../../shared/engines/aws/sqs-queue.ts';
import { createTurnQueue } from '../../shared/engines/aws/turn-queue.ts';
import { systemClock } from '../../shared/engines/local/clock.ts';
import { engineContract, type OpenedEngine, type OpenOptions } from '../contract/engine-contract.ts';
import { receiveOne, token, tokensOf } from '../contract/subjects.ts';
import { createMemoryEngine } from '../worker/memory-engine.ts';

vi.setConfig({ testTimeout: 120_000 });

const VISIBILITY_MS = 60_000;
const LONG_MS = 5000;

async function openQueues({ leaseMs }: OpenOptions = {}) {
  const client = new SQSClient({
    endpoint: process.env.AWS_ENDPOINT_URL,
    region: process.env.AWS_REGION ?? 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const name = `strand-${randomUUID()}`;
  const create = async (QueueName: string, Attributes = {}) => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
    return QueueUrl as string;
  };
  const turns = await create(`${name}.fifo`, {
    FifoQueue: 'true',
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
    // SQS locks by whole seconds, and a lease counts from before the poll that gave it.
    queue: createTurnQueue({
      client,
      queueUrl: turns,
      clock: systemClock,
      visibilityMs: leaseMs === undefined ? VISIBILITY_MS : Math.max(leaseMs, 4000),
    }),
    exchange: createLinkExchange({ client, queueUrl: links, clock: systemClock }),
    /** What the end of all visibility timeouts brings. */
    async showAll() {
      for (const [ReceiptHandle, QueueUrl] of [...handles].reverse()) {
        const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
        // A deleted message has none.
        await client.send(command).catch(() => {});
      }
    },
    async close() {
      for (const QueueUrl of [turns, links]) await client.send(new DeleteQueueCommand({ QueueUrl }));
      client.destroy();
    },
  };
}

async function open(options?: OpenOptions): Promise<OpenedEngine> {
  const { client, turns, links, queue, exchange, showAll, close } = await openQueues(options);
  const memory = createMemoryEngine(systemClock);
  const registry = {
    ...memory.registry,
    isQuiet: async (crawl: string) =>
      (await countMessages(client, turns)) + (await countMessages(client, links)) === 0 &&
      memory.registry.isQuiet(crawl),
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

if (process.env.AWS_ENDPOINT_URL === undefined) {
  console.warn('SKIPPED: the queues on SQS are not tested: AWS_ENDPOINT_URL names no emulator');
  test.skip('the queues on SQS (AWS_ENDPOINT_URL is not set)', () => {});
} else {
  engineContract('memory, with queues on SQS,', open, { readRecord: 'its archive is the test double' });
}
void afterAll;
void describe;
void expect;
void SendMessageCommand;
void receiveOne;
void token;
void tokensOf;
void LONG_MS;

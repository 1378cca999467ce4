import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../ports/clock.ts';
import { activeMembers, type PoolMember } from '../../../worker/pool-plan.ts';
import { withRetry } from '../retry.ts';
import { queryItems } from '../state/dynamo-pages.ts';
import { EXPIRES_AT, type Item, itemKey, N, S, WORKERS_PREFIX } from '../state/tables.ts';
import { MAX_START_DELAY_MS, startText } from './start-message.ts';

/**
 * The workers of each turn queue: which there are, by an item of CrawlState for each, and how others are
 * started, by a message to the start queue. It decides nothing about hosts: SQS locks those. So whatever is lost, late or
 * doubled here only makes workers too few or too many for a while.
 */
export interface WorkerPool {
  /** How many turn queues there are. Each has its own workers. */
  readonly queues: number;
  /** Workers of one turn queue at most. */
  readonly maxWorkers: number;
  /** Workers of the turn queue that have shown themselves in the last 30 s. */
  members(queue: number): Promise<PoolMember[]>;
  /** Shows a worker to the others. To be repeated every few seconds. */
  show(queue: number, member: PoolMember): Promise<void>;
  hide(queue: number, id: string): Promise<void>;
  /** Messages of the turn queue that no worker has received, about. Those of hosts being served count, too. */
  waiting(queue: number): Promise<number>;
  /** Sends `count` messages that start workers, until there are `workers`, after `delayMs` (15 minutes at most). */
  start(queue: number, count: number, workers: number, delayMs?: number): Promise<void>;
  /** Starts a worker for the turn queue if none takes on hosts. */
  ensure(queue: number): Promise<void>;
}

export interface WorkerPoolOptions {
  readonly dynamo: DynamoDBClient;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly clock: Clock;
  readonly table: string;
  readonly turnQueueUrls: readonly string[];
  /** Undefined: an older stack, whose workers are started by the turn queues themselves. */
  readonly startQueueUrl?: string | undefined;
  readonly maxWorkers?: number | undefined;
}

/** A worker that has not shown itself for so long counts as dead. More than clocks differ, and several shows. */
const ALIVE_MS = 30_000;
/** A worker that seems to be alive for longer than this has a wrong clock: its death would not be noticed. */
const MAX_ALIVE_MS = 3 * ALIVE_MS;
/** Items are deleted some time after that (TTL). */
const KEPT_MS = 3_600_000;

/** The pool of a deployed stack. */
export class AwsWorkerPool implements WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly queues: number;
  readonly maxWorkers: number;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.queues = options.turnQueueUrls.length;
    this.maxWorkers = options.maxWorkers ?? Number.POSITIVE_INFINITY;
  }

  async members(queue: number): Promise<PoolMember[]> {
    const { dynamo, clock, table } = this.#options;
    const found: PoolMember[] = [];
    const items = queryItems(
      { dynamo, clock },
      {
        TableName: table,
        KeyConditionExpression: 'pk = :queue',
        ExpressionAttributeValues: { ':queue': S(partitionOf(queue)) },
        ConsistentRead: true,
      },
    );
    for await (const item of items) {
      const aliveMs = Number(item.aliveUntil?.N) - clock.now();
      if (aliveMs >= 0 && aliveMs <= MAX_ALIVE_MS) found.push(memberIn(item));
    }
    return found;
  }

  async show(queue: number, { id, hosts, maxHosts, isEnding }: PoolMember): Promise<void> {
    const { dynamo, clock, table } = this.#options;
    const now = clock.now();
    const command = new PutItemCommand({
      TableName: table,
      Item: {
        ...itemKey(partitionOf(queue), id),
        hosts: N(hosts),
        maxHosts: N(maxHosts),
        isEnding: { BOOL: isEnding },
        aliveUntil: N(now + ALIVE_MS),
        [EXPIRES_AT]: N(Math.ceil((now + KEPT_MS) / 1000)),
      },
    });
    await withRetry('showing a worker', () => dynamo.send(command), { clock });
  }

  async hide(queue: number, id: string): Promise<void> {
    const { dynamo, clock, table } = this.#options;
    const command = new DeleteItemCommand({ TableName: table, Key: itemKey(partitionOf(queue), id) });
    await withRetry('hiding a worker', () => dynamo.send(command), { clock });
  }

  async waiting(queue: number): Promise<number> {
    const { sqs, clock, turnQueueUrls } = this.#options;
    const command = new GetQueueAttributesCommand({
      QueueUrl: turnQueueUrls[queue],
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    const { Attributes } = await withRetry('counting messages', () => sqs.send(command), { clock });
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  }

  async start(queue: number, count: number, workers: number, delayMs = 0): Promise<void> {
    const { sqs, clock, startQueueUrl } = this.#options;
    if (startQueueUrl === undefined) return;
    for (let sent = 0; sent < count; sent++) {
      const command = new SendMessageCommand({
        QueueUrl: startQueueUrl,
        MessageBody: startText({ queue, workers }),
        DelaySeconds: Math.ceil(Math.min(MAX_START_DELAY_MS, Math.max(0, delayMs)) / 1000),
      });
      await withRetry('starting a worker', () => sqs.send(command), { clock });
    }
  }

  async ensure(queue: number): Promise<void> {
    if (this.#options.startQueueUrl === undefined) return;
    if (activeMembers(await this.members(queue)).length === 0) await this.start(queue, 1, 1);
  }
}

const partitionOf = (queue: number): string => `${WORKERS_PREFIX}${queue}`;

const memberIn = ({ sk, hosts, maxHosts, isEnding }: Item): PoolMember => ({
  id: sk?.S as string,
  hosts: Number(hosts?.N),
  maxHosts: Number(maxHosts?.N),
  isEnding: isEnding?.BOOL === true,
});

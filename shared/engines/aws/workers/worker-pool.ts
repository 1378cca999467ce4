import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { PackedHost } from '../../../crawler/ports/turn-queue.ts';
import { activeMembers, type PoolMember } from '../../../crawler/worker/pool-plan.ts';
import { type MessageCounts, messageCounts } from '../queues/sqs-queue.ts';
import { withRetry } from '../retry.ts';
import { EXPIRES_AT, expiresAt, type StateTable, WORKERS_PREFIX } from '../state/tables.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, putItem } from '../table/table.ts';
import { MAX_START_DELAY_MS, type StartMessage, startText } from './start-message.ts';

/**
 * The workers of each turn queue: lists them, by an item of CrawlState for each, and starts others, by a message to the
 * start queue. It decides nothing about hosts: SQS locks hosts. So a lost, late or doubled message here only makes
 * workers too few or too many for a while.
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
  /** Messages of the turn queue and its backlog that no worker has received, about. Messages of hosts being served count, too. */
  waiting(queue: number): Promise<number>;
  /** Sends `count` messages that start workers, until there are `workers`. */
  start(queue: number, count: number, workers: number, options?: StartOptions): Promise<void>;
  /** Starts a small worker, unless there are `workers` already. Resolves to whether that was possible. */
  startSmall(queue: number, workers: number): Promise<boolean>;
  /** Whether a small worker of the turn queue has died lately: perhaps a page needs more memory than it has. */
  hasLostSmall(queue: number): Promise<boolean>;
  /** Notes that a worker has ended idle after it served few hosts: for a quarter of an hour, small ones are started. */
  noteFewHosts(queue: number): Promise<void>;
  /** Starts a worker that serves these hosts alone. Resolves to whether that was possible. */
  startApart(queue: number, hosts: readonly PackedHost[]): Promise<boolean>;
  /** Resolves to whether no other worker has claimed the hosts of that message. */
  claimApart(queue: number, id: string): Promise<boolean>;
  /** Notes that the worker that has claimed the hosts of that message is done with them. */
  endApart(queue: number, id: string): Promise<void>;
  /** Starts a worker for the turn queue if none takes on hosts. */
  ensure(queue: number): Promise<void>;
  /**
   * As above, for a queue with messages. If a worker has died, starts one for the time at which its hosts are free
   * again. Resolves to whether the queue has messages, received or not.
   */
  startMissing(queue: number): Promise<boolean>;
}

export interface StartOptions {
  /** The messages are received after so long, 15 minutes at most. */
  readonly delayMs?: number;
  /** A small worker is enough. */
  readonly isSmall?: boolean;
}

/** Has a small worker started at once. Resolves to whether that was accepted. Never rejects. */
export type StartSmall = (message: StartMessage) => Promise<boolean>;

export interface WorkerPoolOptions extends StateTable {
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly turnQueueUrls: readonly string[];
  readonly backlogQueueUrls: readonly string[];
  readonly startQueueUrl: string;
  readonly maxWorkers: number;
  /** Absent: the stack has no small worker, or this process starts none. */
  readonly startSmall?: StartSmall | undefined;
  /** The hosts of a worker that has died are free again after this. */
  readonly renewedMs: number;
}

/** A worker that has not shown itself for so long counts as dead. More than clocks differ, and several shows. */
const ALIVE_MS = 30_000;
/** A worker that seems to be alive for longer than this has a wrong clock: its death would not be noticed. */
const MAX_ALIVE_MS = 3 * ALIVE_MS;
/** Ids of items that stand for a small worker until it shows itself, which it has by then, or its start was lost. */
const STARTING = 'starting-';
const STARTING_MS = 10_000;
/** Id of the item that says that the last worker ended idle with few hosts, and how long that counts. */
const FEW_HOSTS = 'few-hosts';
const FEW_HOSTS_MS = 900_000;
/** Items are deleted some time after that (TTL). */
const KEPT_MS = 3_600_000;
/** After a small worker has died, the pool has full-size ones for so long. */
const LOST_MS = KEPT_MS;

/** Ids of items that say that a worker serves the hosts of a message; with a time, until it is done with them. */
const APART = 'apart-';
/** A worker that died was last seen up to so long before; and queues count whole seconds. */
const UNSEEN_MS = 7000;
/** A start that is further off is left to the next look. */
const MAX_LOST_DELAY_MS = 75_000;
/** The largest message that hands hosts over: SQS takes four times as much. */
const MAX_APART_BYTES = 250_000;

/** The pool of a deployed stack. */
export class AwsWorkerPool implements WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly queues: number;
  readonly maxWorkers: number;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.queues = options.turnQueueUrls.length;
    this.maxWorkers = options.maxWorkers;
  }

  async members(queue: number): Promise<PoolMember[]> {
    const found: PoolMember[] = [];
    for await (const item of this.#items(queue)) {
      const aliveMs = this.#aliveMs(item);
      const member = memberIn(item);
      if (aliveMs >= 0 && aliveMs <= MAX_ALIVE_MS && isWorker(member)) found.push(member);
    }
    return found;
  }

  async hasLostSmall(queue: number): Promise<boolean> {
    for await (const item of this.#items(queue)) {
      const { id, isSmall, isEnding } = memberIn(item);
      const aliveMs = this.#aliveMs(item);
      // A worker that ends deletes its item, unless its time is up before.
      const hasBegun = isSmall && !isEnding && !id.startsWith(STARTING);
      if (hasBegun && aliveMs < 0 && aliveMs >= -LOST_MS) return true;
    }
    return false;
  }

  show(queue: number, member: PoolMember): Promise<void> {
    return this.#put(queue, member, ALIVE_MS);
  }

  async #put(
    queue: number,
    { id, hosts, maxHosts, isEnding, isSmall }: PoolMember,
    aliveMs: number,
  ): Promise<void> {
    const now = this.#options.clock.now();
    await putItem(this.#options, {
      ...itemKey(partitionOf(queue), id),
      hosts: N(hosts),
      maxHosts: N(maxHosts),
      isEnding: { BOOL: isEnding },
      ...(isSmall && { isSmall: { BOOL: true } }),
      aliveUntil: N(now + aliveMs),
      [EXPIRES_AT]: expiresAt(now + KEPT_MS),
    });
  }

  async hide(queue: number, id: string): Promise<void> {
    await deleteItem(this.#options, itemKey(partitionOf(queue), id));
  }

  async waiting(queue: number): Promise<number> {
    return (await this.#messages(queue)).waiting;
  }

  /** Messages of the turn queue and its backlog together. */
  async #messages(queue: number): Promise<Pick<MessageCounts, 'waiting' | 'received'>> {
    const { sqs, clock, turnQueueUrls, backlogQueueUrls } = this.#options;
    const sum = { waiting: 0, received: 0 };
    for (const url of [turnQueueUrls[queue], backlogQueueUrls[queue]]) {
      if (url === undefined) continue;
      const counts = await withRetry('counting messages', () => messageCounts(sqs, url), { clock });
      sum.waiting += counts.waiting;
      sum.received += counts.received;
    }
    return sum;
  }

  async start(
    queue: number,
    count: number,
    workers: number,
    { delayMs = 0, isSmall }: StartOptions = {},
  ): Promise<void> {
    const { sqs, clock, startQueueUrl } = this.#options;
    for (let sent = 0; sent < count; sent++) {
      const command = new SendMessageCommand({
        QueueUrl: startQueueUrl,
        MessageBody: startText({ queue, workers, isSmall }),
        DelaySeconds: Math.ceil(Math.min(MAX_START_DELAY_MS, Math.max(0, delayMs)) / 1000),
      });
      await withRetry('starting a worker', () => sqs.send(command), { clock });
    }
  }

  async startApart(queue: number, apart: readonly PackedHost[]): Promise<boolean> {
    const { sqs, clock, startQueueUrl } = this.#options;
    const text = startText({ queue, workers: 1, apart, id: clock.uuid() });
    if (Buffer.byteLength(text) > MAX_APART_BYTES) return false;
    const command = new SendMessageCommand({ QueueUrl: startQueueUrl, MessageBody: text });
    await withRetry('starting a worker', () => sqs.send(command), { clock });
    return true;
  }

  async claimApart(queue: number, id: string): Promise<boolean> {
    const { clock } = this.#options;
    const claim = S(clock.uuid());
    const item = this.#apartItem(queue, id, { claim, aliveUntil: N(clock.now() + ALIVE_MS) });
    const { isWritten } = await putItem(this.#options, item, {
      condition: 'attribute_not_exists(pk)',
      isOurs: (found) => found.claim?.S === claim.S,
    });
    return isWritten;
  }

  async endApart(queue: number, id: string): Promise<void> {
    await putItem(this.#options, this.#apartItem(queue, id, {}));
  }

  #apartItem(queue: number, id: string, attributes: Item): Item {
    const key = itemKey(partitionOf(queue), `${APART}${id}`);
    return { ...key, ...attributes, [EXPIRES_AT]: expiresAt(this.#options.clock.now() + KEPT_MS) };
  }

  async startSmall(queue: number, workers: number): Promise<boolean> {
    const { startSmall, clock } = this.#options;
    if (startSmall === undefined) return false;
    // Until it shows itself, others would take the pool for empty, and start one of full size, which may be there first.
    const inPlaceOf = `${STARTING}${clock.uuid()}`;
    await this.#put(
      queue,
      { id: inPlaceOf, hosts: 0, maxHosts: 1, isEnding: false, isSmall: true },
      STARTING_MS,
    );
    if (await startSmall({ queue, workers, isSmall: true, inPlaceOf })) return true;
    await this.hide(queue, inPlaceOf);
    return false;
  }

  async ensure(queue: number): Promise<void> {
    if (activeMembers(await this.members(queue)).length > 0) return;
    await this.start(queue, 1, 1, { isSmall: await this.#hasFewHosts(queue) });
  }

  async startMissing(queue: number): Promise<boolean> {
    const { waiting, received } = await this.#messages(queue);
    if (waiting > 0) await this.ensure(queue);
    if (received > 0) await this.#startForLost(queue);
    return waiting + received > 0;
  }

  /** A worker that is alive takes the hosts on by itself. */
  async #startForLost(queue: number): Promise<void> {
    let lastSeenMs = Number.NEGATIVE_INFINITY;
    for await (const item of this.#items(queue)) {
      const member = memberIn(item);
      const aliveMs = this.#aliveMs(item);
      if (aliveMs >= 0 && isWorker(member) && !member.isEnding) return;
      if (aliveMs < 0 && member.id !== FEW_HOSTS && !member.id.startsWith(STARTING))
        lastSeenMs = Math.max(lastSeenMs, aliveMs - ALIVE_MS);
    }
    const delayMs = lastSeenMs + UNSEEN_MS + this.#options.renewedMs;
    if (delayMs > 0 && delayMs <= MAX_LOST_DELAY_MS) await this.start(queue, 1, 1, { delayMs });
  }

  async noteFewHosts(queue: number): Promise<void> {
    await this.#put(
      queue,
      { id: FEW_HOSTS, hosts: 0, maxHosts: 0, isEnding: true, isSmall: true },
      FEW_HOSTS_MS,
    );
  }

  async #hasFewHosts(queue: number): Promise<boolean> {
    for await (const item of this.#items(queue))
      if (memberIn(item).id === FEW_HOSTS && this.#aliveMs(item) >= 0)
        return !(await this.hasLostSmall(queue));
    return false;
  }

  #items(queue: number): AsyncIterable<Item> {
    return queryItems(this.#options, { partition: partitionOf(queue) });
  }

  /** How long the worker counts as alive; below 0: since when it does not any more. */
  #aliveMs({ aliveUntil }: Item): number {
    return Number(aliveUntil?.N) - this.#options.clock.now();
  }
}

const partitionOf = (queue: number): string => `${WORKERS_PREFIX}${queue}`;

const isWorker = ({ id }: PoolMember): boolean => id !== FEW_HOSTS && !id.startsWith(APART);

const memberIn = ({ sk, hosts, maxHosts, isEnding, isSmall }: Item): PoolMember => ({
  id: sk?.S as string,
  hosts: Number(hosts?.N),
  maxHosts: Number(maxHosts?.N),
  isEnding: isEnding?.BOOL === true,
  ...(isSmall?.BOOL && { isSmall: true }),
});

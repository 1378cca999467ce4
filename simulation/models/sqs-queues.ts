/** The queues of an account, and who waits for what comes into them. */
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import { createSeenSizes, type SeenSizes } from './sqs-counts.ts';
import { createFifoQueue } from './sqs-fifo-queue.ts';
import type { Hold, Received, StoredMessage } from './sqs-message.ts';
import { QUEUE_LIMITS, type QueueLimits, type QueueModel } from './sqs-model.ts';
import { createRecent, type Recent } from './sqs-recent.ts';
import { refused } from './sqs-refusals.ts';
import { createStandardQueue } from './sqs-standard-queue.ts';
import { createWaiters, type Waiters } from './sqs-waiters.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface SimQueueOptions {
  readonly name: string;
  readonly isFifo: boolean;
  /** The default visibility timeout of a receive. */
  readonly visibilityS: number;
  readonly delayS?: number;
  /**
   * The queue there takes what was received `maxReceives` times, when it would be once more. It is made
   * first.
   */
  readonly deadLetter?: { readonly queueUrl: string; readonly maxReceives: number };
  /** Default 14 days. */
  readonly retentionS?: number;
}

export interface Queue {
  readonly name: string;
  readonly isFifo: boolean;
  /** The default visibility timeout of a receive. */
  readonly visibilityS: number;
  readonly model: QueueModel;
  readonly sizes: SeenSizes;
  readonly waiters: Waiters<readonly Received[]>;
  /** Receives by their `ReceiveRequestAttemptId`. */
  readonly attempts: Recent<readonly Hold[]>;
  /** When it is next looked whether something has become visible. */
  alarmAt: number;
  cancelAlarm: () => void;
}

export interface Queues {
  /** Throws SQS's error where there is none. */
  queueOf(queueUrl: string | undefined): Queue;
  /** Returns the queue's URL. */
  create(options: SimQueueOptions): string;
  /** Changes the queue, then notifies those who wait for the result. */
  change<T>(queue: Queue, act: (now: number) => T): T;
  /** To be called when somebody has begun to wait. */
  expectNews(queue: Queue): void;
}

export interface QueuesOptions {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace | undefined;
  readonly limits?: Partial<QueueLimits> | undefined;
}

const URL_PREFIX = 'https://sqs.us-east-1.amazonaws.com/000000000000/';
const RETENTION_S = 14 * 86_400;
/** A receive repeated within this gives the same (API reference, ReceiveMessage). */
const ATTEMPT_MS = 300_000;

export function createQueues({ time, faults, random, trace, limits }: QueuesOptions): Queues {
  const queues = new Map<string, Queue>();
  /** Queues with listeners that may have to be notified. */
  const changed = new Set<Queue>();
  let isTelling = false;

  function queueOf(queueUrl: string | undefined): Queue {
    const queue = queues.get(queueUrl ?? '');
    if (!queue) throw refused('QueueDoesNotExist', `The queue ${queueUrl} does not exist.`);
    return queue;
  }

  function notifyAll(): void {
    if (isTelling) return;
    isTelling = true;
    try {
      // A queue that changes on the way is visited again.
      for (const queue of changed) {
        changed.delete(queue);
        if (queue.waiters.isAny && queue.model.takeNews(time.now())) queue.waiters.notify();
        setAlarm(queue);
      }
    } finally {
      isTelling = false;
    }
  }

  /** Time is to stop where something becomes visible, if somebody waits for it. */
  function setAlarm(queue: Queue): void {
    const at = queue.model.nextChangeAt();
    if (at === undefined || at >= queue.alarmAt || !queue.waiters.isAny) return;
    queue.cancelAlarm();
    queue.alarmAt = at;
    queue.cancelAlarm = time.at(at, () => {
      queue.alarmAt = Number.POSITIVE_INFINITY;
      changed.add(queue);
      notifyAll();
    });
  }

  /** Takes what another queue gives up, if the queue has such. */
  function deadLettersOf({ deadLetter }: SimQueueOptions) {
    if (!deadLetter) return undefined;
    const target = queueOf(deadLetter.queueUrl);
    return {
      maxReceives: deadLetter.maxReceives,
      take(message: StoredMessage) {
        target.model.takeOver(message, time.now());
        changed.add(target);
        trace?.({ host: message.group, what: `${message.id} goes to ${target.name}` });
      },
    };
  }

  return {
    queueOf,
    create(options) {
      const { name, isFifo, visibilityS, delayS = 0, retentionS = RETENTION_S } = options;
      const createModel = isFifo ? createFifoQueue : createStandardQueue;
      const model = createModel({
        name,
        limits: { ...QUEUE_LIMITS, ...limits },
        random,
        faults,
        delayMs: delayS * 1000,
        retentionMs: retentionS * 1000,
        deadLetters: deadLettersOf(options),
      });
      const queueUrl = `${URL_PREFIX}${name}`;
      queues.set(queueUrl, {
        name,
        isFifo,
        visibilityS,
        model,
        sizes: createSeenSizes(faults),
        waiters: createWaiters(time),
        attempts: createRecent(ATTEMPT_MS),
        alarmAt: Number.POSITIVE_INFINITY,
        cancelAlarm() {},
      });
      return queueUrl;
    },
    change(queue, act) {
      const now = time.now();
      queue.sizes.changes(queue.model.size(now), now);
      const result = act(now);
      changed.add(queue);
      notifyAll();
      return result;
    },
    expectNews: setAlarm,
  };
}

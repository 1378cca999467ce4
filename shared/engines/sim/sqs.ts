/**
 * SQS as the engine uses it, on virtual time: its commands over the models of queues. Deduplication is within a group, as the stack's
 * queues have it (`DeduplicationScope`).
 */
import type { SqsRecord } from '../aws/delivery.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { SimService } from './service.ts';
import {
  type AttributesInput,
  type BatchInput,
  batchOf,
  type EntryOutcome,
  type HandleInput,
  type QueueInput,
  type ReceiveInput,
  type SendInput,
} from './sqs-commands.ts';
import { createSeenSizes, type SeenSizes } from './sqs-counts.ts';
import { createFifoQueue } from './sqs-fifo-queue.ts';
import type { QueuedMessage, Received, StoredMessage } from './sqs-message.ts';
import { QUEUE_LIMITS, type QueueLimits, type QueueModel, type Refusal } from './sqs-model.ts';
import { createRecent, type Recent } from './sqs-recent.ts';
import { messageOf, recordOf, sequenceNumberOf } from './sqs-record.ts';
import {
  checkMessages,
  checkReceive,
  entriesOf,
  MAX_RECEIVED,
  refusalOf,
  refused,
  visibilityRefusal,
} from './sqs-refusals.ts';
import { createStandardQueue } from './sqs-standard-queue.ts';
import type { QueueSize } from './sqs-store.ts';
import { createWaiters, type Waiters } from './sqs-waiters.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export type { QueuedMessage, QueueLimits, QueueSize };

export interface SimQueueOptions {
  readonly name: string;
  readonly isFifo: boolean;
  /** Of a receive that does not say another. */
  readonly visibilityS: number;
  readonly delayS?: number;
  /** The queue there takes what was received `maxReceives` times, when it would be once more. It is made first. */
  readonly deadLetter?: { readonly queueUrl: string; readonly maxReceives: number };
  /** Default 14 days. */
  readonly retentionS?: number;
}

export interface SimSqs extends SimService {
  /** Gives the queue's URL. */
  createQueue(options: SimQueueOptions): string;
  /** All messages that are there, in the order sent. */
  messages(queueUrl: string): Iterable<QueuedMessage>;
  size(queueUrl: string): QueueSize;
  /** Has `listener` called whenever a message may have become receivable. Gives what ends that. */
  onArrival(queueUrl: string, listener: () => void): () => void;
  /** What can be received now, up to 10 messages, hidden for the queue's own visibility: as Lambda's poller does it. */
  receive(queueUrl: string, max: number): SqsRecord[];
  /** Deletes those that can be deleted; gives the handles of the others. */
  delete(queueUrl: string, receiptHandles: readonly string[]): string[];
}

export interface SimSqsOptions {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace;
  readonly limits?: Partial<QueueLimits>;
}

interface Queue {
  readonly name: string;
  readonly isFifo: boolean;
  readonly visibilityS: number;
  readonly model: QueueModel;
  readonly sizes: SeenSizes;
  readonly waiters: Waiters<readonly Received[]>;
  /** Receives by their `ReceiveRequestAttemptId`. */
  readonly attempts: Recent<readonly Received[]>;
  /** When it is next looked whether something has become visible. */
  alarmAt: number;
  cancelAlarm: () => void;
}

const URL_PREFIX = 'https://sqs.us-east-1.amazonaws.com/000000000000/';
const RETENTION_S = 14 * 86_400;
/** A receive repeated within this gives the same (API reference, ReceiveMessage). */
const ATTEMPT_MS = 300_000;

export function createSimSqs({ time, faults, random, trace, limits }: SimSqsOptions): SimSqs {
  const queues = new Map<string, Queue>();
  /** Queues of which somebody may have to be told. */
  const changed = new Set<Queue>();
  let isTelling = false;

  function queueOf(queueUrl: string | undefined): Queue {
    const queue = queues.get(queueUrl ?? '');
    if (!queue) throw refused('QueueDoesNotExist', `The queue ${queueUrl} does not exist.`);
    return queue;
  }

  /** Does something to the queue, then tells who waits for what came of it. */
  function change<T>(queue: Queue, act: (now: number) => T): T {
    const now = time.now();
    queue.sizes.changes(queue.model.size(now), now);
    const result = act(now);
    changed.add(queue);
    tellAll();
    return result;
  }

  function tellAll(): void {
    if (isTelling) return;
    isTelling = true;
    try {
      // What changes on the way comes again.
      for (const queue of changed) {
        changed.delete(queue);
        if (queue.waiters.isAny && queue.model.takeNews(time.now())) queue.waiters.tell();
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
      tellAll();
    });
  }

  function receive(queue: Queue, max: number, visibilityS: number): readonly Received[] {
    return change(queue, (now) => {
      const received = queue.model.receive(max, visibilityS * 1000, now);
      if (trace) {
        for (const { message, receiveCount } of received) {
          const times = receiveCount > 1 ? `, time ${receiveCount}` : '';
          trace({ host: message.group, what: `received ${message.id} for ${visibilityS} s${times}` });
        }
      }
      return received;
    });
  }

  function sendEntry(queue: Queue, entry: SendInput, now: number): EntryOutcome {
    const refusal = refusalOf(entry, queue.isFifo);
    if (refusal) return { refusal };
    const { MessageBody: body = '', MessageGroupId: group, MessageDeduplicationId: deduplicationId } = entry;
    const { MessageAttributes: attributes, DelaySeconds } = entry;
    const delayMs = DelaySeconds ? DelaySeconds * 1000 : undefined;
    const sent = queue.model.send({ body, group, deduplicationId, attributes, delayMs }, now);
    trace?.({ host: group, what: sent.isNew ? `sent ${sent.id}` : `sent ${sent.id} once more: dropped` });
    const SequenceNumber = queue.isFifo ? sequenceNumberOf(sent.number) : undefined;
    return { result: { MessageId: sent.id, ...(SequenceNumber && { SequenceNumber }) } };
  }

  function deleteEntry(queue: Queue, { ReceiptHandle = '' }: HandleInput, now: number): EntryOutcome {
    const message = queue.model.find(ReceiptHandle);
    const refusal = queue.model.delete(ReceiptHandle, now);
    traceHandle('deleted', ReceiptHandle, message, refusal);
    return { refusal };
  }

  function hideEntry(queue: Queue, entry: HandleInput, now: number): EntryOutcome {
    const { ReceiptHandle = '', VisibilityTimeout = -1 } = entry;
    const refusal =
      visibilityRefusal(VisibilityTimeout) ??
      queue.model.changeVisibility(ReceiptHandle, VisibilityTimeout * 1000, now);
    const message = queue.model.find(ReceiptHandle);
    traceHandle(`hidden for ${VisibilityTimeout} s`, ReceiptHandle, message, refusal);
    return { refusal };
  }

  function traceHandle(what: string, handle: string, message?: QueuedMessage, refusal?: Refusal): void {
    const id = message?.id ?? `${handle} (not there)`;
    trace?.({
      host: message?.group,
      what: refusal ? `not ${what}: ${id}: ${refusal.message}` : `${what}: ${id}`,
    });
  }

  type Act<E> = (queue: Queue, entry: E, now: number) => EntryOutcome;

  /** A command of one: its failure is the call's. */
  const single =
    <E>(act: Act<E>) =>
    (input: E & QueueInput): object => {
      const queue = queueOf(input.QueueUrl);
      const { refusal, result } = change(queue, (now) => act(queue, input, now));
      if (refusal) throw refused(refusal.code, refusal.message);
      return result ?? {};
    };

  const batch =
    <E>(act: Act<E>, check?: (queue: Queue, entries: readonly E[]) => void) =>
    (input: BatchInput<E>): object => {
      const queue = queueOf(input.QueueUrl);
      const entries = entriesOf(input);
      check?.(queue, entries);
      return change(queue, (now) => batchOf(entries, (entry) => act(queue, entry, now), faults));
    };

  function receiveMessage(input: ReceiveInput): object | Promise<object> {
    const queue = queueOf(input.QueueUrl);
    const {
      MaxNumberOfMessages: max = 1,
      WaitTimeSeconds: waitS = 0,
      ReceiveRequestAttemptId: attempt,
    } = input;
    const { VisibilityTimeout: visibilityS = queue.visibilityS } = input;
    checkReceive(max, waitS, visibilityS);

    const outputOf = (received: readonly Received[] | undefined) => {
      if (!received || received.length === 0) return {};
      if (attempt && queue.isFifo) queue.attempts.set(attempt, received, time.now());
      return { Messages: received.map((each) => messageOf(each, input.MessageSystemAttributeNames)) };
    };
    const earlier = attempt === undefined ? undefined : queue.attempts.get(attempt, time.now());
    const again =
      earlier && change(queue, (now) => queue.model.receiveAgain(earlier, visibilityS * 1000, now));
    if (again) {
      trace?.({
        host: again[0]?.message.group,
        what: `received once more by the same attempt: ${again.length}`,
      });
      return outputOf(again);
    }
    const receiveSome = () => {
      const received = receive(queue, max, visibilityS);
      return received.length > 0 ? received : undefined;
    };
    const received = receiveSome();
    if (received || waitS === 0) return outputOf(received);
    const waiting = queue.waiters.wait(receiveSome, waitS * 1000);
    setAlarm(queue);
    return waiting.then(outputOf);
  }

  function attributes(input: AttributesInput): object {
    const { model, sizes } = queueOf(input.QueueUrl);
    const { visible, inFlight, delayed } = sizes.seen(model.size(time.now()), time.now());
    const all: Readonly<Record<string, number>> = {
      ApproximateNumberOfMessages: visible,
      ApproximateNumberOfMessagesNotVisible: inFlight,
      ApproximateNumberOfMessagesDelayed: delayed,
    };
    const { AttributeNames: names = [] } = input;
    const asked = Object.entries(all).filter(([name]) => names.includes(name) || names.includes('All'));
    return { Attributes: Object.fromEntries(asked.map(([name, count]) => [name, String(count)])) };
  }

  const commands: Readonly<Record<string, (input: never) => object | Promise<object>>> = {
    SendMessageCommand: single<SendInput>((queue, input, now) => {
      checkMessages([input], queue.isFifo, false);
      return sendEntry(queue, input, now);
    }),
    SendMessageBatchCommand: batch<SendInput>(sendEntry, (queue, entries) =>
      checkMessages(entries, queue.isFifo, true),
    ),
    ReceiveMessageCommand: receiveMessage,
    DeleteMessageCommand: single(deleteEntry),
    DeleteMessageBatchCommand: batch(deleteEntry),
    ChangeMessageVisibilityCommand: single(hideEntry),
    ChangeMessageVisibilityBatchCommand: batch(hideEntry),
    GetQueueAttributesCommand: attributes,
  };

  return {
    name: 'sqs',
    clientName: 'SQSClient',

    handle(command, input) {
      const act = commands[command];
      if (!act) throw new Error(`Expected a command that is modelled, got ${command}`);
      return act(input as never);
    },

    createQueue({ name, isFifo, visibilityS, delayS = 0, deadLetter, retentionS = RETENTION_S }) {
      const target = deadLetter && queueOf(deadLetter.queueUrl);
      function bury(message: StoredMessage): void {
        if (!target) return;
        target.model.takeOver(message, time.now());
        changed.add(target);
        trace?.({ host: message.group, what: `${message.id} goes to ${target.name}` });
      }
      const create = isFifo ? createFifoQueue : createStandardQueue;
      const queueUrl = `${URL_PREFIX}${name}`;
      queues.set(queueUrl, {
        name,
        isFifo,
        visibilityS,
        model: create({
          name,
          limits: { ...QUEUE_LIMITS, ...limits },
          random,
          faults,
          delayMs: delayS * 1000,
          retentionMs: retentionS * 1000,
          deadLetters: deadLetter && { maxReceives: deadLetter.maxReceives, take: bury },
        }),
        sizes: createSeenSizes(faults),
        waiters: createWaiters(time),
        attempts: createRecent(ATTEMPT_MS),
        alarmAt: Number.POSITIVE_INFINITY,
        cancelAlarm() {},
      });
      return queueUrl;
    },

    messages: (queueUrl) => queueOf(queueUrl).model.messages(time.now()),
    size: (queueUrl) => queueOf(queueUrl).model.size(time.now()),
    onArrival(queueUrl, listener) {
      const queue = queueOf(queueUrl);
      const end = queue.waiters.listen(listener);
      setAlarm(queue);
      return end;
    },
    receive(queueUrl, max) {
      const queue = queueOf(queueUrl);
      return receive(queue, Math.min(max, MAX_RECEIVED), queue.visibilityS).map(recordOf);
    },
    delete(queueUrl, receiptHandles) {
      const queue = queueOf(queueUrl);
      return change(queue, (now) =>
        receiptHandles.filter((ReceiptHandle) => deleteEntry(queue, { ReceiptHandle }, now).refusal),
      );
    },
  };
}

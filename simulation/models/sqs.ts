/**
 * SQS as the engine uses it, on virtual time: its commands over the models of queues. Deduplication is within
 * a group, as the stack's queues have it (`DeduplicationScope`).
 */
import type { SqsRecord } from '../../shared/engines/aws/queues/delivery.ts';
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
import type { QueuedMessage, Received } from './sqs-message.ts';
import type { QueueLimits, Refusal } from './sqs-model.ts';
import { createQueues, type Queue, type SimQueueOptions } from './sqs-queues.ts';
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
import type { QueueSize } from './sqs-store.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export type { QueuedMessage, QueueLimits, QueueSize, SimQueueOptions };

export interface SimSqs extends SimService {
  /** Returns the queue's URL. */
  createQueue(options: SimQueueOptions): string;
  /** All messages that are there, in the order sent. Do not change anything during the iteration. */
  messages(queueUrl: string): Iterable<QueuedMessage>;
  size(queueUrl: string): QueueSize;
  /**
   * Has `listener` called whenever a message may have become receivable from now on. Returns a function that
   * ends that.
   */
  onArrival(queueUrl: string, listener: () => void): () => void;
  /**
   * Returns messages that can be received now, up to 10, hidden for the queue's own visibility: like Lambda's
   * poller.
   */
  receive(queueUrl: string, max: number): SqsRecord[];
  /** Bodies of messages that were accepted and lost. */
  readonly lost: readonly string[];
  /** Deletes those that can be deleted; gives the handles of the others. */
  delete(queueUrl: string, receiptHandles: readonly string[]): string[];
}

export interface SimSqsOptions {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly random: Random;
  readonly trace?: Trace;
  readonly limits?: Partial<QueueLimits>;
  /** Whether a message of a FIFO queue may be accepted and lost. Default: none. */
  readonly mayLose?: (body: string) => boolean;
}

export function createSimSqs(options: SimSqsOptions): SimSqs {
  const { time, faults, random, trace, limits, mayLose = () => false } = options;
  const lost: string[] = [];
  const { queueOf, create, change, expectNews } = createQueues({ time, faults, random, trace, limits });

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
    if (queue.isFifo && mayLose(body) && faults.strikes('messageLost')) {
      trace?.({ host: group, what: 'a message is accepted and lost' });
      lost.push(body);
      return { result: { MessageId: `lost-${lost.length}`, SequenceNumber: sequenceNumberOf(0) } };
    }
    const sent = queue.model.send({ body, group, deduplicationId, attributes, delayMs }, now);
    trace?.({ host: group, what: sent.isNew ? `sent ${sent.id}` : `sent ${sent.id} once more: dropped` });
    const SequenceNumber = queue.isFifo ? sequenceNumberOf(sent.number) : undefined;
    return { result: { MessageId: sent.id, ...(SequenceNumber && { SequenceNumber }) } };
  }

  function deleteEntry(queue: Queue, { ReceiptHandle = '' }: HandleInput, now: number): EntryOutcome {
    const message = trace && queue.model.find(ReceiptHandle);
    const refusal = queue.model.delete(ReceiptHandle, now);
    traceHandle('deleted', ReceiptHandle, message, refusal);
    return { refusal };
  }

  function hideEntry(queue: Queue, entry: HandleInput, now: number): EntryOutcome {
    const { ReceiptHandle = '', VisibilityTimeout = -1 } = entry;
    const refusal =
      visibilityRefusal(VisibilityTimeout) ??
      queue.model.changeVisibility(ReceiptHandle, VisibilityTimeout * 1000, now);
    const message = trace && queue.model.find(ReceiptHandle);
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
      if (attempt && queue.isFifo)
        queue.attempts.set(
          attempt,
          received.map(({ handle, visibleAt }) => ({ handle, visibleAt })),
          time.now(),
        );
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
    expectNews(queue);
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

    createQueue: create,
    lost,
    messages: (queueUrl) => queueOf(queueUrl).model.messages(time.now()),
    size: (queueUrl) => queueOf(queueUrl).model.size(time.now()),
    onArrival(queueUrl, listener) {
      const queue = queueOf(queueUrl);
      const end = queue.waiters.listen(listener);
      expectNews(queue);
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

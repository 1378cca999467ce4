/** A queue in a world of its own, for tests. */
import type { FaultName, Faults } from '../../models/faults.ts';
import { FAULT_NAMES } from '../../models/faults.ts';
import { randomOf } from '../../models/random.ts';
import { createSimSqs, type QueueLimits, type SimQueueOptions } from '../../models/sqs.ts';
import type { TraceEntry } from '../../models/trace.ts';
import { createVirtualTime } from '../../models/virtual-time.ts';

export interface QueueWorldOptions extends Partial<SimQueueOptions> {
  readonly seed?: number;
  readonly limits?: Partial<QueueLimits>;
  /** Strike at each occasion. */
  readonly always?: readonly FaultName[];
}

export interface Entry {
  readonly Id: string;
  readonly Code?: string;
  readonly Message?: string;
  readonly SenderFault?: boolean;
  readonly MessageId?: string;
}

export interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly Successful?: readonly Entry[];
  readonly Failed?: readonly Entry[];
  readonly Messages?: readonly Message[];
  readonly Attributes?: Readonly<Record<string, string>>;
}

export function queueWorld(options: QueueWorldOptions = {}) {
  const { seed = 1, limits = {}, always = [], ...queue } = options;
  const time = createVirtualTime(randomOf(seed, 'ties'));
  const counts = Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as Record<FaultName, number>;
  const striking = new Set<FaultName>(always);
  const faults: Faults = {
    strikes(name) {
      if (striking.has(name)) counts[name]++;
      return striking.has(name);
    },
    random: () => 0.5,
    counts,
  };
  const traced: TraceEntry[] = [];
  const sqs = createSimSqs({
    time,
    faults,
    random: randomOf(seed, 'sqs'),
    trace: (entry) => traced.push(entry),
    limits,
  });
  const isFifo = queue.isFifo ?? true;
  const deadUrl = sqs.createQueue({ name: isFifo ? 'dead.fifo' : 'dead', isFifo, visibilityS: 30 });
  const QueueUrl = sqs.createQueue({
    name: isFifo ? 'queue.fifo' : 'queue',
    isFifo,
    visibilityS: 30,
    deadLetter: { queueUrl: deadUrl, maxReceives: 1000 },
    ...queue,
  });
  const call = (command: string, input: object) =>
    sqs.handle(`${command}Command`, { QueueUrl, ...input }) as Answer;
  const batch = (command: string, entries: readonly object[]) =>
    call(`${command}Batch`, { Entries: entries.map((entry, i) => ({ Id: String(i), ...entry })) });

  /** Sends texts like `a1`, whose group is their first letter, each with a deduplication id of its own. */
  let sent = 0;
  function send(...texts: readonly string[]): Answer {
    const entries = texts.map((text) => ({
      MessageBody: text,
      ...(isFifo && { MessageGroupId: text[0], MessageDeduplicationId: String(++sent) }),
    }));
    return batch('SendMessage', entries);
  }

  const receive = (input: object = {}): readonly Message[] =>
    call('ReceiveMessage', { MaxNumberOfMessages: 10, ...input }).Messages ?? [];

  /** All that can be received now, by text. */
  function receiveAll(): Map<string, string> {
    const handles = new Map<string, string>();
    for (let messages = receive(); messages.length > 0; messages = receive())
      for (const { Body, ReceiptHandle } of messages) handles.set(Body, ReceiptHandle);
    return handles;
  }

  return {
    time,
    sqs,
    counts,
    striking,
    traced,
    QueueUrl,
    deadUrl,
    call,
    batch,
    send,
    receive,
    receiveAll,
    remove: (...handles: readonly (string | undefined)[]) =>
      batch(
        'DeleteMessage',
        handles.map((ReceiptHandle) => ({ ReceiptHandle })),
      ),
    hide: (seconds: number, ...handles: readonly (string | undefined)[]) =>
      batch(
        'ChangeMessageVisibility',
        handles.map((ReceiptHandle) => ({ ReceiptHandle, VisibilityTimeout: seconds })),
      ),
  };
}

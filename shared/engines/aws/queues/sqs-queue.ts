/**
 * The calls on one SQS queue that its adapters share: batches whose single failures are retried or thrown.
 */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { NewerFormat } from '../../../core/frontier/bytes.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { type CorruptRecord, newerAgainS, type SqsRecord, type UnreadHandlers } from './delivery.ts';
import { gatherer } from './gather.ts';
import { type EntryResult, MAX_BATCH_ENTRIES, type Packable, settleBatch } from './sqs-batch.ts';

export interface SqsQueue {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly clock: Clock;
}

export type SendEntry = Omit<SendMessageBatchRequestEntry, 'Id'> & { MessageBody: string };

/**
 * Sends messages, gathered with those of other callers: see {@link gatherer}. What one group is sent keeps
 * its order, but for entries that SQS takes only at a later try.
 */
export function gatheredSends(
  { client, queueUrl, clock }: SqsQueue,
  options: { readonly gatherMs: number; readonly maxBytes: number },
): (entries: readonly SendEntry[]) => Promise<void> {
  return gatherer(
    { clock, ...options },
    (entry) => ({ group: entry.MessageGroupId ?? entry, size: Buffer.byteLength(entry.MessageBody) }),
    (batch) =>
      settleBatch(
        batch,
        (Entries) => client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries })),
        { what: 'SendMessageBatch', clock },
      ),
  );
}

/** A message received, by its receipt handle; messages of one group are treated in order. */
export interface ReceivedEntry {
  readonly handle: string;
  readonly group: string;
}

/** Deletes messages, gathered. Messages that somebody has received since are no longer ours: left alone. */
export function gatheredDeletes(
  queue: SqsQueue,
  gatherMs: number,
): (entries: readonly ReceivedEntry[]) => Promise<void> {
  return gatherer({ clock: queue.clock, gatherMs }, packable, (batch) =>
    deleteBatch(
      queue,
      batch.map(({ handle }) => handle),
    ),
  );
}

export interface HideEntry extends ReceivedEntry {
  /** From now; 0 makes the message visible. */
  readonly seconds: number;
}

/** Hides messages, gathered. Messages that are ours no longer are left alone. */
export function gatheredHides(
  queue: SqsQueue,
  gatherMs: number,
): (entries: readonly HideEntry[]) => Promise<void> {
  return gatherer<HideEntry>({ clock: queue.clock, gatherMs }, packable, (batch) =>
    hideBatch(queue, batch, () => {}),
  );
}

const packable = ({ group }: ReceivedEntry): Packable => ({ group, size: 0 });

/** Deletes messages at once. */
export async function deleteAll(queue: SqsQueue, handles: readonly string[]): Promise<void> {
  for (const batch of inBatches(handles)) throwFirst(await deleteBatch(queue, batch));
}

/** Hides messages for a number of seconds from now, in one call. Returns those that are no longer ours. */
export async function hideAll(
  queue: SqsQueue,
  handles: readonly string[],
  seconds: number,
): Promise<ReadonlySet<string>> {
  const expired = new Set<string>();
  for (const batch of inBatches(handles)) {
    const entries = batch.map((handle) => ({ handle, seconds }));
    throwFirst(await hideBatch(queue, entries, (handle) => expired.add(handle)));
  }
  return expired;
}

/** Returns a function that hides one message of a queue for a number of seconds. */
export const parker =
  (context: Omit<SqsQueue, 'queueUrl'>) =>
  async (
    queueUrl: string,
    { receiptHandle }: Pick<SqsRecord, 'receiptHandle'>,
    seconds: number,
  ): Promise<void> => {
    await hideAll({ ...context, queueUrl }, [receiptHandle], seconds);
  };

const deleteBatch = (
  { client, queueUrl, clock }: SqsQueue,
  handles: readonly string[],
): Promise<EntryResult[]> =>
  settleBatch(
    handles.map((ReceiptHandle) => ({ ReceiptHandle })),
    (Entries) => client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries })),
    { what: 'DeleteMessageBatch', clock, isDone: isExpired },
  );

const hideBatch = (
  { client, queueUrl, clock }: SqsQueue,
  entries: readonly Omit<HideEntry, 'group'>[],
  onExpired: (handle: string) => void,
): Promise<EntryResult[]> =>
  settleBatch(
    entries.map(({ handle, seconds }) => ({ ReceiptHandle: handle, VisibilityTimeout: seconds })),
    (Entries) => client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries })),
    {
      what: 'ChangeMessageVisibilityBatch',
      clock,
      isDone(code, { ReceiptHandle }) {
        if (isExpired(code)) onExpired(ReceiptHandle);
        return isExpired(code);
      },
    },
  );

function throwFirst(results: readonly EntryResult[]): void {
  const failure = results.find((result) => result !== undefined);
  if (failure) throw failure;
}

/** Messages of a queue that can be received now, that are hidden since they were received, and that are sent with a delay. */
export interface MessageCounts {
  readonly waiting: number;
  readonly received: number;
  readonly delayed: number;
}

/**
 * SQS counts approximately, and is right only a minute after the last change (API reference, GetQueueAttributes): a 0 counts when
 * it was seen for that long.
 */
export async function messageCounts(
  client: Pick<SQSClient, 'send'>,
  queueUrl: string,
): Promise<MessageCounts> {
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
  );
  const [waiting = 0, received = 0, delayed = 0] = names.map((name) => Number(Attributes[name] ?? 0));
  return { waiting, received, delayed };
}

/** All messages that the queue keeps, counted as by {@link messageCounts}. */
export async function countMessages(client: Pick<SQSClient, 'send'>, queueUrl: string): Promise<number> {
  const { waiting, received, delayed } = await messageCounts(client, queueUrl);
  return waiting + received + delayed;
}

/**
 * A corrupt record that nobody took care of comes again after this: not in a tight loop, not holding its
 * group long.
 */
const CORRUPT_AGAIN_S = 1;

/**
 * Gives corrupt records to `onCorrupt` and deletes those that it took care of. The rest comes again soon, so that the
 * redrive policy applies and their groups are free meanwhile. A record of a newer version is hidden for minutes
 * instead: it is valid. Never throws: at worst a record comes again when its visibility ends. Returns the ids of those
 * taken care of.
 */
export async function settleCorrupt(
  queue: SqsQueue,
  corrupt: readonly CorruptRecord[],
  { onCorrupt, onNewer }: UnreadHandlers,
): Promise<string[]> {
  const settled: string[] = [];
  for (const { record, error } of corrupt) {
    const handles = [record.receiptHandle];
    if (error instanceof NewerFormat) {
      await hideAll(queue, handles, newerAgainS(record)).catch(() => {});
      onNewer?.(record, error);
      continue;
    }
    try {
      if (!onCorrupt) throw error;
      await onCorrupt(record, error);
      await deleteAll(queue, handles);
      settled.push(record.messageId);
    } catch {
      await hideAll(queue, handles, CORRUPT_AGAIN_S).catch(() => {});
    }
  }
  return settled;
}

/**
 * Codes for a receipt handle that no longer holds its message: its visibility ended (a FIFO queue then
 * refuses it) or the message was received again or deleted since.
 */
const EXPIRED = /(^|\.)(InvalidParameterValue|MessageNotInflight|ReceiptHandleIsInvalid)(Exception)?$/;

const isExpired = (code: string | undefined): boolean => EXPIRED.test(code ?? '');

function inBatches<T>(items: readonly T[]): T[][] {
  const batches: T[][] = [];
  for (let from = 0; from < items.length; from += MAX_BATCH_ENTRIES) {
    batches.push(items.slice(from, from + MAX_BATCH_ENTRIES));
  }
  return batches;
}

import { type MessageSystemAttributeName, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { withRetry } from '../retry.ts';
import { recordOf, type SqsRecord } from './delivery.ts';
import { hideAll, type SqsQueue } from './sqs-queue.ts';

/** The longest poll, and the most messages of one receive (SQS developer guide, message quotas). */
const MAX_POLL_S = 20;
const MAX_MESSAGES = 10;
const ATTRIBUTES: MessageSystemAttributeName[] = ['ApproximateReceiveCount', 'MessageGroupId'];
const OF_FIFO: MessageSystemAttributeName[] = [
  'MessageDeduplicationId',
  'SentTimestamp',
  'ApproximateFirstReceiveTimestamp',
];
/** An answer comes no later than this after the poll's end. */
const ANSWER_MS = 8000;

export interface ReceiveSource extends SqsQueue {
  /** How long received messages are hidden, in whole seconds. */
  readonly visibilityS: number;
  readonly isFifo: boolean;
}

/**
 * Receives until `room` says 0, a receive was not full, or `signal` aborts; waits up to `waitMs`, rounded up
 * to a second, for the first message. `take` is given each receive's records, and the time before the call:
 * they were hidden no earlier. What was taken stays taken: an error after that ends the receiving, and is not
 * thrown. `room` is to shrink by each `take`, or a full queue would never end it.
 */
export async function receiveRecords(
  source: ReceiveSource,
  { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
  room: () => number,
  take: (records: readonly SqsRecord[], receivedAt: number) => Promise<void>,
): Promise<void> {
  const { clock } = source;
  const until = clock.now() + waitMs;
  // The lease counts from before the poll: a poll is to leave most of it.
  const pollS = Math.min(MAX_POLL_S, Math.max(1, Math.floor(source.visibilityS / 4)));
  let hasTaken = false;
  for (;;) {
    const count = Math.min(MAX_MESSAGES, room());
    if (count <= 0 || signal?.aborted) return;
    const receivedAt = clock.now();
    const waitS = hasTaken ? 0 : Math.min(pollS, Math.max(0, Math.ceil((until - receivedAt) / 1000)));
    const polling = receiveOnce(source, count, waitS, signal);
    let records: readonly SqsRecord[] | undefined;
    try {
      records = await unlessAborted(polling, signal);
    } catch (error) {
      if (signal?.aborted || hasTaken) return;
      throw error;
    }
    if (!records) {
      giveBack(source, polling);
      return;
    }
    if (records.length > 0) {
      hasTaken = true;
      await take(records, receivedAt);
    }
    if (records.length >= count) continue;
    if (hasTaken || clock.now() >= until) return;
  }
}

/** Returns the result of `promise`, or undefined as soon as the signal aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  if (!signal) return promise;
  const aborting = Promise.withResolvers<undefined>();
  const abort = () => aborting.resolve(undefined);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborting.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * A poll that nobody waits for continues at SQS, even if its connection is closed, and would hide what it
 * finds for the whole visibility. So it is left to end, and what it brings is made visible again, the last
 * message first.
 */
function giveBack(source: ReceiveSource, polling: Promise<readonly SqsRecord[]>): void {
  polling
    .then((records) => hideAll(source, records.map(({ receiptHandle }) => receiptHandle).reverse(), 0))
    // It comes back by itself, later.
    .catch(() => {});
}

async function receiveOnce(
  { client, queueUrl, clock, visibilityS, isFifo }: ReceiveSource,
  count: number,
  waitS: number,
  signal?: AbortSignal,
): Promise<SqsRecord[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: count,
    WaitTimeSeconds: waitS,
    VisibilityTimeout: visibilityS,
    MessageSystemAttributeNames: isFifo ? [...ATTRIBUTES, ...OF_FIFO] : ATTRIBUTES,
    // A receive whose answer got lost gives the same messages to the SDK's retry, instead of hiding them.
    ...(isFifo && { ReceiveRequestAttemptId: clock.uuid() }),
  });
  // However short the client's own time-out is.
  const call = () => client.send(command, { requestTimeout: waitS * 1000 + ANSWER_MS });
  const { Messages = [] } = await withRetry('ReceiveMessage', call, { clock, signal });
  return Messages.map(recordOf);
}

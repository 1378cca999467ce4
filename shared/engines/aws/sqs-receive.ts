import { randomUUID } from 'node:crypto';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { recordOf, type SqsRecord } from './delivery.ts';
import { withRetry } from './retry.ts';
import type { SqsQueue } from './sqs-queue.ts';

/** The longest poll, and the most messages of one receive (SQS developer guide, message quotas). */
const MAX_POLL_S = 20;
const MAX_MESSAGES = 10;

export interface ReceiveSource extends SqsQueue {
  /** How long received messages are hidden, in whole seconds. */
  readonly visibilityS: number;
  readonly isFifo: boolean;
}

/**
 * Receives until `room` says 0, a receive was not full, or `signal` aborts; waits up to `waitMs`, rounded up to a
 * second, for the first message. `take` is given each receive's records, and the time before the call: they were
 * hidden no earlier. What was taken stays taken: an error after that ends the receiving, and is not thrown.
 */
export async function receiveRecords(
  source: ReceiveSource,
  waitMs: number,
  signal: AbortSignal | undefined,
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
    let records: SqsRecord[];
    try {
      records = await receiveOnce(source, count, waitS, signal);
    } catch (error) {
      // An aborted poll may have hidden messages already: they come back when their visibility ends.
      if (signal?.aborted || hasTaken) return;
      throw error;
    }
    if (records.length > 0) {
      hasTaken = true;
      await take(records, receivedAt);
    }
    if (records.length >= count) continue;
    if (hasTaken || clock.now() >= until) return;
  }
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
    MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId'],
    // A receive whose answer got lost gives the same messages to the SDK's retry, instead of hiding them.
    ...(isFifo && { ReceiveRequestAttemptId: randomUUID() }),
  });
  const { Messages = [] } = await withRetry(
    'ReceiveMessage',
    () => client.send(command, { abortSignal: signal }),
    { clock, signal },
  );
  return Messages.map(recordOf);
}

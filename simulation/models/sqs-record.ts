/** Received messages as ReceiveMessage gives them, and as the event of a function holds them. */
import type { Message } from '@aws-sdk/client-sqs';
import type { SqsRecord } from '../../shared/engines/aws/queues/delivery.ts';
import type { Received } from './sqs-message.ts';

/** With those system attributes that were requested. */
export function messageOf(received: Received, names: readonly string[] = []): Message {
  const { message, handle } = received;
  const output: Message = { MessageId: message.id, ReceiptHandle: handle, Body: message.body };
  if (names.length > 0) output.Attributes = attributesOf(received, names);
  return output;
}

export const recordOf = (received: Received): SqsRecord => ({
  messageId: received.message.id,
  receiptHandle: received.handle,
  body: received.message.body,
  attributes: systemAttributesOf(received),
});

function attributesOf(received: Received, names: readonly string[]): Record<string, string> {
  const all: Readonly<Record<string, string>> = systemAttributesOf(received);
  if (names.includes('All')) return all;
  const asked: Record<string, string> = {};
  for (const name of names) if (all[name] !== undefined) asked[name] = all[name];
  return asked;
}

function systemAttributesOf({ message, receiveCount }: Received) {
  const { group, deduplicationId, number, sentAt, firstReceivedAt } = message;
  return {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentAt),
    ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
    ...(group !== undefined && { MessageGroupId: group, SequenceNumber: sequenceNumberOf(number) }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
  };
}

/** 20 digits (API reference, SendMessage). */
export const sequenceNumberOf = (number: number): string => String(number).padStart(20, '0');

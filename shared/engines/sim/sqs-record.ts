/** Received messages as ReceiveMessage gives them, and as the event of a function holds them. */
import type { Message } from '@aws-sdk/client-sqs';
import type { SqsRecord } from '../aws/delivery.ts';
import type { Received } from './sqs-message.ts';

/** With those system attributes that were asked for. */
export function messageOf(received: Received, names: readonly string[] = []): Message {
  const all = Object.entries(systemAttributesOf(received));
  const asked = names.includes('All') ? all : all.filter(([name]) => names.includes(name));
  return {
    MessageId: received.message.id,
    ReceiptHandle: received.handle,
    Body: received.message.body,
    ...(asked.length > 0 && { Attributes: Object.fromEntries(asked) }),
  };
}

export const recordOf = (received: Received): SqsRecord => ({
  messageId: received.message.id,
  receiptHandle: received.handle,
  body: received.message.body,
  attributes: systemAttributesOf(received),
});

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

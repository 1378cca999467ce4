/**
 * From the records that SQS hands out, by a receive or in the event of a function, to the domain's
 * deliveries. Pure.
 */
import type { Message as SqsMessage } from '@aws-sdk/client-sqs';
import type { NewerFormat } from '../../../core/frontier/bytes.ts';
import type { Message } from '../../../core/frontier/message.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Delivery, HostDeliveries } from '../../../crawler/ports/turn-queue.ts';
import { isIdOfRepeat, parseMessageText } from './message-text.ts';

/** A record as the event of a Lambda function holds it, as far as it is needed here. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: {
    readonly ApproximateReceiveCount?: string;
    readonly MessageGroupId?: string;
    readonly MessageDeduplicationId?: string;
    readonly SentTimestamp?: string;
    readonly ApproximateFirstReceiveTimestamp?: string;
  };
}

/** As above, for a message as ReceiveMessage gives it. */
export function recordOf(message: SqsMessage): SqsRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: message.Attributes ?? {},
  };
}

/** A record that is not what it should be, and why. */
export interface CorruptRecord {
  readonly record: SqsRecord;
  readonly error: unknown;
}

/**
 * Called with a record that cannot be read. When it resolves, it has taken care of the record (put it on the
 * dead-letter queue with the reason, perhaps), which is then deleted; if it throws, the record stays and
 * comes again, until the queue's own redrive policy sets it aside.
 */
export type OnCorrupt = (record: SqsRecord, error: unknown) => Promise<void>;

/** Called with each receive of a record that a newer version of the program has sent. The record stays. */
export type OnNewer = (record: SqsRecord, error: NewerFormat) => void;

/** Handlers of records that cannot be read. */
export interface UnreadHandlers {
  readonly onCorrupt?: OnCorrupt | undefined;
  readonly onNewer?: OnNewer | undefined;
}

const NEWER_AGAIN_S = 60;
const MAX_NEWER_AGAIN_S = 900;

/** A record of a newer version comes again after this time: then perhaps that version is deployed again. */
export const newerAgainS = (record: SqsRecord): number =>
  Math.min(NEWER_AGAIN_S * 2 ** (receiveCountOf(record) - 1), MAX_NEWER_AGAIN_S);

export interface GroupedRecords {
  /** By host, in the order received. */
  readonly groups: readonly { readonly received: HostDeliveries; readonly records: readonly SqsRecord[] }[];
  readonly corrupt: readonly CorruptRecord[];
}

/**
 * Groups records by the host that they are for; the order within a group stays. A delivery's id is the
 * message's.
 */
export function groupRecords(records: readonly SqsRecord[], leaseUntil: number): GroupedRecords {
  const corrupt: CorruptRecord[] = [];
  const hosts = new Map<HostKey, { deliveries: Delivery[]; records: SqsRecord[] }>();
  for (const record of records) {
    try {
      const { host, message } = parseMessageText(record.body);
      const group = hosts.get(host) ?? { deliveries: [], records: [] };
      hosts.set(host, group);
      group.deliveries.push(deliveryOf(record, message));
      group.records.push(record);
    } catch (error) {
      corrupt.push({ record, error });
    }
  }
  const groups = [...hosts].map(([host, group]) => ({
    received: { host, deliveries: group.deliveries, leaseUntil },
    records: group.records,
  }));
  return { groups, corrupt };
}

function deliveryOf(record: SqsRecord, message: Message): Delivery {
  const { SentTimestamp: sentAt, ApproximateFirstReceiveTimestamp: firstAt } = record.attributes;
  // Both by the clock of SQS.
  const waitedMs = sentAt && firstAt ? Number(firstAt) - Number(sentAt) : Number.NaN;
  return {
    id: record.messageId,
    message,
    receiveCount: receiveCountOf(record),
    ...(isIdOfRepeat(record.attributes.MessageDeduplicationId) && { isSentAgain: true }),
    ...(Number.isFinite(waitedMs) && { waitedMs: Math.max(0, waitedMs) }),
  };
}

function receiveCountOf({ attributes }: SqsRecord): number {
  const count = Number(attributes.ApproximateReceiveCount);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}

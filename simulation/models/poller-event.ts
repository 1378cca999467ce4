/** The event that a poller hands to a function, and the reading of the function's answer. */
import type { SqsRecord } from '../../shared/engines/aws/queues/delivery.ts';

/** As much of aws-lambda's `SQSEvent` as SQS fills in by itself. */
export interface SqsEvent {
  readonly Records: readonly SqsEventRecord[];
}

export interface SqsEventRecord extends SqsRecord {
  readonly messageAttributes: Readonly<Record<string, never>>;
  readonly eventSource: 'aws:sqs';
  /** Ends in the queue's name, as its URL does. */
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

const REGION = 'us-east-1';

export function sqsEvent(queueUrl: string, messages: readonly SqsRecord[]): SqsEvent {
  const name = queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
  return {
    Records: messages.map((message) => ({
      ...message,
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:${REGION}:000000000000:${name}`,
      awsRegion: REGION,
    })),
  };
}

/**
 * The ids reported as failed. All, where the answer names one that is no message's of the batch, or none;
 * nothing reported, or no list, is success (developer guide, "Handling errors for an SQS event source":
 * success and failure conditions).
 */
export function failedIds(result: unknown, messages: readonly SqsRecord[]): ReadonlySet<string> | 'all' {
  const failures = (result as { batchItemFailures?: unknown } | null | undefined)?.batchItemFailures ?? [];
  if (!Array.isArray(failures)) return 'all';
  const known = new Set(messages.map(({ messageId }) => messageId));
  const ids = failures.map((failure) => (failure as { itemIdentifier?: unknown } | null)?.itemIdentifier);
  return ids.every((id) => typeof id === 'string' && known.has(id)) ? new Set(ids as string[]) : 'all';
}

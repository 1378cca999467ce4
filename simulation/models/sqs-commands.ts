/** The inputs of SQS's commands as far as the engine fills them in, and the answer to a batch. */
import type { Faults } from './faults.ts';
import type { Refusal } from './sqs-model.ts';

export interface QueueInput {
  readonly QueueUrl?: string;
}

export interface SendInput {
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

export interface HandleInput {
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
}

export interface BatchInput<E> extends QueueInput {
  readonly Entries?: readonly (E & { readonly Id?: string })[];
}

export interface ReceiveInput extends QueueInput {
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
  readonly VisibilityTimeout?: number;
  readonly MessageSystemAttributeNames?: readonly string[];
  readonly ReceiveRequestAttemptId?: string;
}

export interface AttributesInput extends QueueInput {
  readonly AttributeNames?: readonly string[];
}

/** The outcome of one entry, or of a command with one entry. */
export interface EntryOutcome {
  readonly refusal?: Refusal;
  /** Called when it succeeds. */
  readonly result?: object;
}

/**
 * Does the entries one by one: each may fail, and some do without having had an effect (`batchEntryFails`).
 */
export function batchOf<E extends { readonly Id: string }>(
  entries: readonly E[],
  act: (entry: E) => EntryOutcome,
  faults: Faults,
): object {
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    const { Id } = entry;
    if (faults.strikes('batchEntryFails')) {
      Failed.push({
        Id,
        Code: 'InternalError',
        Message: 'We encountered an internal error.',
        SenderFault: false,
      });
      continue;
    }
    const { refusal, result } = act(entry);
    if (refusal) Failed.push({ Id, Code: refusal.code, Message: refusal.message, SenderFault: true });
    else Successful.push({ Id, ...result });
  }
  return { ...(Successful.length > 0 && { Successful }), ...(Failed.length > 0 && { Failed }) };
}

/** The common parts of the models of the two kinds of queues: a queue's state, to which the time is given. */
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Hold, NewMessage, QueuedMessage, Received, StoredMessage } from './sqs-message.ts';
import type { MessageStore, QueueSize } from './sqs-store.ts';

/** Limits of SQS that a test may want lower. */
export interface QueueLimits {
  /** Messages received and hidden: above that, a receive gives none. */
  readonly inFlight: number;
  /** A FIFO queue looks for free groups among this number of its first messages. */
  readonly lookAhead: number;
  /** How long a FIFO queue drops messages sent again. */
  readonly deduplicationMs: number;
}

/** SQS developer guide: quotas, "avoid backlog with the same message group ID", `MessageDeduplicationId`. */
export const QUEUE_LIMITS: QueueLimits = { inFlight: 120_000, lookAhead: 120_000, deduplicationMs: 300_000 };

export interface ModelOptions {
  /** Part of ids and handles; without colons. */
  readonly name: string;
  readonly limits: QueueLimits;
  readonly random: Random;
  readonly faults: Faults;
  readonly delayMs: number;
  readonly retentionMs: number;
  /** Takes messages that were received `maxReceives` times, and would be once more. */
  readonly deadLetters?: { readonly maxReceives: number; take(message: StoredMessage): void };
}

/** Why SQS refuses an entry for one message. */
export interface Refusal {
  readonly code:
    | 'ReceiptHandleIsInvalid'
    | 'InvalidParameterValue'
    | 'MessageNotInflight'
    | 'InvalidMessageContents';
  readonly message: string;
}

/** `now` never goes back from one call to the next. */
export interface QueueModel {
  /** Returns the message, or the one that it repeats and that makes it dropped. */
  send(
    message: NewMessage,
    now: number,
  ): { readonly id: string; readonly number: number; readonly isNew: boolean };
  /** A message that another queue has given up: at once, and never dropped. */
  takeOver(message: NewMessage, now: number): void;
  /** At least one message if there is one to be received, at most `max`. */
  receive(max: number, visibilityMs: number, now: number): readonly Received[];
  /** Hides again what a receive gave, for so long from now; undefined where any of it was touched since. */
  receiveAgain(holds: readonly Hold[], visibilityMs: number, now: number): readonly Received[] | undefined;
  delete(handle: string, now: number): Refusal | undefined;
  /** Hides for so long from now. */
  changeVisibility(handle: string, visibilityMs: number, now: number): Refusal | undefined;
  /** The message of a receipt handle, if it is there. */
  find(handle: string): QueuedMessage | undefined;
  size(now: number): QueueSize;
  /** In the order sent. Do not change anything during the iteration. */
  messages(now: number): Iterable<QueuedMessage>;
  /** When a hidden message will be visible. */
  nextChangeAt(): number | undefined;
  /** Whether a message may have become receivable since this was asked last. */
  takeNews(now: number): boolean;
}

/** From the receive on, however often it is extended (SQS developer guide, visibility timeout). */
export const MAX_HIDDEN_MS = 12 * 3_600_000;

export const INVALID_HANDLE: Refusal = {
  code: 'ReceiptHandleIsInvalid',
  message: 'The input receipt handle is invalid.',
};
export const EXPIRED: Refusal = {
  code: 'InvalidParameterValue',
  message: 'Value for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.',
};
export const GONE: Refusal = {
  code: 'InvalidParameterValue',
  message:
    'Value for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
};
export const NOT_IN_FLIGHT: Refusal = {
  code: 'MessageNotInflight',
  message: 'The message referred to is not in flight.',
};
export const HIDDEN_TOO_LONG: Refusal = {
  code: 'InvalidParameterValue',
  message: 'Total VisibilityTimeout for the message is beyond the limit [43200 seconds].',
};

/** The longest delay of a late message; most are late by some seconds. */
const MAX_LATE_MS = 20_000;

/** When a message sent now can be received. */
export function visibleAtOf(
  { faults, ...options }: ModelOptions,
  { delayMs = options.delayMs }: NewMessage,
  now: number,
): number {
  const isLate = faults.strikes('messageLate');
  return now + delayMs + (isLate ? 1000 + Math.floor(faults.random('messageLate') ** 2 * MAX_LATE_MS) : 0);
}

/** The share of receives that give less than they could. */
const SHORT = 0.2;

/** The number of messages that this receive returns. */
export function roomOf({ limits, random }: ModelOptions, inFlight: number, max: number): number {
  const room = Math.min(max, limits.inFlight - inFlight);
  return room > 1 && random() < SHORT ? 1 + Math.floor(random() * room) : room;
}

/** Returns the views that both kinds of queues have of themselves. `settle` brings the store to a time. */
export function viewsOf(
  store: MessageStore,
  settle: (now: number) => void,
): Pick<QueueModel, 'find' | 'size' | 'messages' | 'nextChangeAt'> {
  return {
    find: (handle) => store.find(handle)?.message,
    size(now) {
      settle(now);
      return store.size;
    },
    messages(now) {
      settle(now);
      return eachOf(store);
    },
    nextChangeAt: () => store.nextChangeAt,
  };
}

function* eachOf(store: MessageStore): Iterable<QueuedMessage> {
  for (let message = store.first; message; message = message.after) yield message;
}

/** A message as the models of SQS keep it. */

/** The facts that invariants may know of a message that is there. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  /** `MessageGroupId`: the host, on a FIFO queue. */
  readonly group: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>> | undefined;
  /** Times in ms since the epoch. */
  readonly sentAt: number;
  readonly receiveCount: number;
  /** Received, and hidden since. Otherwise it is delayed if `visibleAt` is to come, and visible if not. */
  readonly isInFlight: boolean;
  readonly visibleAt: number;
}

/** A message to send. */
export interface NewMessage {
  readonly body: string;
  readonly group?: string | undefined;
  readonly deduplicationId?: string | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Instead of the queue's own. */
  readonly delayMs?: number | undefined;
  /** The id that a message keeps when it comes from another queue. */
  readonly id?: string;
}

/** The same with what the models keep books by: one shape for all of them. */
export interface StoredMessage extends QueuedMessage {
  /** Number within its queue, in the order sent, from 1. */
  readonly number: number;
  readonly deduplicationId: string | undefined;
  receiveCount: number;
  isInFlight: boolean;
  visibleAt: number;
  /** The times of the last and the first receive; 0: never. */
  receivedAt: number;
  firstReceivedAt: number;
  /** False once it is deleted, expired or moved. */
  isStored: boolean;
  /** Place in the schedule of what is hidden; -1: it is visible. */
  slot: number;
  /** Neighbours in the queue, in the order sent. */
  before: StoredMessage | undefined;
  after: StoredMessage | undefined;
  /** Neighbours in the group; FIFO. */
  groupBefore: StoredMessage | undefined;
  groupAfter: StoredMessage | undefined;
  /** Among the first of the queue, which is as far as a receive looks; FIFO. */
  isInWindow: boolean;
  /**
   * For a deleted message that is delivered once more: how often it was received before; otherwise 0.
   * Standard.
   */
  ghostSince: number;
}

/** One receive of a message, as long as nobody touches it. */
export interface Hold {
  readonly handle: string;
  readonly visibleAt: number;
}

/** As a receive hands it out: the message may change later, this does not. */
export interface Received extends Hold {
  readonly message: StoredMessage;
  /** This receive's number. */
  readonly receiveCount: number;
}

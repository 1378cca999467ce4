/**
 * A queue's messages, in the order sent, and which of them are hidden until when. Every step is O(log n) at
 * most.
 */
import type { NewMessage, StoredMessage } from './sqs-message.ts';
import { createSchedule } from './sqs-schedule.ts';

export interface QueueSize {
  /** On a FIFO queue also those that wait behind others of their group. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface MessageStore {
  /** Adds it as the last, hidden until then. */
  add(message: NewMessage, now: number, visibleAt: number): StoredMessage;
  remove(message: StoredMessage): void;
  /** Hides a message in flight until `until`; makes it visible where that is not to come. */
  hide(message: StoredMessage, until: number, now: number): void;
  /** Counts a receive, and hides the message. Returns the handle for it. */
  receive(message: StoredMessage, until: number, now: number): string;
  /** The message that is hidden no longer, one at a time; undefined when there are no more. */
  nextVisible(now: number): StoredMessage | undefined;
  /** When the next hidden message will be visible. */
  readonly nextChangeAt: number | undefined;
  readonly first: StoredMessage | undefined;
  readonly size: QueueSize;
  readonly inFlight: number;
  /** Returns the message of a handle; undefined if it is none of this queue's. */
  find(handle: string): Handle | undefined;
}

export interface Handle {
  /** Undefined once it is deleted. */
  readonly message: StoredMessage | undefined;
  /** The number of the receive that it was given for. */
  readonly receiveCount: number;
}

export function createMessageStore(name: string): MessageStore {
  const messages = new Map<number, StoredMessage>();
  const hidden = createSchedule();
  let sent = 0;
  let first: StoredMessage | undefined;
  let last: StoredMessage | undefined;
  let inFlight = 0;
  let delayed = 0;

  /** Keeps the counts: what a message was is taken off, what it is now is added. */
  function count(message: StoredMessage, by: 1 | -1): void {
    if (message.isInFlight) inFlight += by;
    else if (message.slot >= 0) delayed += by;
  }

  function setHidden(message: StoredMessage, until: number, isInFlight: boolean, now: number): void {
    count(message, -1);
    message.visibleAt = until;
    message.isInFlight = isInFlight && until > now;
    if (until > now) hidden.put(message);
    else hidden.remove(message);
    count(message, 1);
  }

  return {
    add({ body, group, deduplicationId, attributes, id }, now, visibleAt) {
      const number = ++sent;
      const message: StoredMessage = {
        id: id ?? `${name}:${number}`,
        number,
        body,
        group,
        deduplicationId,
        attributes,
        sentAt: now,
        receiveCount: 0,
        isInFlight: false,
        visibleAt: now,
        receivedAt: 0,
        firstReceivedAt: 0,
        isStored: true,
        slot: -1,
        before: last,
        after: undefined,
        groupBefore: undefined,
        groupAfter: undefined,
        isInWindow: false,
        ghostSince: 0,
      };
      messages.set(number, message);
      if (last) last.after = message;
      else first = message;
      last = message;
      setHidden(message, visibleAt, false, now);
      return message;
    },

    remove(message) {
      count(message, -1);
      message.isStored = false;
      message.isInFlight = false;
      hidden.remove(message);
      messages.delete(message.number);
      const { before, after } = message;
      if (before) before.after = after;
      else first = after;
      if (after) after.before = before;
      else last = before;
      // A caller that still knows it must not keep all others alive.
      message.before = undefined;
      message.after = undefined;
    },

    hide: (message, until, now) => setHidden(message, until, true, now),

    receive(message, until, now) {
      message.receiveCount++;
      message.receivedAt = now;
      message.firstReceivedAt ||= now;
      setHidden(message, until, true, now);
      return `${name}:${message.number}:${message.receiveCount}`;
    },

    nextVisible(now) {
      const message = hidden.next();
      if (!message || message.visibleAt > now) return undefined;
      setHidden(message, message.visibleAt, false, now);
      return message;
    },

    get nextChangeAt() {
      return hidden.next()?.visibleAt;
    },
    get first() {
      return first;
    },
    get size() {
      return { visible: messages.size - inFlight - delayed, inFlight, delayed };
    },
    get inFlight() {
      return inFlight;
    },

    find(handle) {
      const [queue, number, receiveCount] = handle.split(':');
      if (queue !== name || !(Number(number) <= sent && Number(receiveCount) > 0)) return undefined;
      return { message: messages.get(Number(number)), receiveCount: Number(receiveCount) };
    },
  };
}

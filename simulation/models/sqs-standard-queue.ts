/** A standard queue of SQS: messages come at least once, in about the order in which they became visible. */
import type { NewMessage, Received, StoredMessage } from './sqs-message.ts';
import {
  GONE,
  HIDDEN_TOO_LONG,
  INVALID_HANDLE,
  MAX_HIDDEN_MS,
  type ModelOptions,
  NOT_IN_FLIGHT,
  type QueueModel,
  roomOf,
  viewsOf,
  visibleAtOf,
} from './sqs-model.ts';
import { createReadyList } from './sqs-ready.ts';
import { createMessageStore } from './sqs-store.ts';

/** Messages that come out of order are among this number at the front. */
const CHOICE = 100;
/** A message goes to two receivers within this time, and comes again after its deletion within that. */
const TWO_RECEIVERS_MS = 2000;
const COMES_AGAIN_MS = 60_000;

export function createStandardQueue(options: ModelOptions): QueueModel {
  const { name, limits, random, faults, retentionMs, deadLetters } = options;
  const store = createMessageStore(name);
  /** Also messages that are there no more. */
  const ready = createReadyList<StoredMessage>(random);
  let hasNews = false;

  function show(message: StoredMessage): void {
    if (message.slot >= 0) return;
    ready.push(message);
    hasNews = true;
  }

  function remove(message: StoredMessage): void {
    freed();
    store.remove(message);
  }

  /** One less may be in flight: at the limit, that makes others receivable. */
  function freed(): void {
    if (store.inFlight >= limits.inFlight) hasNews = true;
  }

  function settle(now: number): void {
    while ((store.nextChangeAt ?? Number.POSITIVE_INFINITY) <= now) {
      freed();
      show(store.nextVisible(now) as StoredMessage);
    }
    for (let oldest = store.first; oldest && oldest.sentAt + retentionMs <= now; oldest = store.first) {
      remove(oldest);
    }
  }

  function add(entry: NewMessage, now: number, visibleAt: number): StoredMessage {
    const message = store.add(entry, now, visibleAt);
    show(message);
    return message;
  }

  /** How long the message is hidden: shortly, where it is to have two receivers. */
  function hiddenMs(visibilityMs: number): number {
    if (visibilityMs <= TWO_RECEIVERS_MS || !faults.strikes('messageTwice')) return visibilityMs;
    return Math.floor(faults.random('messageTwice') * TWO_RECEIVERS_MS);
  }

  return {
    ...viewsOf(store, settle),

    send(entry, now) {
      settle(now);
      const { id, number } = add(entry, now, visibleAtOf(options, entry, now));
      return { id, number, isNew: true };
    },

    takeOver(entry, now) {
      settle(now);
      add(entry, now, now);
    },

    receive(max, visibilityMs, now) {
      settle(now);
      const room = roomOf(options, store.inFlight, max);
      const isReordered = store.size.visible > 1 && room > 0 && faults.strikes('messageReordered');
      const received: Received[] = [];
      const shown: StoredMessage[] = [];
      while (received.length < room) {
        const message = ready.take(isReordered ? CHOICE : 1, received.length === 0);
        if (!message) break;
        if (!message.isStored) continue;
        if (deadLetters && message.receiveCount >= deadLetters.maxReceives) {
          remove(message);
          deadLetters.take(message);
          continue;
        }
        const visibleAt = now + hiddenMs(visibilityMs);
        const handle = store.receive(message, visibleAt, now);
        received.push({ message, handle, receiveCount: message.receiveCount, visibleAt });
        shown.push(message);
      }
      // Only now: no message comes twice in one receive.
      for (const message of shown) show(message);
      return received;
    },

    /** Only FIFO queues know attempts. */
    receiveAgain: () => undefined,

    /**
     * Also with a handle that has expired, as long as nobody else has received the message: then it is left
     * to chance.
     */
    delete(handle, now) {
      settle(now);
      const found = store.find(handle);
      if (!found) return INVALID_HANDLE;
      const { message, receiveCount } = found;
      if (!message || receiveCount <= message.ghostSince) return undefined;
      if (receiveCount < message.receiveCount && random() < 0.5) return undefined;
      if (message.ghostSince > 0 || !faults.strikes('messageTwice')) {
        remove(message);
        return undefined;
      }
      message.ghostSince = message.receiveCount;
      if (!message.isInFlight) return undefined;
      const againAt = now + 1 + Math.floor(faults.random('messageTwice') * COMES_AGAIN_MS);
      store.hide(message, againAt, now);
      return undefined;
    },

    changeVisibility(handle, visibilityMs, now) {
      settle(now);
      const found = store.find(handle);
      if (!found) return INVALID_HANDLE;
      const { message, receiveCount } = found;
      if (!message || receiveCount <= message.ghostSince) return GONE;
      if (!message.isInFlight) return NOT_IN_FLIGHT;
      if (now + visibilityMs > message.receivedAt + MAX_HIDDEN_MS) return HIDDEN_TOO_LONG;
      if (visibilityMs <= 0) freed();
      store.hide(message, now + visibilityMs, now);
      show(message);
      return undefined;
    },

    takeNews(now) {
      settle(now);
      const had = hasNews;
      hasNews = false;
      return had && store.size.visible > 0;
    },
  };
}

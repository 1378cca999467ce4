/**
 * A FIFO queue of SQS, as tests recorded on AWS show it: of a group, what can be received is what is visible
 * before its first message that is not. From this follow the lock (a received message holds back all behind
 * it, also those sent later) and what comes back where visibility was changed for single messages (for the
 * first: nothing before it is visible; for a later one: those before it).
 */
import { between } from './random.ts';
import type { NewMessage, Received, StoredMessage } from './sqs-message.ts';
import {
  EXPIRED,
  GONE,
  HIDDEN_TOO_LONG,
  INVALID_HANDLE,
  MAX_HIDDEN_MS,
  type ModelOptions,
  type QueueModel,
  roomOf,
  viewsOf,
  visibleAtOf,
} from './sqs-model.ts';
import { createReadyList } from './sqs-ready.ts';
import { createRecent } from './sqs-recent.ts';
import { createMessageStore } from './sqs-store.ts';

interface Group {
  readonly name: string;
  first: StoredMessage | undefined;
  last: StoredMessage | undefined;
  /**
   * Listed among those that can perhaps be received from: what is listed is looked at again when its turn
   * comes.
   */
  isListed: boolean;
}

type Sent = Pick<StoredMessage, 'id' | 'number'>;

/** A receive takes its groups from this number of groups that have waited longest. */
const CHOICE = 8;
/** The share of receives in which a group gives all its messages. */
const WHOLE = 0.6;

export function createFifoQueue(options: ModelOptions): QueueModel {
  const { name, limits, random, retentionMs, deadLetters } = options;
  const store = createMessageStore(name);
  const groups = new Map<string, Group>();
  const ready = createReadyList<Group>(random);
  const sent = createRecent<Sent>(limits.deduplicationMs);
  let inWindow = 0;
  let lastInWindow: StoredMessage | undefined;
  let hasNews = false;

  const canReceive = (message: StoredMessage | undefined): message is StoredMessage =>
    message !== undefined && message.slot < 0 && message.isInWindow;

  /** To be called after anything that may have freed the group. */
  function refresh(group: Group): void {
    if (group.isListed) return;
    if (!group.first) groups.delete(group.name);
    else if (canReceive(group.first)) {
      group.isListed = true;
      ready.push(group);
      hasNews = true;
    }
  }

  function relist(group: Group): void {
    group.isListed = false;
    refresh(group);
  }

  function groupOf(message: StoredMessage): Group {
    return groups.get(message.group as string) as Group;
  }

  function refreshBy(message: StoredMessage): void {
    const group = groupOf(message);
    if (group.first === message) refresh(group);
  }

  function add(entry: NewMessage, now: number, visibleAt: number): StoredMessage {
    const message = store.add(entry, now, visibleAt);
    const groupName = entry.group as string;
    let group = groups.get(groupName);
    if (!group) {
      group = { name: groupName, first: undefined, last: undefined, isListed: false };
      groups.set(groupName, group);
    }
    message.groupBefore = group.last;
    if (group.last) group.last.groupAfter = message;
    else group.first = message;
    group.last = message;
    if (inWindow < limits.lookAhead) widenWindow(message);
    refresh(group);
    return message;
  }

  function widenWindow(message: StoredMessage): void {
    message.isInWindow = true;
    lastInWindow = message;
    inWindow++;
  }

  /** The group is to be refreshed after it. */
  function remove(message: StoredMessage, group: Group): void {
    const { groupBefore, groupAfter } = message;
    if (groupBefore) groupBefore.groupAfter = groupAfter;
    else group.first = groupAfter;
    if (groupAfter) groupAfter.groupBefore = groupBefore;
    else group.last = groupBefore;
    message.groupBefore = undefined;
    message.groupAfter = undefined;
    freed();
    const wasInWindow = message.isInWindow;
    if (message === lastInWindow) lastInWindow = message.before;
    store.remove(message);
    if (!wasInWindow) return;
    inWindow--;
    const next = lastInWindow ? lastInWindow.after : store.first;
    if (!next) return;
    widenWindow(next);
    refreshBy(next);
  }

  /** One less may be in flight: at the limit, that makes all others receivable. */
  function freed(): void {
    if (store.inFlight >= limits.inFlight) hasNews = true;
  }

  function settle(now: number): void {
    while ((store.nextChangeAt ?? Number.POSITIVE_INFINITY) <= now) {
      freed();
      refreshBy(store.nextVisible(now) as StoredMessage);
    }
    for (let oldest = store.first; oldest && oldest.sentAt + retentionMs <= now; oldest = store.first) {
      const group = groupOf(oldest);
      remove(oldest, group);
      refresh(group);
    }
  }

  function takeFrom(group: Group, max: number, until: number, now: number, received: Received[]): void {
    const room = random() < WHOLE ? max : between(random, 1, max);
    let taken = 0;
    let message = group.first;
    while (taken < room && canReceive(message)) {
      const next: StoredMessage | undefined = message.groupAfter;
      if (deadLetters && message.receiveCount >= deadLetters.maxReceives) {
        remove(message, group);
        deadLetters.take(message);
      } else {
        const handle = store.receive(message, until, now);
        received.push({ message, handle, receiveCount: message.receiveCount, visibleAt: until });
        taken++;
      }
      message = next;
    }
  }

  /** What a handle lets its holder do: the receive's visibility has not ended. */
  function heldBy(handle: string, now: number) {
    settle(now);
    const found = store.find(handle);
    if (!found) return { refusal: INVALID_HANDLE };
    const { message, receiveCount } = found;
    if (!message) return {};
    if (!message.isInFlight || message.receiveCount !== receiveCount) return { refusal: EXPIRED };
    return { message };
  }

  return {
    ...viewsOf(store, settle),

    send(entry, now) {
      settle(now);
      const key = `${entry.group}\n${entry.deduplicationId}`;
      const known = entry.deduplicationId === undefined ? undefined : sent.get(key, now);
      if (known) return { ...known, isNew: false };
      const { id, number } = add(entry, now, visibleAtOf(options, entry, now));
      if (entry.deduplicationId !== undefined) sent.set(key, { id, number }, now);
      return { id, number, isNew: true };
    },

    takeOver(entry, now) {
      settle(now);
      add(entry, now, now);
    },

    receive(max, visibilityMs, now) {
      settle(now);
      const room = roomOf(options, store.inFlight, max);
      const received: Received[] = [];
      const taken: Group[] = [];
      while (received.length < room) {
        const group = ready.take(CHOICE);
        if (!group) break;
        const before = received.length;
        takeFrom(group, room - before, now + visibilityMs, now, received);
        if (received.length > before) taken.push(group);
        else relist(group);
      }
      // Only now: no message comes twice in one receive, even if it was not hidden at all.
      for (const group of taken) relist(group);
      return received;
    },

    receiveAgain(holds, visibilityMs, now) {
      const visibleAt = now + visibilityMs;
      const received: Received[] = [];
      for (const hold of holds) {
        const { message } = heldBy(hold.handle, now);
        if (message?.visibleAt !== hold.visibleAt) return undefined;
        received.push({ message, handle: hold.handle, receiveCount: message.receiveCount, visibleAt });
      }
      for (const { message } of received) {
        store.hide(message, visibleAt, now);
        refreshBy(message);
      }
      return received;
    },

    delete(handle, now) {
      const { message, refusal } = heldBy(handle, now);
      if (!message) return refusal;
      const group = groupOf(message);
      remove(message, group);
      refresh(group);
      return undefined;
    },

    changeVisibility(handle, visibilityMs, now) {
      const { message, refusal } = heldBy(handle, now);
      if (!message) return refusal ?? GONE;
      if (now + visibilityMs > message.receivedAt + MAX_HIDDEN_MS) return HIDDEN_TOO_LONG;
      if (visibilityMs <= 0) freed();
      store.hide(message, now + visibilityMs, now);
      refreshBy(message);
      return undefined;
    },

    takeNews(now) {
      settle(now);
      const had = hasNews;
      hasNews = false;
      return had && ready.length > 0;
    },
  };
}

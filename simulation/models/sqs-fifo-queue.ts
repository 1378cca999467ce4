/**
 * A FIFO queue of SQS, as tests recorded on AWS show it: of a group, what can be received is what is visible
 * before its first message that is not. From this follow the lock (a received message holds back all behind
 * it, also those sent later) and what comes back where visibility was changed for single messages (for the
 * first: nothing before it is visible; for a later one: those before it).
 */
import { boundMethods } from '../../shared/crawler/ports/bound-methods.ts';
import { between } from './random.ts';
import type { Hold, NewMessage, Received, StoredMessage } from './sqs-message.ts';
import {
  EXPIRED,
  GONE,
  HIDDEN_TOO_LONG,
  INVALID_HANDLE,
  MAX_HIDDEN_MS,
  type ModelOptions,
  type QueueModel,
  type Refusal,
  roomOf,
  viewsOf,
  visibleAtOf,
} from './sqs-model.ts';
import { createReadyList } from './sqs-ready.ts';
import { createRecent } from './sqs-recent.ts';
import { createMessageStore, type MessageStore } from './sqs-store.ts';

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
  const store = createMessageStore(options.name);
  const queue = new FifoQueue(options, store);
  return { ...viewsOf(store, (now) => queue.settle(now)), ...boundMethods(queue) };
}

/** The messages that a receive takes of a group: up to `max`, hidden until then. */
interface Take {
  readonly max: number;
  readonly until: number;
  readonly now: number;
}

const canReceive = (message: StoredMessage | undefined): message is StoredMessage =>
  message !== undefined && message.slot < 0 && message.isInWindow;

class FifoQueue {
  readonly #options: ModelOptions;
  readonly #store: MessageStore;
  readonly #groups = new Map<string, Group>();
  readonly #ready: ReturnType<typeof createReadyList<Group>>;
  readonly #sent: ReturnType<typeof createRecent<Sent>>;
  #inWindow = 0;
  #lastInWindow: StoredMessage | undefined;
  #hasNews = false;

  constructor(options: ModelOptions, store: MessageStore) {
    this.#options = options;
    this.#store = store;
    this.#ready = createReadyList<Group>(options.random);
    this.#sent = createRecent<Sent>(options.limits.deduplicationMs);
  }

  send(entry: NewMessage, now: number): ReturnType<QueueModel['send']> {
    this.settle(now);
    const key = `${entry.group}\n${entry.deduplicationId}`;
    const known = entry.deduplicationId === undefined ? undefined : this.#sent.get(key, now);
    if (known) return { ...known, isNew: false };
    const { id, number } = this.#add(entry, now, visibleAtOf(this.#options, entry, now));
    if (entry.deduplicationId !== undefined) this.#sent.set(key, { id, number }, now);
    return { id, number, isNew: true };
  }

  takeOver(entry: NewMessage, now: number): void {
    this.settle(now);
    this.#add(entry, now, now);
  }

  receive(max: number, visibilityMs: number, now: number): Received[] {
    this.settle(now);
    const room = roomOf(this.#options, this.#store.inFlight, max);
    const received: Received[] = [];
    const taken: Group[] = [];
    while (received.length < room) {
      const group = this.#ready.take(CHOICE);
      if (!group) break;
      const before = received.length;
      this.#takeFrom(group, { max: room - before, until: now + visibilityMs, now }, received);
      if (received.length > before) taken.push(group);
      else this.#relist(group);
    }
    // Only now: no message comes twice in one receive, even if it was not hidden at all.
    for (const group of taken) this.#relist(group);
    return received;
  }

  receiveAgain(holds: readonly Hold[], visibilityMs: number, now: number): Received[] | undefined {
    const visibleAt = now + visibilityMs;
    const received: Received[] = [];
    for (const hold of holds) {
      const { message } = this.#heldBy(hold.handle, now);
      if (message?.visibleAt !== hold.visibleAt) return undefined;
      received.push({ message, handle: hold.handle, receiveCount: message.receiveCount, visibleAt });
    }
    for (const { message } of received) {
      this.#store.hide(message, visibleAt, now);
      this.#refreshBy(message);
    }
    return received;
  }

  delete(handle: string, now: number): Refusal | undefined {
    const { message, refusal } = this.#heldBy(handle, now);
    if (!message) return refusal;
    const group = this.#groupOf(message);
    this.#remove(message, group);
    this.#refresh(group);
    return undefined;
  }

  changeVisibility(handle: string, visibilityMs: number, now: number): Refusal | undefined {
    const { message, refusal } = this.#heldBy(handle, now);
    if (!message) return refusal ?? GONE;
    if (now + visibilityMs > message.receivedAt + MAX_HIDDEN_MS) return HIDDEN_TOO_LONG;
    if (visibilityMs <= 0) this.#freed();
    this.#store.hide(message, now + visibilityMs, now);
    this.#refreshBy(message);
    return undefined;
  }

  takeNews(now: number): boolean {
    this.settle(now);
    const had = this.#hasNews;
    this.#hasNews = false;
    return had && this.#ready.length > 0;
  }

  /** To be called after anything that may have freed the group. */
  #refresh(group: Group): void {
    if (group.isListed) return;
    if (!group.first) this.#groups.delete(group.name);
    else if (canReceive(group.first)) {
      group.isListed = true;
      this.#ready.push(group);
      this.#hasNews = true;
    }
  }

  #relist(group: Group): void {
    group.isListed = false;
    this.#refresh(group);
  }

  #groupOf(message: StoredMessage): Group {
    return this.#groups.get(message.group as string) as Group;
  }

  #refreshBy(message: StoredMessage): void {
    const group = this.#groupOf(message);
    if (group.first === message) this.#refresh(group);
  }

  #add(entry: NewMessage, now: number, visibleAt: number): StoredMessage {
    const message = this.#store.add(entry, now, visibleAt);
    const groupName = entry.group as string;
    let group = this.#groups.get(groupName);
    if (!group) {
      group = { name: groupName, first: undefined, last: undefined, isListed: false };
      this.#groups.set(groupName, group);
    }
    message.groupBefore = group.last;
    if (group.last) group.last.groupAfter = message;
    else group.first = message;
    group.last = message;
    if (this.#inWindow < this.#options.limits.lookAhead) this.#widenWindow(message);
    this.#refresh(group);
    return message;
  }

  #widenWindow(message: StoredMessage): void {
    message.isInWindow = true;
    this.#lastInWindow = message;
    this.#inWindow++;
  }

  /** The group must be refreshed after it. */
  #remove(message: StoredMessage, group: Group): void {
    const { groupBefore, groupAfter } = message;
    if (groupBefore) groupBefore.groupAfter = groupAfter;
    else group.first = groupAfter;
    if (groupAfter) groupAfter.groupBefore = groupBefore;
    else group.last = groupBefore;
    message.groupBefore = undefined;
    message.groupAfter = undefined;
    this.#freed();
    const wasInWindow = message.isInWindow;
    if (message === this.#lastInWindow) this.#lastInWindow = message.before;
    this.#store.remove(message);
    if (!wasInWindow) return;
    this.#inWindow--;
    const next = this.#lastInWindow ? this.#lastInWindow.after : this.#store.first;
    if (!next) return;
    this.#widenWindow(next);
    this.#refreshBy(next);
  }

  /** One less may be in flight: at the limit, that makes all others receivable. */
  #freed(): void {
    if (this.#store.inFlight >= this.#options.limits.inFlight) this.#hasNews = true;
  }

  settle(now: number): void {
    while ((this.#store.nextChangeAt ?? Number.POSITIVE_INFINITY) <= now) {
      this.#freed();
      this.#refreshBy(this.#store.nextVisible(now) as StoredMessage);
    }
    for (
      let oldest = this.#store.first;
      oldest && oldest.sentAt + this.#options.retentionMs <= now;
      oldest = this.#store.first
    ) {
      const group = this.#groupOf(oldest);
      this.#remove(oldest, group);
      this.#refresh(group);
    }
  }

  #takeFrom(group: Group, { max, until, now }: Take, received: Received[]): void {
    const { random, deadLetters } = this.#options;
    const room = random() < WHOLE ? max : between(random, 1, max);
    let taken = 0;
    let message = group.first;
    while (taken < room && canReceive(message)) {
      const next: StoredMessage | undefined = message.groupAfter;
      if (deadLetters && message.receiveCount >= deadLetters.maxReceives) {
        this.#remove(message, group);
        deadLetters.take(message);
      } else {
        const handle = this.#store.receive(message, until, now);
        received.push({ message, handle, receiveCount: message.receiveCount, visibleAt: until });
        taken++;
      }
      message = next;
    }
  }

  /**
   * Returns the message that the handle's holder may change, or the refusal: the receive's visibility must
   * not have ended.
   */
  #heldBy(handle: string, now: number) {
    this.settle(now);
    const found = this.#store.find(handle);
    if (!found) return { refusal: INVALID_HANDLE };
    const { message, receiveCount } = found;
    if (!message) return {};
    if (!message.isInFlight || message.receiveCount !== receiveCount) return { refusal: EXPIRED };
    return { message };
  }
}

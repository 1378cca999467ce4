import { SIZES } from '../../../core/base/sizes.ts';
import type { Message } from '../../../core/frontier/message.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import { StaleTurn } from '../../../crawler/ports/stale-turn.ts';
import type { Delivery, HostDeliveries, PackedHost, TurnQueue } from '../../../crawler/ports/turn-queue.ts';
import { groupRecords, type SqsRecord, type UnreadHandlers } from './delivery.ts';
import { deduplicationId, groupIdOf, messageTexts } from './message-text.ts';
import {
  gatheredDeletes,
  gatheredHides,
  gatheredSends,
  hideAll,
  type SendEntry,
  type SqsQueue,
  settleCorrupt,
} from './sqs-queue.ts';
import { receiveRecords } from './sqs-receive.ts';

export interface TurnQueueOptions extends SqsQueue, UnreadHandlers {
  /**
   * How long a received group is locked; SQS counts whole seconds. To be the queue's own visibility timeout,
   * too.
   */
  readonly visibilityMs: number;
  /**
   * The largest size of a message, and of a batch of messages. Links that do not fit in one message travel in
   * several.
   */
  readonly maxMessageBytes?: number;
  /** How long a message that is sent waits for others to share a request with. Default 0. */
  readonly sendGatherMs?: number;
  /** The same of acknowledging and parking, each of which keeps the host locked for so long. Default 0. */
  readonly settleGatherMs?: number;
}

/** The state of a received group. */
interface Held {
  /** By delivery: the receipt handles of what is not acknowledged, in the order received. */
  readonly handles: Map<string, string>;
  readonly receivedAt: number;
  /** When the lease ends: perhaps later than it was to when received. */
  until: number;
}

/**
 * A message may be hidden for 12 hours from its receive (SQS developer guide, visibility timeout); asking for
 * all of it fails.
 */
const MAX_HIDDEN_S = 11.5 * 3600;

/**
 * The turn queue on an SQS FIFO queue: a host's messages are one message group, which SQS locks while any of
 * them is received. Deduplication is by content. A group parked or acknowledged as a whole is forgotten here;
 * so is, by the queue itself, one whose visibility has ended: late words about it do nothing.
 */
export const createTurnQueue = (options: TurnQueueOptions): TurnQueue =>
  boundMethods<TurnQueue>(new FifoTurnQueue(options));

class FifoTurnQueue implements TurnQueue {
  readonly #options: TurnQueueOptions;
  readonly #maxMessageBytes: number;
  readonly #visibilityS: number;
  readonly #sendAll: ReturnType<typeof gatheredSends>;
  readonly #deleteAll: ReturnType<typeof gatheredDeletes>;
  readonly #hideEach: ReturnType<typeof gatheredHides>;
  readonly #leases = new WeakMap<HostDeliveries, Held>();

  constructor(options: TurnQueueOptions) {
    const { maxMessageBytes = SIZES.maxMessageBytes, sendGatherMs = 0, settleGatherMs = 0 } = options;
    this.#options = options;
    this.#maxMessageBytes = maxMessageBytes;
    this.#visibilityS = Math.ceil(options.visibilityMs / 1000);
    this.#sendAll = gatheredSends(options, { gatherMs: sendGatherMs, maxBytes: maxMessageBytes });
    this.#deleteAll = gatheredDeletes(options, settleGatherMs);
    this.#hideEach = gatheredHides(options, settleGatherMs);
  }

  async send(messages: Parameters<TurnQueue['send']>[0]): Promise<void> {
    await this.#sendAll(messages.flatMap(({ host, message }) => this.#entriesOf(host, message)));
  }

  /**
   * SQS drops a message sent again within 5 minutes, also when the first one is consumed. Of the kinds of
   * messages, that may happen to:
   * - links, as the first is acknowledged only when a head that knows them is committed: a repeat has nothing
   *   to say;
   * - tokens, each of which is unlike any other (`worker/part-id.ts`), so that only the same call's repeat is
   *   dropped;
   * - not to wake-ups and requests for robots.txt, all alike: a host may have to be woken again minutes after
   *   it went to rest.
   */
  #entriesOf(host: HostKey, message: Message): SendEntry[] {
    const salt = message.kind === 'wake' || message.kind === 'robots' ? String(this.#now()) : '';
    return messageTexts(host, message, this.#maxMessageBytes).map((text) => ({
      MessageBody: text,
      MessageGroupId: groupIdOf(host),
      MessageDeduplicationId: deduplicationId(text, salt),
    }));
  }

  async receive(maxHosts: number, waitMs: number, signal?: AbortSignal): Promise<HostDeliveries[]> {
    const options = this.#options;
    const all: HostDeliveries[] = [];
    let unread = 0;
    await receiveRecords(
      { ...options, visibilityS: this.#visibilityS, isFifo: true },
      { waitMs, signal },
      // Each message may be another host's.
      () => maxHosts - all.length - unread,
      async (records, receivedAt) => {
        const { groups, corrupt } = groupRecords(records, receivedAt + this.#visibilityS * 1000);
        for (const { received, records } of groups) {
          this.#take(received, records, { receivedAt });
          all.push(received);
        }
        unread += corrupt.length;
        await settleCorrupt(options, corrupt, options);
      },
    );
    return all;
  }

  async acknowledge(received: HostDeliveries, deliveries: readonly Delivery[]): Promise<void> {
    const held = this.#heldOf(received);
    if (!held) return;
    const ids = deliveries.map(({ id }) => id).filter((id) => held.handles.has(id));
    await this.#deleteAll(
      ids.map((id) => ({ handle: held.handles.get(id) as string, group: received.host })),
    );
    for (const id of ids) {
      held.handles.delete(id);
    }
  }

  async hold(received: HostDeliveries, until: number): Promise<void> {
    const held = this.#heldOf(received);
    if (!held) throw new StaleTurn(`the lease of ${received.host} has run out`);
    if (until <= held.until) return;
    const askedAt = this.#now();
    const seconds = this.#secondsFor(held, until - askedAt);
    const expired = await hideAll(this.#options, [...held.handles.values()], seconds);
    if (expired.size > 0) throw new StaleTurn(`the lease of ${received.host} has run out`);
    held.until = Math.max(held.until, askedAt + seconds * 1000);
  }

  async park(received: HostDeliveries, ms: number): Promise<void> {
    const held = this.#heldOf(received);
    if (!held) return;
    const seconds = this.#secondsFor(held, ms);
    // All of them: what is hidden longest holds back only the messages behind it. The last one first, so
    // that a shortened group comes back whole, and not its first message alone.
    const handles = [...held.handles.values()].reverse();
    await this.#hideEach(handles.map((handle) => ({ handle, group: received.host, seconds })));
    this.#leases.delete(received);
  }

  pack(received: HostDeliveries): PackedHost | undefined {
    const held = this.#heldOf(received);
    return held && { ...received, handles: [...held.handles] };
  }

  async unpack({ host, deliveries, handles }: PackedHost): Promise<HostDeliveries | undefined> {
    const receivedAt = this.#now();
    // The other process has another clock: the lease begins once more, by this one.
    const expired = await hideAll(
      this.#options,
      handles.map(([, handle]) => handle),
      this.#visibilityS,
    );
    if (expired.size > 0) return undefined;
    const until = receivedAt + this.#visibilityS * 1000;
    const received = { host, deliveries, leaseUntil: until };
    this.#leases.set(received, { handles: new Map(handles), receivedAt, until });
    return received;
  }

  #take(received: HostDeliveries, records: readonly SqsRecord[], held: Pick<Held, 'receivedAt'>): void {
    const handles = new Map(records.map(({ messageId, receiptHandle }) => [messageId, receiptHandle]));
    this.#leases.set(received, { ...held, handles, until: received.leaseUntil });
  }

  /** A lease that ran out holds nothing. SQS would refuse its handles; an emulator was seen to take them. */
  #heldOf(received: HostDeliveries): Held | undefined {
    const held = this.#leases.get(received);
    if (held && this.#now() < held.until) return held;
    this.#leases.delete(received);
    return undefined;
  }

  /** The visibility timeout that hides a message for `ms` from now. */
  #secondsFor({ receivedAt }: Held, ms: number): number {
    const heldS = Math.ceil((this.#now() - receivedAt) / 1000);
    return Math.max(0, Math.min(Math.ceil(ms / 1000), MAX_HIDDEN_S - heldS));
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

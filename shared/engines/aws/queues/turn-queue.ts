import { SIZES } from '../../../core/base/sizes.ts';
import type { Message } from '../../../core/frontier/message.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import { StaleTurn } from '../../../crawler/ports/stale-turn.ts';
import type { Delivery, HostDeliveries, PackedHost, TurnQueue } from '../../../crawler/ports/turn-queue.ts';
import { groupRecords, type UnreadHandlers } from './delivery.ts';
import { deduplicationId, groupIdOf, idOfRepeat, messageTexts } from './message-text.ts';
import { type Held, Renewals } from './renewals.ts';
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
  /** How long a received group is locked while this process lives: its lease. SQS counts whole seconds. */
  readonly visibilityMs: number;
  /** Its visibility, which is renewed until then: so long it is locked after the process has died. Default: the lease. */
  readonly renewedMs?: number | undefined;
  /**
   * The largest size of a message, and of a batch of messages. Links that do not fit in one message travel in
   * several.
   */
  readonly maxMessageBytes?: number;
  /** Whether what is sent may be what the queue has had in the last minutes: none of it is a duplicate. Default: no. */
  readonly repeats?: boolean;
  /** How long a message that is sent waits for others to share a request with. Default 0. */
  readonly sendGatherMs?: number;
  /** As above, for acknowledging and parking, each of which keeps the host locked for this long. Default 0. */
  readonly settleGatherMs?: number;
}

/**
 * A message may be hidden for 12 hours from its receive (SQS developer guide, visibility timeout); requesting all of it
 * fails.
 */
const MAX_HIDDEN_S = 11.5 * 3600;
/** A message that is to be removed after a rest is hidden for this longer: the removal must not come too late. */
const RELEASE_S = 2;

/**
 * The turn queue on an SQS FIFO queue: a host's messages are one message group, which SQS locks while any of
 * them is received. Deduplication is by content. A group parked or acknowledged as a whole is forgotten here;
 * so is, by the queue itself, one whose visibility has ended: late words about it do nothing.
 */
export const createTurnQueue = (options: TurnQueueOptions): SqsTurnQueue =>
  boundMethods<SqsTurnQueue>(new FifoTurnQueue(options));

export interface SqsTurnQueue extends TurnQueue {
  /**
   * Keeps the group locked for `ms`, then removes what was not acknowledged. If the process ends before, that is handed out
   * again {@link RELEASE_S} later.
   */
  release(received: HostDeliveries, ms: number): Promise<void>;
}

class FifoTurnQueue implements SqsTurnQueue {
  readonly #options: TurnQueueOptions;
  readonly #maxMessageBytes: number;
  readonly #leaseMs: number;
  /** The visibility of what is received. */
  readonly #visibilityS: number;
  readonly #renewals: Renewals;
  readonly #sendAll: ReturnType<typeof gatheredSends>;
  readonly #deleteAll: ReturnType<typeof gatheredDeletes>;
  readonly #hideEach: ReturnType<typeof gatheredHides>;
  readonly #leases = new WeakMap<HostDeliveries, Held>();

  constructor(options: TurnQueueOptions) {
    const { maxMessageBytes = SIZES.maxMessageBytes, sendGatherMs = 0, settleGatherMs = 0 } = options;
    this.#options = options;
    this.#maxMessageBytes = maxMessageBytes;
    const { visibilityMs, renewedMs = visibilityMs, clock } = options;
    this.#leaseMs = Math.ceil(visibilityMs / 1000) * 1000;
    this.#visibilityS = Math.ceil(Math.min(visibilityMs, renewedMs) / 1000);
    this.#renewals = new Renewals({
      clock,
      renewedMs: this.#visibilityS * 1000,
      hide: (groups) => this.#hideGroups(groups),
    });
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
   * - tokens, each of which is unlike any other (`turn/part-id.ts`), so that only the same call's repeat is
   *   dropped;
   * - not to wake-ups and requests for robots.txt, all alike: a host may have to be woken again minutes after
   *   it went to rest.
   */
  #entriesOf(host: HostKey, message: Message): SendEntry[] {
    return messageTexts(host, message, this.#maxMessageBytes).map((text) => ({
      MessageBody: text,
      MessageGroupId: groupIdOf(host),
      MessageDeduplicationId: this.#idOf(text, message),
    }));
  }

  #idOf(text: string, { kind }: Message): string {
    if (this.#options.repeats) return idOfRepeat(text, this.#options.clock.uuid());
    return deduplicationId(text, kind === 'wake' || kind === 'robots' ? String(this.#now()) : '');
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
        const { groups, corrupt } = groupRecords(records, receivedAt + this.#leaseMs);
        for (const { received, records } of groups) {
          const handles = records.map(({ messageId, receiptHandle }) => [messageId, receiptHandle] as const);
          this.#take(received, handles, receivedAt);
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
    // A deleted message cannot be hidden: the group would seem to be another worker's.
    await this.#renewals.remove(held);
    const ids = deliveries.map(({ id }) => id).filter((id) => held.handles.has(id));
    await this.#deleteAll(
      ids.map((id) => ({ handle: held.handles.get(id) as string, group: received.host })),
    );
    for (const id of ids) {
      held.handles.delete(id);
    }
    if (held.handles.size > 0) this.#renewals.add(held);
  }

  async hold(received: HostDeliveries, until: number, restMs = until - this.#now()): Promise<void> {
    const held = this.#heldOf(received);
    if (!held) throw new StaleTurn(`the lease of ${received.host} has run out`);
    const next = { ...held, until: Math.max(held.until, until), aheadMs: Math.max(held.aheadMs, restMs) };
    if (held.hiddenUntil < this.#now() + restMs) {
      await this.#renewals.remove(held);
      const askedAt = this.#now();
      const seconds = this.#secondsFor(held, this.#renewals.msOf(next));
      const expired = await hideAll(this.#options, [...held.handles.values()], seconds);
      if (expired.size > 0) {
        this.#forget(received);
        throw new StaleTurn(`the lease of ${received.host} has run out`);
      }
      held.hiddenUntil = Math.max(held.hiddenUntil, askedAt + seconds * 1000);
    }
    held.until = Math.max(next.until, held.hiddenUntil);
    held.aheadMs = next.aheadMs;
    this.#renewals.add(held);
  }

  isHeld(received: HostDeliveries, ms: number): boolean {
    const held = this.#heldOf(received);
    return held !== undefined && held.hiddenUntil >= this.#now() + ms;
  }

  async park(received: HostDeliveries, ms: number): Promise<void> {
    const held = this.#heldOf(received);
    if (!held) return;
    // A renewal that came after this would hide the group for longer.
    await this.#renewals.remove(held);
    const seconds = this.#secondsFor(held, ms);
    // All of them: the message that is hidden longest holds back only the messages behind it. The last one first, so
    // that a shortened group comes back whole, and not its first message alone.
    const handles = [...held.handles.values()].reverse();
    await this.#hideEach(handles.map((handle) => ({ handle, group: received.host, seconds })));
    this.#leases.delete(received);
  }

  async release(received: HostDeliveries, ms: number): Promise<void> {
    const held = this.#heldOf(received);
    await this.park(received, ms + RELEASE_S * 1000);
    if (held) void this.#removeLater(received.host, [...held.handles.values()], ms);
  }

  /** Never rejects: what is not removed comes back. */
  async #removeLater(group: HostKey, handles: readonly string[], ms: number): Promise<void> {
    await this.#options.clock.sleep(ms);
    await this.#deleteAll(handles.map((handle) => ({ handle, group }))).catch(() => {});
  }

  pack(received: HostDeliveries): PackedHost | undefined {
    const held = this.#heldOf(received);
    if (held) void this.#renewals.remove(held);
    return held && { ...received, handles: [...held.handles] };
  }

  async unpack({ host, deliveries, handles }: PackedHost): Promise<HostDeliveries | undefined> {
    const receivedAt = this.#now();
    // The clocks of two processes differ: the lease begins once more, by this process's clock.
    const expired = await hideAll(
      this.#options,
      handles.map(([, handle]) => handle),
      this.#visibilityS,
    );
    if (expired.size > 0) return undefined;
    const received = { host, deliveries, leaseUntil: receivedAt + this.#leaseMs };
    this.#take(received, handles, receivedAt);
    return received;
  }

  #take(received: HostDeliveries, handles: PackedHost['handles'], receivedAt: number): void {
    const held: Held = {
      handles: new Map(handles),
      receivedAt,
      until: received.leaseUntil,
      hiddenUntil: receivedAt + this.#visibilityS * 1000,
      aheadMs: 0,
      renewing: Promise.resolve(),
    };
    this.#leases.set(received, held);
    this.#renewals.add(held);
  }

  /** Hides the groups that share a time together: batches of them cost less. */
  async #hideGroups(groups: ReadonlyMap<Held, number>): Promise<ReadonlySet<Held>> {
    const gone = new Set<Held>();
    const bySeconds = Map.groupBy(groups, ([held, ms]) => this.#secondsFor(held, ms));
    for (const [seconds, some] of bySeconds) {
      const owners = new Map(
        some.flatMap(([held]) => [...held.handles.values()].map((handle) => [handle, held])),
      );
      for (const handle of await hideAll(this.#options, [...owners.keys()], seconds))
        gone.add(owners.get(handle) as Held);
    }
    return gone;
  }

  /** A lease that ran out holds nothing. SQS would refuse its handles; an emulator was seen to take them. */
  #heldOf(received: HostDeliveries): Held | undefined {
    const held = this.#leases.get(received);
    if (held && this.#now() < Math.min(held.until, held.hiddenUntil)) return held;
    this.#forget(received);
    return undefined;
  }

  #forget(received: HostDeliveries): void {
    const held = this.#leases.get(received);
    if (held) void this.#renewals.remove(held);
    this.#leases.delete(received);
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

import type { Message } from '../../../frontier/message.ts';
import { StaleTurn } from '../../../ports/stale-turn.ts';
import type { HostDeliveries, TurnQueue } from '../../../ports/turn-queue.ts';
import { SIZES } from '../../../sizes.ts';
import type { HostKey } from '../../../url/host-key.ts';
import { failuresOf, groupRecords, type OnCorrupt, type SqsRecord } from './delivery.ts';
import type { ClaimReceipt } from './event-claims.ts';
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

export interface TurnQueueOptions extends SqsQueue {
  /**
   * How long a received group is locked; SQS counts whole seconds. To be the queue's own visibility timeout,
   * too.
   */
  readonly visibilityMs: number;
  /**
   * What a message, and a batch of them, may weigh. Links that do not fit in one message travel in several.
   */
  readonly maxMessageBytes?: number;
  /** How long a message that is sent waits for others to share a request with. Default 0. */
  readonly sendGatherMs?: number;
  /** The same of acknowledging and parking, each of which keeps the host locked for so long. Default 0. */
  readonly settleGatherMs?: number;
  /** Asked for each group of an event before anything is done for it. Default: all groups may be served. */
  readonly claim?: ClaimReceipt;
  readonly onCorrupt?: OnCorrupt;
}

/** The records of one event of a Lambda function, taken over by the queue. */
export interface EventBatch {
  /** As a receive gives them: served, acknowledged and parked in the same way. */
  readonly received: readonly HostDeliveries[];
  /** The ids to report as `batchItemFailures`, as things stand: see {@link failuresOf}. */
  failures(): string[];
}

export interface SqsTurnQueue extends TurnQueue {
  /**
   * Takes over the records of an event. Their lease begins now, since the poller may have held them for long
   * (it repeats a throttled invocation until the visibility ends). Left out, with their hosts, and reported
   * as failures are records that are ours no longer, and those that another invocation with the same event
   * has claimed.
   */
  receivedFromEvent(records: readonly SqsRecord[]): Promise<EventBatch>;
}

/** What is held of a received group. */
interface Held {
  /** By delivery: the receipt handles of what is not acknowledged, in the order received. */
  readonly handles: Map<string, string>;
  readonly receivedAt: number;
  /** When the lease ends: perhaps later than it was to when received. */
  until: number;
  /** Ids of an event's records that need not come again. */
  readonly done?: Set<string>;
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
export function createTurnQueue(options: TurnQueueOptions): SqsTurnQueue {
  const { clock, onCorrupt, maxMessageBytes = SIZES.maxMessageBytes, claim = async () => true } = options;
  const { sendGatherMs = 0, settleGatherMs = 0 } = options;
  const visibilityS = Math.ceil(options.visibilityMs / 1000);
  const sendAll = gatheredSends(options, { gatherMs: sendGatherMs, maxBytes: maxMessageBytes });
  const deleteAll = gatheredDeletes(options, settleGatherMs);
  const hideEach = gatheredHides(options, settleGatherMs);
  const leases = new WeakMap<HostDeliveries, Held>();

  function take(
    received: HostDeliveries,
    records: readonly SqsRecord[],
    held: Pick<Held, 'receivedAt' | 'done'>,
  ): void {
    const handles = new Map(records.map(({ messageId, receiptHandle }) => [messageId, receiptHandle]));
    leases.set(received, { ...held, handles, until: received.leaseUntil });
  }

  /**
   * The event's records whose groups no other invocation has claimed. A group is claimed by its first record.
   */
  async function claimGroups(records: readonly SqsRecord[]): Promise<SqsRecord[]> {
    const groups = Map.groupBy(records, ({ attributes }) => attributes.MessageGroupId);
    const claims = Array.from(groups.values(), async (group) => {
      const [first] = group as [SqsRecord];
      return (await claim(first.receiptHandle)) ? group : [];
    });
    return (await Promise.all(claims)).flat();
  }

  /** A lease that ran out holds nothing. SQS would refuse its handles; an emulator was seen to take them. */
  function heldOf(received: HostDeliveries): Held | undefined {
    const held = leases.get(received);
    if (held && clock.now() < held.until) return held;
    leases.delete(received);
    return undefined;
  }

  /** The visibility timeout that hides a message for `ms` from now. */
  function secondsFor({ receivedAt }: Held, ms: number): number {
    const heldS = Math.ceil((clock.now() - receivedAt) / 1000);
    return Math.max(0, Math.min(Math.ceil(ms / 1000), MAX_HIDDEN_S - heldS));
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
  function entriesOf(host: HostKey, message: Message): SendEntry[] {
    const salt = message.kind === 'wake' || message.kind === 'robots' ? String(clock.now()) : '';
    return messageTexts(host, message, maxMessageBytes).map((text) => ({
      MessageBody: text,
      MessageGroupId: groupIdOf(host),
      MessageDeduplicationId: deduplicationId(text, salt),
    }));
  }

  return {
    async send(messages) {
      await sendAll(messages.flatMap(({ host, message }) => entriesOf(host, message)));
    },

    async receive(maxHosts, waitMs, signal) {
      const all: HostDeliveries[] = [];
      let unread = 0;
      await receiveRecords(
        { ...options, visibilityS, isFifo: true },
        waitMs,
        signal,
        // Each message may be another host's.
        () => maxHosts - all.length - unread,
        async (records, receivedAt) => {
          const { groups, corrupt } = groupRecords(records, receivedAt + visibilityS * 1000);
          for (const { received, records } of groups) {
            take(received, records, { receivedAt });
            all.push(received);
          }
          unread += corrupt.length;
          await settleCorrupt(options, corrupt, onCorrupt);
        },
      );
      return all;
    },

    async acknowledge(received, deliveries) {
      const held = heldOf(received);
      if (!held) return;
      const ids = deliveries.map(({ id }) => id).filter((id) => held.handles.has(id));
      await deleteAll(ids.map((id) => ({ handle: held.handles.get(id) as string, group: received.host })));
      for (const id of ids) {
        held.handles.delete(id);
        held.done?.add(id);
      }
    },

    async hold(received, until) {
      const held = heldOf(received);
      if (!held) throw new StaleTurn(`the lease of ${received.host} has run out`);
      if (until <= held.until) return;
      const askedAt = clock.now();
      const seconds = secondsFor(held, until - askedAt);
      const expired = await hideAll(options, [...held.handles.values()], seconds);
      if (expired.size > 0) throw new StaleTurn(`the lease of ${received.host} has run out`);
      held.until = Math.max(held.until, askedAt + seconds * 1000);
    },

    async park(received, ms) {
      const held = heldOf(received);
      if (!held) return;
      const seconds = secondsFor(held, ms);
      // All of them: what is hidden longest holds back only the messages behind it. The last one first, so
      // that a shortened group comes back whole, and not its first message alone.
      const handles = [...held.handles.values()].reverse();
      await hideEach(handles.map((handle) => ({ handle, group: received.host, seconds })));
      leases.delete(received);
    },

    async receivedFromEvent(records) {
      const claimed = await claimGroups(records);
      const receivedAt = clock.now();
      const expired = await hideAll(options, handlesOf(claimed), visibilityS);
      const isOurs = ({ receiptHandle }: SqsRecord) => !expired.has(receiptHandle);
      const { groups, corrupt } = groupRecords(claimed, receivedAt + visibilityS * 1000);
      const ours = groups.filter(({ records }) => records.every(isOurs));
      // What is left of a group that somebody else has by now is not to be locked by us.
      const stray = groups.filter(({ records }) => !records.every(isOurs)).flatMap(({ records }) => records);
      await hideAll(options, handlesOf(stray.filter(isOurs)), 0);
      const done = new Set<string>();
      for (const { received, records } of ours) take(received, records, { receivedAt, done });
      for (const id of await settleCorrupt(options, corrupt, onCorrupt)) done.add(id);
      return { received: ours.map(({ received }) => received), failures: () => failuresOf(records, done) };
    },
  };
}

const handlesOf = (records: readonly SqsRecord[]): string[] =>
  records.map(({ receiptHandle }) => receiptHandle);

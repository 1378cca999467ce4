import type { Message } from '../../core/frontier/message.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/**
 * A message as received. `receiveCount` is 1 the first time; a message that comes back has a higher one.
 */
export interface Delivery {
  readonly id: string;
  readonly message: Message;
  readonly receiveCount: number;
  /** How long it waited until it was received the first time, as far as the queue knows. */
  readonly waitedMs?: number;
  /** It was in another queue before. */
  readonly isSentAgain?: boolean;
}

/**
 * The deliveries of one receive for one host's group, in the order sent. The group is locked until
 * `leaseUntil`.
 */
export interface HostDeliveries {
  readonly host: HostKey;
  readonly deliveries: readonly Delivery[];
  /** When the queue may hand the group to another worker, if nothing was acknowledged or parked by then. */
  readonly leaseUntil: number;
}

/** A received group on its way to another process: JSON. */
export interface PackedHost extends HostDeliveries {
  /** By delivery: the handle that acknowledges it. */
  readonly handles: readonly (readonly [id: string, handle: string])[];
}

/**
 * Messages to hosts, one group a host: while a message of a group is received and neither acknowledged nor visible
 * again, no other message of that group is handed out. By that lock the crawler is polite by construction.
 */
export interface TurnQueue {
  /**
   * Makes each message durable before it resolves. A message repeated within minutes may be dropped as a
   * duplicate.
   */
  send(messages: readonly { readonly host: HostKey; readonly message: Message }[]): Promise<void>;
  /**
   * Returns the hosts that have no messages. The others will have a turn: their workers are notified again. Only where
   * that costs little.
   */
  withoutMessages?(hosts: readonly HostKey[]): HostKey[];
  /**
   * Hands out up to `maxHosts` groups; waits up to `waitMs` for the first one, then resolves with what there
   * is (perhaps nothing). An aborted `signal` ends the wait.
   */
  receive(maxHosts: number, waitMs: number, signal?: AbortSignal): Promise<HostDeliveries[]>;
  /** Removes the deliveries. After the end of the lease it may have no effect, and they come back. */
  acknowledge(received: HostDeliveries, deliveries: readonly Delivery[]): Promise<void>;
  /**
   * Keeps the whole group locked until then, if that is later than `leaseUntil`. Call it before a request that could
   * outlast the lease. If this process dies before, it stays locked for `restMs` at least; default: until then, too.
   * Throws `StaleTurn` if the group is no longer held.
   */
  hold(received: HostDeliveries, until: number, restMs?: number): Promise<void>;
  /**
   * Whether the group stays locked for so long if this process dies now. Only where it would be handed out again before the end
   * of its lease then: a lock of a short time, which the queue renews.
   */
  isHeld?(received: HostDeliveries, ms: number): boolean;
  /**
   * Hides the whole group for `ms`, then hands it out again, with the deliveries that were not acknowledged. If these
   * were served (`isServed`) and only keep the group locked, the queue may remove them then.
   */
  park(received: HostDeliveries, ms: number, isServed?: boolean): Promise<void>;
  /**
   * Returns the group as another process can take it over, which no one of this process may use any more then. Undefined: its
   * lease is over. Only where other processes work.
   */
  pack?(received: HostDeliveries): PackedHost | undefined;
  /**
   * Takes a group over, for a whole lease. Undefined: its lease was over. A second process may have taken it over, too.
   */
  unpack?(packed: PackedHost): Promise<HostDeliveries | undefined>;
}

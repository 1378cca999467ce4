import type { DatabaseSync } from 'node:sqlite';
import { decodeMessage } from '../../core/frontier/message-codec.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { boundMethods } from '../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import { StaleTurn } from '../../crawler/ports/stale-turn.ts';
import type { Delivery, HostDeliveries, TurnQueue } from '../../crawler/ports/turn-queue.ts';
import { createSignal } from '../signal.ts';
import { type MessageRow, MessageTable } from './message-table.ts';

/** A host that was parked for longer was parked by a clock that was set back since. */
const MAX_PARKED_MS = 2 * 3_600_000;
/** The longest that a timer of Node holds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Lease {
  readonly timer: NodeJS.Timeout;
  /** The deliveries that were handed out; none: the group is parked, or kept back. */
  readonly received?: HostDeliveries;
  /** Deliveries that were not acknowledged. */
  readonly held: Set<string>;
}

export interface TurnQueueOptions {
  /** How long a received group is locked. Default: 15 minutes. */
  readonly leaseMs?: number;
  /** The hosts that this queue hands out; messages to others are for other threads. Default: all. */
  readonly serves?: (host: HostKey) => boolean;
  /** Called with hosts that other workers serve and that were sent something. */
  readonly onOthers?: (hosts: readonly HostKey[]) => void;
  /**
   * For how long a host is kept back that was with a worker when its thread or process died: it is unknown
   * when it was asked last. Default: not at all.
   */
  readonly keepBackMs?: (host: HostKey) => number;
  /** Called, while the queue is created, with how many hosts are kept back, if any, and the longest time, in ms. */
  readonly onKeptBack?: (hosts: number, ms: number) => void;
}

export interface LocalTurnQueue extends TurnQueue {
  withoutMessages(hosts: readonly HostKey[]): HostKey[];
  /** Whether no message is kept at all, for any worker. */
  isEmpty(): boolean;
  /**
   * Whether a message is kept that brings requisites and was never received, or one is in flight, as its turn
   * may find some. What was received, and is neither in flight nor gone, is parked while its host rests.
   */
  mayBringRequisites(): boolean;
  /** Other threads have sent messages to these hosts. Safe to repeat, and to call if none were sent. */
  notice(hosts: readonly HostKey[]): void;
  close(): void;
}

/**
 * The turn queue of one thread: messages in SQLite, so that they survive it, and their groups' locks in
 * memory, so that a dead process holds none. Several may stand on one database, each with a connection of its
 * own, if no host is served by two of them.
 */
export const createTurnQueue = (
  database: DatabaseSync,
  clock: Clock,
  options: TurnQueueOptions = {},
): LocalTurnQueue => boundMethods<LocalTurnQueue>(new SqliteTurnQueue(database, clock, options));

class SqliteTurnQueue implements LocalTurnQueue {
  readonly #messages: MessageTable;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #serves: (host: HostKey) => boolean;
  readonly #onOthers: ((hosts: readonly HostKey[]) => void) | undefined;
  readonly #leases = new Map<HostKey, Lease>();
  /** Hosts that perhaps have messages, and have no lease; the longest waiting first. */
  readonly #ready = new Set<HostKey>();
  readonly #arrived = createSignal();

  constructor(database: DatabaseSync, clock: Clock, options: TurnQueueOptions) {
    this.#messages = new MessageTable(database);
    this.#clock = clock;
    this.#leaseMs = options.leaseMs ?? 1_800_000;
    this.#serves = options.serves ?? (() => true);
    this.#onOthers = options.onOthers;
    this.#takeOver(options);
  }

  /** Hosts that an earlier process or thread left messages for: ready, kept back, or parked still. */
  #takeOver({ keepBackMs = () => 0, onKeptBack }: TurnQueueOptions): void {
    const keptBackMs: number[] = [];
    for (const { host, wasReceived, parkedUntil } of this.#messages.groups()) {
      if (!this.#serves(host)) continue;
      const parkedMs = Math.min(parkedUntil - this.#clock.now(), MAX_PARKED_MS);
      const ms = wasReceived ? keepBackMs(host) : parkedMs;
      if (ms > 0) this.#lock(host, ms);
      else this.#ready.add(host);
      if (ms > 0 && wasReceived) keptBackMs.push(ms);
    }
    if (keptBackMs.length > 0)
      onKeptBack?.(
        keptBackMs.length,
        keptBackMs.reduce((a, b) => Math.max(a, b)),
      );
  }

  async send(messages: Parameters<TurnQueue['send']>[0]): Promise<void> {
    if (messages.length === 0) return;
    this.#messages.add(messages);
    this.#notify([...new Set(messages.map(({ host }) => host))]);
  }

  #notify(hosts: readonly HostKey[]): void {
    this.notice(hosts.filter(this.#serves));
    const others = hosts.filter((host) => !this.#serves(host));
    if (others.length > 0) this.#onOthers?.(others);
  }

  notice(hosts: readonly HostKey[]): void {
    for (const host of hosts) if (!this.#leases.has(host)) this.#ready.add(host);
    this.#arrived.notify();
  }

  async receive(maxHosts: number, waitMs: number, signal?: AbortSignal): Promise<HostDeliveries[]> {
    if (this.#ready.size === 0) await this.#arrived.wait(waitMs, signal);
    const hosts = [...this.#ready].slice(0, maxHosts);
    if (hosts.length === 0) return [];
    for (const host of hosts) this.#ready.delete(host);
    return this.#messages.take(hosts).map(({ host, rows }) => this.#handOut(host, rows));
  }

  async acknowledge(received: HostDeliveries, deliveries: readonly Delivery[]): Promise<void> {
    const lease = this.#leaseOf(received);
    if (!lease) return;
    const ids = deliveries.map(({ id }) => id).filter((id) => lease.held.delete(id));
    this.#messages.delete(ids.map(Number));
    if (lease.held.size === 0) this.#unlock(received.host);
  }

  async hold(received: HostDeliveries, until: number): Promise<void> {
    const lease = this.#leaseOf(received);
    if (!lease) throw new StaleTurn(`${received.host} is no longer held`);
    clearTimeout(lease.timer);
    const ms = Math.max(received.leaseUntil, until) - this.#clock.now();
    this.#leases.set(received.host, { ...lease, timer: this.#unlockAfter(received.host, ms) });
  }

  async park(received: HostDeliveries, ms: number): Promise<void> {
    if (!this.#leaseOf(received)) return;
    // Kept, as the host's head need not know of the rest: the turn was perhaps discarded.
    this.#messages.park(received.host, ms > 0 ? Math.ceil(this.#clock.now() + ms) : 0);
    if (ms <= 0) this.#unlock(received.host);
    else this.#lock(received.host, ms);
  }

  withoutMessages(hosts: readonly HostKey[]): HostKey[] {
    const waiting = new Set(hosts.filter((host) => this.#messages.has(host)));
    // A thread may have died with the news of them.
    this.#notify([...waiting]);
    return hosts.filter((host) => !waiting.has(host));
  }

  isEmpty(): boolean {
    return this.#messages.isEmpty();
  }

  mayBringRequisites(): boolean {
    return this.#messages.mayBringRequisites();
  }

  close(): void {
    for (const { timer } of this.#leases.values()) clearTimeout(timer);
  }

  #handOut(host: HostKey, rows: readonly MessageRow[]): HostDeliveries {
    const deliveries = rows.map(({ id, body, receiveCount }) => ({
      id: String(id),
      message: decodeMessage(body),
      receiveCount: receiveCount + 1,
    }));
    const received = { host, deliveries, leaseUntil: this.#clock.now() + this.#leaseMs };
    this.#lock(host, this.#leaseMs, received);
    return received;
  }

  /** The lease, if `received` is what it holds: one that ran out holds nothing. */
  #leaseOf(received: HostDeliveries): Lease | undefined {
    const lease = this.#leases.get(received.host);
    return lease?.received === received ? lease : undefined;
  }

  #lock(host: HostKey, ms: number, received?: HostDeliveries): void {
    clearTimeout(this.#leases.get(host)?.timer);
    const held = new Set(received?.deliveries.map(({ id }) => id));
    this.#leases.set(host, { timer: this.#unlockAfter(host, ms), received, held });
  }

  #unlockAfter(host: HostKey, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#unlock(host), Math.min(ms, MAX_TIMER_MS));
  }

  #unlock(host: HostKey): void {
    clearTimeout(this.#leases.get(host)?.timer);
    this.#leases.delete(host);
    if (!this.#mayHaveMessages(host)) return;
    this.#ready.add(host);
    this.#arrived.notify();
  }

  /** A timer calls this, and nobody catches what it throws. If the database fails, the next receive fails. */
  #mayHaveMessages(host: HostKey): boolean {
    try {
      return this.#messages.has(host);
    } catch {
      return true;
    }
  }
}

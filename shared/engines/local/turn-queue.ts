import type { DatabaseSync } from 'node:sqlite';
import { decodeMessage, encodeMessage } from '../../frontier/message-codec.ts';
import type { Clock } from '../../ports/clock.ts';
import { StaleTurn } from '../../ports/stale-turn.ts';
import type { HostDeliveries, TurnQueue } from '../../ports/turn-queue.ts';
import type { HostKey } from '../../url/host-key.ts';
import { createSignal } from '../signal.ts';
import { inTransaction, PLAIN } from './database.ts';
import { countSeeds } from './waiting-seeds.ts';

/** Messages of one host handed out at once. SQS FIFO gives up to 10; here a receive costs nothing. */
const MAX_DELIVERIES = 64;

/** A message as it is kept. */
interface Row {
  readonly id: number;
  readonly body: Uint8Array;
  readonly receiveCount: number;
}

interface Lease {
  readonly timer: NodeJS.Timeout;
  /** What was handed out; none: the group is parked, or kept back. */
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
   * For how long a host is kept back that was with a worker when its thread or process died: nobody knows
   * when it was asked last. Default: not at all.
   */
  readonly keepBackMs?: (host: HostKey) => number;
}

export interface LocalTurnQueue extends TurnQueue {
  /** Whether no message is kept at all, for any worker. */
  isEmpty(): boolean;
  /**
   * Whether a message is kept that brings requisites and was never received, or one is in flight, as its turn
   * may find some. What was received, and is neither in flight nor gone, is parked while its host rests.
   */
  mayBringRequisites(): boolean;
  /** Others have sent these hosts something. Safe to repeat, and where it is not so. */
  notice(hosts: readonly HostKey[]): void;
  close(): void;
}

/**
 * The turn queue of one thread: messages in SQLite, so that they survive it, and their groups' locks in
 * memory, so that a dead process holds none. Several may stand on one database, each with a connection of its
 * own, if no host is served by two of them.
 */
export function createTurnQueue(
  database: DatabaseSync,
  clock: Clock,
  { leaseMs = 900_000, serves = () => true, onOthers, keepBackMs = () => 0 }: TurnQueueOptions = {},
): LocalTurnQueue {
  const leases = new Map<HostKey, Lease>();
  /** Hosts that perhaps have messages, and have no lease; the longest waiting first. */
  const ready = new Set<HostKey>();
  const arrived = createSignal();

  const insert = database.prepare('INSERT INTO messages (host, body, seeds) VALUES (?, ?, ?)');
  const select = database.prepare(
    'SELECT id, body, receive_count AS receiveCount FROM messages WHERE host = ? ORDER BY id LIMIT ?',
  );
  const selectOne = database.prepare('SELECT 1 FROM messages WHERE host = ? LIMIT 1');
  const selectAny = database.prepare('SELECT 1 FROM messages LIMIT 1');
  const selectInFlight = database.prepare('SELECT 1 FROM messages WHERE in_flight = 1 LIMIT 1');
  const selectLinks = database.prepare(
    `SELECT body FROM messages WHERE receive_count = 0 AND ${isLinksMessage('body')}`,
  );
  const countReceive = database.prepare(
    'UPDATE messages SET receive_count = receive_count + 1, in_flight = 1 WHERE host = ? AND id <= ?',
  );
  const hide = database.prepare('UPDATE messages SET in_flight = ? WHERE host = ? AND in_flight = 1');
  const remove = database.prepare('DELETE FROM messages WHERE id = ?');

  for (const { host, inFlight } of database
    .prepare('SELECT host, max(in_flight) AS inFlight FROM messages GROUP BY host')
    .all() as { host: string; inFlight: number }[]) {
    if (!serves(host)) continue;
    const ms = inFlight === RECEIVED ? keepBackMs(host) : Math.min(inFlight - clock.now(), MAX_PARKED_MS);
    if (ms > 0) lock(host, ms);
    else ready.add(host);
  }

  function lock(host: HostKey, ms: number, received?: HostDeliveries): void {
    clearTimeout(leases.get(host)?.timer);
    const timer = setTimeout(unlock, Math.min(ms, MAX_TIMER_MS), host);
    leases.set(host, { timer, received, held: new Set(received?.deliveries.map(({ id }) => id)) });
  }

  function unlock(host: HostKey): void {
    clearTimeout(leases.get(host)?.timer);
    leases.delete(host);
    if (!mayHaveMessages(host)) return;
    ready.add(host);
    arrived.notify();
  }

  /**
   * A timer asks this, and nobody catches what it throws: a database that fails is left to the next receive.
   */
  function mayHaveMessages(host: HostKey): boolean {
    try {
      return selectOne.get(host) !== undefined;
    } catch {
      return true;
    }
  }

  function notice(hosts: readonly HostKey[]): void {
    for (const host of hosts) if (!leases.has(host)) ready.add(host);
    arrived.notify();
  }

  /** The host's oldest messages, from now on in flight. */
  function take(host: HostKey): Row[] {
    const rows = select.all(host, MAX_DELIVERIES) as unknown as Row[];
    const last = rows.at(-1);
    if (last) countReceive.run(host, last.id);
    return rows;
  }

  function handOut(host: HostKey, rows: readonly Row[]): HostDeliveries {
    const deliveries = rows.map(({ id, body, receiveCount }) => ({
      id: String(id),
      message: decodeMessage(body),
      receiveCount: receiveCount + 1,
    }));
    const received = { host, deliveries, leaseUntil: clock.now() + leaseMs };
    lock(host, leaseMs, received);
    return received;
  }

  /** The lease, if `received` is what it holds: one that ran out holds nothing. */
  function leaseOf(received: HostDeliveries): Lease | undefined {
    const lease = leases.get(received.host);
    return lease?.received === received ? lease : undefined;
  }

  return {
    notice,

    async send(messages) {
      if (messages.length === 0) return;
      // Encoded before: nobody else writes while a transaction is open.
      const rows = messages.map(({ host, message }) => ({
        host,
        body: encodeMessage(message, PLAIN),
        seeds: message.kind === 'links' ? countSeeds(message.links) : 0,
      }));
      inTransaction(database, () => {
        for (const { host, body, seeds } of rows) insert.run(host, body, seeds);
      });
      const hosts = [...new Set(messages.map(({ host }) => host))];
      notice(hosts.filter(serves));
      const others = hosts.filter((host) => !serves(host));
      if (others.length > 0) onOthers?.(others);
    },

    async receive(maxHosts, waitMs, signal) {
      if (ready.size === 0) await arrived.wait(waitMs, signal);
      const hosts = [...ready].slice(0, maxHosts);
      if (hosts.length === 0) return [];
      for (const host of hosts) ready.delete(host);
      const taken = inTransaction(database, () => hosts.map((host) => ({ host, rows: take(host) })));
      return taken.flatMap(({ host, rows }) => (rows.length > 0 ? [handOut(host, rows)] : []));
    },

    async acknowledge(received, deliveries) {
      const lease = leaseOf(received);
      if (!lease) return;
      const ids = deliveries.map(({ id }) => id).filter((id) => lease.held.delete(id));
      inTransaction(database, () => {
        for (const id of ids) remove.run(Number(id));
      });
      if (lease.held.size === 0) unlock(received.host);
    },

    async hold(received, until) {
      const lease = leaseOf(received);
      if (!lease) throw new StaleTurn(`${received.host} is no longer held`);
      clearTimeout(lease.timer);
      const ms = Math.max(received.leaseUntil, until) - clock.now();
      const timer = setTimeout(unlock, Math.min(ms, MAX_TIMER_MS), received.host);
      leases.set(received.host, { ...lease, timer });
    },

    async park(received, ms) {
      if (!leaseOf(received)) return;
      // Kept, as the host's head need not know of the rest: the turn was perhaps thrown away.
      hide.run(ms > 0 ? Math.ceil(clock.now() + ms) : 0, received.host);
      if (ms <= 0) unlock(received.host);
      else lock(received.host, ms);
    },

    isEmpty: () => selectAny.get() === undefined,

    mayBringRequisites() {
      if (selectInFlight.get() !== undefined) return true;
      for (const { body } of selectLinks.iterate()) {
        const message = decodeMessage(body as Uint8Array);
        if (message.kind === 'links' && message.links.some(({ kind }) => kind === 'requisite')) return true;
      }
      return false;
    },

    close() {
      for (const { timer } of leases.values()) clearTimeout(timer);
    },
  };
}

/**
 * By the bytes of a message that is not compressed (`frontier/message-codec.ts`): its kind, 0 for links, is
 * the fourth.
 */
const isLinksMessage = (body: string): string => `substr(${body}, 4, 1) = x'00'`;

/**
 * `in_flight` of a message that a worker has. 0: nobody has it; a greater number: it is parked until that
 * time.
 */
const RECEIVED = 1;
/** A host that was parked for longer was parked by a clock that was set back since. */
const MAX_PARKED_MS = 2 * 3_600_000;
/** The longest that a timer of Node holds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

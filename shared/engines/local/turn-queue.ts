import type { DatabaseSync } from 'node:sqlite';
import { decodeMessage, encodeMessage } from '../../frontier/message-codec.ts';
import { type Clock, type HostDeliveries, type HostKey, StaleTurn, type TurnQueue } from '../../ports.ts';
import { inTransaction } from './database.ts';
import { createSignal } from './signal.ts';

/** Messages of one host handed out at once. SQS FIFO gives up to 10; here a receive costs nothing. */
const MAX_DELIVERIES = 64;

interface Group {
  /** Messages kept for the host, handed out or not. */
  count: number;
  /** While handed out (`received`, of whose deliveries `held` are not acknowledged) or parked. */
  lease?: { timer: NodeJS.Timeout; received?: HostDeliveries; held: Set<string> };
}

export interface LocalTurnQueue extends TurnQueue {
  /** Whether no message is kept at all. */
  isEmpty(): boolean;
  close(): void;
}

/**
 * The turn queue of one process: messages in SQLite, so that they survive it, and their groups' locks in memory, so
 * that a dead process holds none.
 */
export function createTurnQueue(database: DatabaseSync, clock: Clock, leaseMs = 900_000): LocalTurnQueue {
  const groups = new Map<HostKey, Group>();
  /** Hosts with messages and no lease, the longest waiting first. */
  const ready = new Set<HostKey>();
  const arrived = createSignal();

  const insert = database.prepare('INSERT INTO messages (host, body) VALUES (?, ?)');
  const select = database.prepare(
    'SELECT id, body, receive_count AS receiveCount FROM messages WHERE host = ? ORDER BY id LIMIT ?',
  );
  const countReceive = database.prepare(
    'UPDATE messages SET receive_count = receive_count + 1 WHERE host = ? AND id <= ?',
  );
  const remove = database.prepare('DELETE FROM messages WHERE id = ?');

  for (const row of database
    .prepare('SELECT host, count(*) AS count FROM messages GROUP BY host')
    .iterate()) {
    groups.set(row.host as string, { count: row.count as number });
    ready.add(row.host as string);
  }

  function lock(host: HostKey, group: Group, ms: number, received?: HostDeliveries): void {
    clearTimeout(group.lease?.timer);
    const timer = setTimeout(() => unlock(host, group), Math.min(ms, MAX_TIMER_MS));
    group.lease = { timer, received, held: new Set(received?.deliveries.map(({ id }) => id)) };
  }

  function unlock(host: HostKey, group: Group): void {
    clearTimeout(group.lease?.timer);
    group.lease = undefined;
    if (group.count > 0) {
      ready.add(host);
      arrived.notify();
    } else groups.delete(host);
  }

  function handOut(host: HostKey): HostDeliveries {
    const rows = select.all(host, MAX_DELIVERIES) as { id: number; body: Uint8Array; receiveCount: number }[];
    countReceive.run(host, (rows.at(-1) as { id: number }).id);
    const deliveries = rows.map(({ id, body, receiveCount }) => ({
      id: String(id),
      message: decodeMessage(body),
      receiveCount: receiveCount + 1,
    }));
    const received = { host, deliveries, leaseUntil: clock.now() + leaseMs };
    lock(host, groups.get(host) as Group, leaseMs, received);
    return received;
  }

  /** The group, if `received` is what holds it: a lease that ran out holds nothing. */
  function heldBy(received: HostDeliveries): Group | undefined {
    const group = groups.get(received.host);
    return group?.lease?.received === received ? group : undefined;
  }

  return {
    async send(messages) {
      inTransaction(database, () => {
        for (const { host, message } of messages) insert.run(host, encodeMessage(message));
      });
      for (const { host } of messages) {
        const group = groups.get(host);
        if (group) group.count++;
        else groups.set(host, { count: 1 });
        if (!group?.lease) ready.add(host);
      }
      arrived.notify();
    },

    async receive(maxHosts, waitMs, signal) {
      if (ready.size === 0) await arrived.wait(waitMs, signal);
      const hosts = [...ready].slice(0, maxHosts);
      for (const host of hosts) ready.delete(host);
      return inTransaction(database, () => hosts.map(handOut));
    },

    async acknowledge(received, deliveries) {
      const group = heldBy(received);
      if (!group?.lease) return;
      const { held } = group.lease;
      const ids = deliveries.map(({ id }) => id).filter((id) => held.delete(id));
      inTransaction(database, () => {
        for (const id of ids) remove.run(Number(id));
      });
      group.count -= ids.length;
      if (held.size === 0) unlock(received.host, group);
    },

    async hold(received, until) {
      const group = heldBy(received);
      if (!group?.lease) throw new StaleTurn(`${received.host} is no longer held`);
      clearTimeout(group.lease.timer);
      const ms = Math.max(received.leaseUntil, until) - clock.now();
      group.lease.timer = setTimeout(() => unlock(received.host, group), Math.min(ms, MAX_TIMER_MS));
    },

    async park(received, ms) {
      const group = heldBy(received);
      if (!group) return;
      if (ms <= 0) unlock(received.host, group);
      else lock(received.host, group, ms);
    },

    isEmpty: () => groups.size === 0,

    close() {
      for (const { lease } of groups.values()) clearTimeout(lease?.timer);
    },
  };
}

/** The longest that a timer of Node holds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

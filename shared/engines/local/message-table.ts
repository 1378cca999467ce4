import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Message } from '../../core/frontier/message.ts';
import { decodeMessage, encodeMessage } from '../../core/frontier/message-codec.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import { inTransaction, PLAIN } from './database.ts';
import { countSeeds } from './waiting-seeds.ts';

/** Messages of one host received at once. SQS FIFO gives up to 10; here a receive costs nothing. */
const MAX_DELIVERIES = 64;
/**
 * `in_flight` of a message that a worker has. 0: nobody has it; a greater number: it is parked until that
 * time.
 */
const RECEIVED = 1;

/** A message as the table has it. */
export interface MessageRow {
  readonly id: number;
  readonly body: Uint8Array;
  /** How often it was received before. */
  readonly receiveCount: number;
}

/** A host with messages, and what an earlier process or thread left of its group's lock. */
export interface FoundGroup {
  readonly host: HostKey;
  /** Whether a worker had messages of it. */
  readonly wasReceived: boolean;
  /** Until when it was parked; 0: it was not. */
  readonly parkedUntil: number;
}

/** The messages to hosts, in SQLite. They survive the process, with a note of which were received or parked. */
export class MessageTable {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #selectOne: StatementSync;
  readonly #selectAny: StatementSync;
  readonly #selectInFlight: StatementSync;
  readonly #selectLinks: StatementSync;
  readonly #countReceive: StatementSync;
  readonly #hide: StatementSync;
  readonly #delete: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO messages (host, body, seeds) VALUES (?, ?, ?)');
    this.#select = database.prepare(
      'SELECT id, body, receive_count AS receiveCount FROM messages WHERE host = ? ORDER BY id LIMIT ?',
    );
    this.#selectOne = database.prepare('SELECT 1 FROM messages WHERE host = ? LIMIT 1');
    this.#selectAny = database.prepare('SELECT 1 FROM messages LIMIT 1');
    this.#selectInFlight = database.prepare('SELECT 1 FROM messages WHERE in_flight = 1 LIMIT 1');
    this.#selectLinks = database.prepare(
      `SELECT body FROM messages WHERE receive_count = 0 AND ${isLinksMessage('body')}`,
    );
    this.#countReceive = database.prepare(
      'UPDATE messages SET receive_count = receive_count + 1, in_flight = 1 WHERE host = ? AND id <= ?',
    );
    this.#hide = database.prepare('UPDATE messages SET in_flight = ? WHERE host = ? AND in_flight = 1');
    this.#delete = database.prepare('DELETE FROM messages WHERE id = ?');
  }

  /** All hosts that have messages. */
  groups(): FoundGroup[] {
    const rows = this.#database
      .prepare('SELECT host, max(in_flight) AS inFlight FROM messages GROUP BY host')
      .all() as { host: string; inFlight: number }[];
    return rows.map(({ host, inFlight }) => ({
      host,
      wasReceived: inFlight === RECEIVED,
      parkedUntil: inFlight > RECEIVED ? inFlight : 0,
    }));
  }

  add(messages: readonly { readonly host: HostKey; readonly message: Message }[]): void {
    // Encoded before: nobody else writes while a transaction is open.
    const rows = messages.map(({ host, message }) => ({
      host,
      body: encodeMessage(message, PLAIN),
      seeds: message.kind === 'links' ? countSeeds(message.links) : 0,
    }));
    inTransaction(this.#database, () => {
      for (const { host, body, seeds } of rows) this.#insert.run(host, body, seeds);
    });
  }

  /** The oldest messages of each host; from now on they are in flight. Hosts without messages are left out. */
  take(hosts: readonly HostKey[]): { readonly host: HostKey; readonly rows: readonly MessageRow[] }[] {
    const taken = inTransaction(this.#database, () =>
      hosts.map((host) => ({ host, rows: this.#takeOldest(host) })),
    );
    return taken.filter(({ rows }) => rows.length > 0);
  }

  #takeOldest(host: HostKey): MessageRow[] {
    const rows = this.#select.all(host, MAX_DELIVERIES) as unknown as MessageRow[];
    const last = rows.at(-1);
    if (last) this.#countReceive.run(host, last.id);
    return rows;
  }

  delete(ids: readonly number[]): void {
    inTransaction(this.#database, () => {
      for (const id of ids) this.#delete.run(id);
    });
  }

  /** Notes that the host's received messages are parked until that time; 0: that nobody has them. */
  park(host: HostKey, until: number): void {
    this.#hide.run(until, host);
  }

  has(host: HostKey): boolean {
    return this.#selectOne.get(host) !== undefined;
  }

  isEmpty(): boolean {
    return this.#selectAny.get() === undefined;
  }

  /** Whether a message that was never received brings requisites, or a message is in flight. */
  mayBringRequisites(): boolean {
    if (this.#selectInFlight.get() !== undefined) return true;
    for (const { body } of this.#selectLinks.iterate()) {
      const message = decodeMessage(body as Uint8Array);
      if (message.kind === 'links' && message.links.some(({ kind }) => kind === 'requisite')) return true;
    }
    return false;
  }
}

/**
 * By the bytes of a message that is not compressed (`frontier/message-codec.ts`): its kind, 0 for links, is
 * the fourth.
 */
const isLinksMessage = (body: string): string => `substr(${body}, 4, 1) = x'00'`;

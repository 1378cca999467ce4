import type { DatabaseSync } from 'node:sqlite';
import { decodeOutLinks, encodeOutLinks } from '../../core/frontier/message-codec.ts';
import type { LinkExchange, LinkParcel } from '../../crawler/ports/link-exchange.ts';
import { createSignal } from '../signal.ts';
import { inTransaction, PLAIN } from './database.ts';
import { countSeeds } from './waiting-seeds.ts';

export interface LocalLinkExchange extends LinkExchange {
  /** Whether no parcel is kept, from any sender. */
  isEmpty(): boolean;
  /** Somebody else has sent a parcel. */
  notice(): void;
}

/**
 * The link exchange on SQLite; messages that were received and not acknowledged come back after a crash. Any number of
 * threads and processes may send, one receives: it finds messages of others when `notice` is called, or at the next
 * receive. `onSend`: called with the messages sent here.
 */
export function createLinkExchange(database: DatabaseSync, onSend?: () => void): LocalLinkExchange {
  const insert = database.prepare('INSERT INTO parcels (body, seeds) VALUES (?, ?)');
  const select = database.prepare('SELECT id, body FROM parcels WHERE id > ? ORDER BY id LIMIT ?');
  const selectAny = database.prepare('SELECT 1 FROM parcels LIMIT 1');
  const remove = database.prepare('DELETE FROM parcels WHERE id = ?');
  const arrived = createSignal();
  /** The last parcel handed out. Numbers are given in the order of commits, and never again. */
  let lastId = 0;

  function next(max: number): LinkParcel[] {
    const rows = select.all(lastId, max) as { id: number; body: Uint8Array }[];
    lastId = rows.at(-1)?.id ?? lastId;
    return rows.map(({ id, body }) => ({ id: String(id), outLinks: decodeOutLinks(body) }));
  }

  return {
    notice: () => arrived.notify(),

    async send(outLinks) {
      if (outLinks.links.length === 0) return;
      insert.run(encodeOutLinks(outLinks, PLAIN), countSeeds(outLinks.links));
      arrived.notify();
      onSend?.();
    },

    async receive(max, waitMs, signal) {
      const parcels = next(max);
      if (parcels.length > 0) return parcels;
      await arrived.wait(waitMs, signal);
      return next(max);
    },

    async acknowledge(parcels) {
      if (parcels.length === 0) return;
      inTransaction(database, () => {
        for (const { id } of parcels) remove.run(Number(id));
      });
    },

    isEmpty: () => selectAny.get() === undefined,
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { decodeOutLinks, encodeOutLinks } from '../../frontier/message-codec.ts';
import type { LinkExchange } from '../../ports.ts';
import { inTransaction } from './database.ts';
import { createSignal } from './signal.ts';

export interface LocalLinkExchange extends LinkExchange {
  isEmpty(): boolean;
}

/** The link exchange of one process: parcels in SQLite; what was received and not acknowledged comes back after a crash. */
export function createLinkExchange(database: DatabaseSync): LocalLinkExchange {
  const insert = database.prepare('INSERT INTO parcels (body) VALUES (?)');
  const select = database.prepare('SELECT id, body FROM parcels WHERE id > ? ORDER BY id LIMIT ?');
  const remove = database.prepare('DELETE FROM parcels WHERE id = ?');
  const arrived = createSignal();
  let kept = (database.prepare('SELECT count(*) AS n FROM parcels').get() as { n: number }).n;
  /** The last parcel handed out. */
  let lastId = 0;
  let waiting = kept;

  return {
    async send(outLinks) {
      if (outLinks.links.length === 0) return;
      insert.run(encodeOutLinks(outLinks));
      kept++;
      waiting++;
      arrived.notify();
    },

    async receive(max, waitMs, signal) {
      if (waiting === 0) await arrived.wait(waitMs, signal);
      if (waiting === 0) return [];
      const rows = select.all(lastId, max) as { id: number; body: Uint8Array }[];
      waiting -= rows.length;
      lastId = rows.at(-1)?.id ?? lastId;
      return rows.map(({ id, body }) => ({ id: String(id), outLinks: decodeOutLinks(body) }));
    },

    async acknowledge(parcels) {
      inTransaction(database, () => {
        for (const { id } of parcels) kept -= Number(remove.run(Number(id)).changes);
      });
    },

    isEmpty: () => kept === 0,
  };
}

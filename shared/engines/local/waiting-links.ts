import type { DatabaseSync } from 'node:sqlite';
import type { Link } from '../../core/frontier/message.ts';
import { decodeMessage, decodeOutLinks } from '../../core/frontier/message-codec.ts';

/**
 * The links on their way to their hosts, by the parcel or message that brings them. Ledgers may know some of them
 * already. Messages of other kinds (tokens, wake-ups) bring nothing that heads do not know.
 */
export function* waitingLinks(database: DatabaseSync): Generator<readonly Link[], undefined> {
  for (const { body } of database.prepare('SELECT body FROM messages').iterate()) {
    const message = decodeMessage(body as Uint8Array);
    if (message.kind === 'links') yield message.links;
  }
  for (const { body } of database.prepare('SELECT body FROM parcels').iterate())
    yield decodeOutLinks(body as Uint8Array).links;
}

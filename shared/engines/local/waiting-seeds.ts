/** Seeds on their way to their hosts: in the link exchange, or in the turn queue. No head counts them yet. */
import type { DatabaseSync } from 'node:sqlite';
import type { Link } from '../../frontier/message.ts';
import { decodeMessage, decodeOutLinks } from '../../frontier/message-codec.ts';
import type { HostKey } from '../../ports.ts';

/**
 * How many there are. Those of messages that were handed out before count as committed, since a message may stay behind the
 * turn that has taken it in. `withOpenTurns`: counts those of turns that are under way for the first time, for who does not
 * know what these have found.
 */
export function createSeedCount(
  database: DatabaseSync,
  { withOpenTurns }: { readonly withOpenTurns: boolean },
): () => number {
  // A crawl of an earlier program, opened for reading.
  if (!hasSeedCounts(database)) return () => 0;
  const isNew = withOpenTurns
    ? '(receive_count = 0 OR (receive_count = 1 AND in_flight = 1))'
    : 'receive_count = 0';
  const select = database.prepare(
    `SELECT (SELECT coalesce(sum(seeds), 0) FROM messages WHERE seeds > 0 AND ${isNew})
     + (SELECT coalesce(sum(seeds), 0) FROM parcels WHERE seeds > 0) AS seeds`,
  );
  return () => (select.get() as { seeds: number }).seeds;
}

/** How many of the links are seeds. */
export const countSeeds = (links: readonly Link[]): number =>
  links.reduce((sum, { isSeed }) => sum + (isSeed ? 1 : 0), 0);

/** A seed on its way that is known by one of `urls`, all of `host`. Reads all that is on its way to that host or unsorted. */
export function findSeed(database: DatabaseSync, host: HostKey, urls: readonly string[]): Link | undefined {
  if (!hasSeedCounts(database)) return undefined;
  const isIt = ({ url, isSeed }: Link) => isSeed === true && urls.includes(url);
  const messages = database.prepare('SELECT body FROM messages WHERE host = ? AND seeds > 0').iterate(host);
  for (const { body } of messages) {
    const message = decodeMessage(body as Uint8Array);
    const found = message.kind === 'links' ? message.links.find(isIt) : undefined;
    if (found) return found;
  }
  for (const { body } of database.prepare('SELECT body FROM parcels WHERE seeds > 0').iterate()) {
    const found = decodeOutLinks(body as Uint8Array).links.find(isIt);
    if (found) return found;
  }
  return undefined;
}

const hasSeedCounts = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM pragma_table_info('messages') WHERE name = 'seeds'").get() !== undefined;

/** Seeds on their way to their hosts: in the link exchange, or in the turn queue. No head counts them yet. */
import type { DatabaseSync } from 'node:sqlite';
import type { Link } from '../../core/frontier/message.ts';
import { decodeMessage, decodeOutLinks } from '../../core/frontier/message-codec.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/**
 * The number of waiting seeds. Seeds of messages that were handed out before count as committed, since a message may
 * outlive the turn that has taken it in. `withOpenTurns`: also counts seeds of turns in progress for the first time,
 * for callers that do not know the results of these turns.
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

/**
 * A seed on its way that is known by one of `urls`, all of `host`. Reads all that is on its way to that host
 * or unsorted.
 */
export function findSeed(database: DatabaseSync, host: HostKey, urls: readonly string[]): Link | undefined {
  return waitingSeeds(database, host).find(({ url }) => urls.includes(url));
}

/**
 * The seeds on their way: all of them, or those on their way to `host` and those that are not sorted by host
 * yet. A ledger may know some of them already.
 */
export function* waitingSeeds(database: DatabaseSync, host?: HostKey): Generator<Link, undefined> {
  if (!hasSeedCounts(database)) return;
  const messages = database.prepare('SELECT body FROM messages WHERE seeds > 0 AND host = coalesce(?, host)');
  for (const { body } of messages.iterate(host ?? null)) {
    const message = decodeMessage(body as Uint8Array);
    if (message.kind === 'links') yield* message.links.filter(isSeedLink);
  }
  for (const { body } of database.prepare('SELECT body FROM parcels WHERE seeds > 0').iterate())
    yield* decodeOutLinks(body as Uint8Array).links.filter(isSeedLink);
}

const isSeedLink = ({ isSeed }: Link): boolean => isSeed === true;

const hasSeedCounts = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM pragma_table_info('messages') WHERE name = 'seeds'").get() !== undefined;

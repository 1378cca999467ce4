/** The heads of a crawl's hosts in SQLite, page by page, in the order of their names. */
import type { DatabaseSync } from 'node:sqlite';
import { parseHead } from '../../core/frontier/head.ts';
import type { ControlEngine } from '../../services/control/control-engine.ts';
import { placeOfHead } from './ledger-store.ts';

/** `cursor`: the last host of the page before. */
export function createHostPages(database: DatabaseSync): ControlEngine['ledgers']['hostPage'] {
  const select = database.prepare(
    'SELECT host, head FROM heads WHERE crawl = ? AND host > ? ORDER BY host LIMIT ?',
  );
  return async (crawl, cursor = '', limit) => {
    const rows = select.all(crawl, cursor, limit + 1) as { host: string; head: string }[];
    const hosts = rows
      .slice(0, limit)
      .map(({ host, head }) => ({ host, head: parseHead(head, placeOfHead(host)) }));
    return rows.length > limit ? { hosts, cursor: hosts.at(-1)!.host } : { hosts };
  };
}

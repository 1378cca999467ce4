import type { DatabaseSync } from 'node:sqlite';
import type { HookError } from '../../control/summary.ts';
import type { HookErrorLog } from '../../optional-ports.ts';
import type { CrawlId } from '../../ports.ts';

export const HOOK_ERRORS_SCHEMA = `
CREATE TABLE IF NOT EXISTS hook_errors (
  crawl TEXT NOT NULL, source TEXT NOT NULL, message TEXT NOT NULL, url TEXT NOT NULL, stack TEXT,
  PRIMARY KEY (crawl, source, message)
) STRICT;
`;

/** Different errors kept of each source: the first ones tell what is wrong, the others are counted. */
const MAX_KEPT = 3;

/** Keeps the first different errors of each kind of hook. Several, each with a connection of its own, may write. */
export function createHookErrorLog(database: DatabaseSync): HookErrorLog {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO hook_errors (crawl, source, message, url, stack) SELECT ?, ?, ?, ?, ?
     WHERE (SELECT count(*) FROM hook_errors WHERE crawl = ? AND source = ?) < ${MAX_KEPT}`,
  );
  /** Messages by crawl and source, of which no more is to be kept: at most as many as are kept. */
  const seen = new Map<string, Set<string>>();
  return {
    note(crawl, { source, url, message, stack }) {
      const key = `${source} ${crawl}`;
      const messages = seen.get(key) ?? new Set();
      seen.set(key, messages);
      if (messages.size >= MAX_KEPT || messages.has(message)) return false;
      messages.add(message);
      try {
        insert.run(crawl, source, message, url, stack ?? null, crawl, source);
      } catch {
        // A full disk or a busy database: the error is counted all the same.
      }
      return true;
    },
  };
}

/** In the order in which they were first noted. The database may be an older crawl's. */
export function readHookErrors(database: DatabaseSync, crawl: CrawlId): HookError[] {
  const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'hook_errors'").get();
  if (hasTable === undefined) return [];
  const rows = database
    .prepare('SELECT source, url, message, stack FROM hook_errors WHERE crawl = ? ORDER BY rowid')
    .all(crawl);
  return rows.map(({ source, url, message, stack }) => ({
    source: source as HookError['source'],
    url: url as string,
    message: message as string,
    ...(stack !== null && { stack: stack as string }),
  }));
}

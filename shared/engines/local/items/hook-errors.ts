import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { HookError, HookErrorLog } from '../../../crawler/ports/hook-error-log.ts';

export const HOOK_ERRORS_SCHEMA = `
CREATE TABLE IF NOT EXISTS hook_errors (
  crawl TEXT NOT NULL, source TEXT NOT NULL, message TEXT NOT NULL, url TEXT NOT NULL, stack TEXT,
  PRIMARY KEY (crawl, source, message)
) STRICT;
CREATE TABLE IF NOT EXISTS late_hook_failures (crawl TEXT PRIMARY KEY, pages INTEGER NOT NULL) STRICT;
`;

/** Different errors kept of each source: the first ones show the fault, the others are counted. */
const MAX_KEPT = 3;

/** Late failures are written so often, and when the log is closed. */
const WRITE_MS = 1000;

/**
 * Keeps the first different errors of each kind of hook, and counts pages whose hooks failed late. Several
 * logs, each with a connection of its own, may write. `close` writes the rest.
 */
export function createHookErrorLog(
  database: DatabaseSync,
  { now }: Pick<Clock, 'now'>,
): HookErrorLog & { close(): void } {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO hook_errors (crawl, source, message, url, stack) SELECT ?, ?, ?, ?, ?
     WHERE (SELECT count(*) FROM hook_errors WHERE crawl = ? AND source = ?) < ${MAX_KEPT}`,
  );
  /** Messages by crawl and source, of which no more is to be kept: at most as many as are kept. */
  const seen = new Map<string, Set<string>>();
  const add = database.prepare(
    `INSERT INTO late_hook_failures (crawl, pages) VALUES (?, ?)
     ON CONFLICT (crawl) DO UPDATE SET pages = pages + excluded.pages`,
  );
  /** Late failures by crawl that are not yet written. */
  const late = new Map<string, number>();
  let writtenAt = Number.NEGATIVE_INFINITY;

  function writeLate(): void {
    writtenAt = now();
    for (const [crawl, pages] of late) {
      try {
        add.run(crawl, pages);
        late.delete(crawl);
      } catch {
        // A full disk or a busy database: they stay counted, and are written later.
      }
    }
  }

  return {
    countLate(crawl) {
      late.set(crawl, (late.get(crawl) ?? 0) + 1);
      if (now() - writtenAt >= WRITE_MS) writeLate();
    },
    close: writeLate,
    note(crawl, { source, url, message, stack }) {
      const key = `${source} ${crawl}`;
      const messages = seen.get(key) ?? new Set();
      seen.set(key, messages);
      if (messages.size >= MAX_KEPT || messages.has(message)) return false;
      messages.add(message);
      try {
        insert.run(crawl, source, message, url, stack ?? null, crawl, source);
      } catch {
        // A full disk or a busy database: the error is counted anyway.
      }
      return true;
    },
  };
}

/** In the order in which they were first noted. The database may be an older crawl's. */
export function readHookErrors(database: DatabaseSync, crawl: CrawlId): HookError[] {
  if (!hasTable(database, 'hook_errors')) return [];
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

/** Pages whose hooks failed after their calls had ended. The database may be an older crawl's. */
export function countLateHookFailures(database: DatabaseSync, crawl: CrawlId): number {
  if (!hasTable(database, 'late_hook_failures')) return 0;
  const row = database.prepare('SELECT pages FROM late_hook_failures WHERE crawl = ?').get(crawl);
  return Number(row?.pages ?? 0);
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;

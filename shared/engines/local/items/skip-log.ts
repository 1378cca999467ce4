import type { DatabaseSync } from 'node:sqlite';
import { decodeCause, encodeCause } from '../../../causes/stored-cause.ts';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import type { Skip, SkipLog } from '../../../ports/skip-log.ts';
import { fingerprint } from '../../../url/fingerprint.ts';
import { inTransaction } from '../database.ts';

/**
 * `fingerprint`: of the URL, mixed with those of reason and crawl: what makes a link left out the same one
 * again. Few have a cause of their own.
 */
export const SKIPS_SCHEMA = `
CREATE TABLE IF NOT EXISTS skips (
  id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL UNIQUE,
  crawl TEXT NOT NULL, url TEXT NOT NULL, reason TEXT NOT NULL, via TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS skip_causes (fingerprint INTEGER PRIMARY KEY, cause TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS skips_beyond (crawl TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
`;

export interface SkipLogOptions {
  /**
   * Links kept in the database, of all crawls in it and by all that write to it; further ones are counted.
   */
  readonly maxRows?: number;
  /** So many new links are written together ... */
  readonly batch?: number;
  /** ... or what there is after this time. */
  readonly flushMs?: number;
}

export interface LocalSkipLog extends SkipLog {
  /** Writes what was gathered. Throws what the database throws; what was gathered is kept then. */
  flush(): void;
  /** The last flush, if it succeeds. The database stays open. */
  close(): void;
}

/** Recent links known by their fingerprints: 512 KiB. */
const CACHE_SLOTS = 2 ** 16;
/** The rest of longer URLs is not kept: `maxUrlLength` is 2,083 unless it is set. */
const MAX_URL_CHARS = 4096;
/** While the database cannot be written to, so many batches are gathered, and then dropped. */
const MAX_BATCHES = 10;

/**
 * Keeps the links that were left out in SQLite, each once. A site's menu is on all its pages, so nearly all
 * links were noted a moment ago: those cost one look into a table of recent fingerprints (0.15 us), new ones
 * a row (6 us). Several, each with a connection of its own, may write to one database.
 */
export function createSkipLog(database: DatabaseSync, options: SkipLogOptions = {}): LocalSkipLog {
  const { maxRows = 1_000_000, batch = 1000, flushMs = 1000 } = options;
  const insert = database.prepare(
    'INSERT OR IGNORE INTO skips (fingerprint, crawl, url, reason, via) VALUES (?, ?, ?, ?, ?)',
  );
  const insertCause = database.prepare('INSERT OR REPLACE INTO skip_causes VALUES (?, ?)');
  const selectRows = database.prepare('SELECT max(id) AS n FROM skips');
  const selectKnown = database.prepare('SELECT 1 FROM skips WHERE fingerprint = ?');
  const countBeyond = database.prepare(
    'INSERT INTO skips_beyond VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
  );
  /**
   * Pairs of high and low halves. A slot that was never used holds zeros: that fingerprint is as good as
   * none.
   */
  const recent = new Uint32Array(2 * CACHE_SLOTS);
  const halves = new Uint32Array(2);
  /** Ids of reasons and crawls, which are few. */
  const words = new Map<string, number>();
  let gathered: { readonly key: bigint; readonly crawl: CrawlId; readonly skip: Skip }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function wordOf(text: string): number {
    let word = words.get(text);
    if (word === undefined) {
      fingerprint(text, halves, 0);
      word = halves[0] as number;
      words.set(text, word);
    }
    return word;
  }

  function note(crawl: CrawlId, skip: Skip): void {
    const { reason } = skip;
    const url = skip.url.length <= MAX_URL_CHARS ? skip.url : skip.url.slice(0, MAX_URL_CHARS);
    const mixedIn = Math.imul(wordOf(reason), 3) ^ wordOf(crawl);
    fingerprint(url, halves, 0);
    const high = ((halves[0] as number) ^ mixedIn) >>> 0;
    const low = ((halves[1] as number) + mixedIn) >>> 0;
    const slot = 2 * (low & (CACHE_SLOTS - 1));
    if (recent[slot] === high && recent[slot + 1] === low) return;
    recent[slot] = high;
    recent[slot + 1] = low;
    const key = BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
    gathered.push({ key, crawl, skip: url === skip.url ? skip : { ...skip, url } });
    if (gathered.length % batch === 0) tryFlush();
    else timer ??= setTimeout(tryFlush, flushMs).unref();
  }

  /**
   * Links left out are worth no turn: while the disk is full or the database busy, they wait, and then go.
   */
  function tryFlush(): void {
    try {
      flush();
    } catch {
      if (gathered.length >= MAX_BATCHES * batch) gathered = [];
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0) return;
    inTransaction(database, () => {
      // Rows are never deleted, so the last one's number is how many there are, from all processes.
      let rows = (selectRows.get() as { n: number | null }).n ?? 0;
      for (const { key, crawl, skip } of gathered) {
        if (rows < maxRows)
          rows += Number(insert.run(key, crawl, skip.url, skip.reason, skip.via ?? null).changes);
        else if (!selectKnown.get(key)) countBeyond.run(crawl);
        if (skip.cause !== undefined && rows < maxRows) insertCause.run(key, encodeCause(skip.cause));
      }
    });
    gathered = [];
  }

  return { note, flush, close: tryFlush };
}

/**
 * The links that were left out, in the order in which they were first met. The database may be an older
 * crawl's.
 */
export function* readSkips(database: DatabaseSync, crawl: CrawlId): Generator<Skip> {
  if (!hasSkips(database)) return;
  const columns = hasTable(database, 'skip_causes')
    ? 's.url, s.reason, s.via, c.cause FROM skips s LEFT JOIN skip_causes c USING (fingerprint)'
    : 's.url, s.reason, s.via, NULL AS cause FROM skips s';
  for (const row of database.prepare(`SELECT ${columns} WHERE s.crawl = ? ORDER BY s.id`).iterate(crawl)) {
    const { url, reason, via, cause } = row as Record<string, string | null>;
    yield {
      url: url as string,
      reason: reason as string,
      via: via ?? undefined,
      ...(cause != null && { cause: decodeCause(cause) }),
    };
  }
}

/** How many were left out after the log was full; those that came again after a while are counted again. */
export function skipsBeyond(database: DatabaseSync, crawl: CrawlId): number {
  if (!hasSkips(database)) return 0;
  const row = database.prepare('SELECT count FROM skips_beyond WHERE crawl = ?').get(crawl);
  return (row?.count as number | undefined) ?? 0;
}

const hasSkips = (database: DatabaseSync): boolean => hasTable(database, 'skips_beyond');

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;

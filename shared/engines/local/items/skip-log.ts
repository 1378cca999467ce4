import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeCause, encodeCause } from '../../../core/causes/stored-cause.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Skip, SkipLog } from '../../../crawler/ports/skip-log.ts';
import { RecentSkips, shortSkip } from '../../recent-skips.ts';
import { inTransaction } from '../database.ts';

/**
 * `fingerprint`: of the URL, mixed with those of reason and crawl; it identifies a link that was left out. Few links
 * have a cause of their own.
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
  /** The number of new links that are written together ... */
  readonly batch?: number;
  /** ... or what there is after this time. */
  readonly flushMs?: number;
}

export interface LocalSkipLog extends SkipLog {
  /** Writes the gathered links. Throws the error of the database; the links are kept then. */
  flush(): void;
  /** The last flush, if it succeeds. The database stays open. */
  close(): void;
}

/** The number of batches that are kept while the database cannot be written to. Further ones are dropped. */
const MAX_BATCHES = 10;

/**
 * Keeps the links that were left out in SQLite, each once. A site's menu is on all its pages, so nearly all
 * links were noted a moment ago: those cost one look into a table of recent fingerprints (0.15 us), new ones
 * a row (6 us). Several, each with a connection of its own, may write to one database.
 */
export const createSkipLog = (database: DatabaseSync, options: SkipLogOptions = {}): LocalSkipLog =>
  boundMethods<LocalSkipLog>(new SkipTable(database, options));

/** A link on its way to the table. `key`: see {@link SKIPS_SCHEMA}. */
interface GatheredSkip {
  readonly key: bigint;
  readonly crawl: CrawlId;
  readonly skip: Skip;
}

class SkipTable implements LocalSkipLog {
  readonly #database: DatabaseSync;
  readonly #maxRows: number;
  readonly #batch: number;
  readonly #flushMs: number;
  readonly #insert: StatementSync;
  readonly #insertCause: StatementSync;
  readonly #selectRows: StatementSync;
  readonly #selectKnown: StatementSync;
  readonly #countBeyond: StatementSync;
  readonly #recent = new RecentSkips();
  #gathered: GatheredSkip[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(database: DatabaseSync, { maxRows = 1_000_000, batch = 1000, flushMs = 1000 }: SkipLogOptions) {
    this.#database = database;
    this.#maxRows = maxRows;
    this.#batch = batch;
    this.#flushMs = flushMs;
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO skips (fingerprint, crawl, url, reason, via) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertCause = database.prepare('INSERT OR REPLACE INTO skip_causes VALUES (?, ?)');
    this.#selectRows = database.prepare('SELECT max(id) AS n FROM skips');
    this.#selectKnown = database.prepare('SELECT 1 FROM skips WHERE fingerprint = ?');
    this.#countBeyond = database.prepare(
      'INSERT INTO skips_beyond VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
    );
  }

  note(crawl: CrawlId, skip: Skip): void {
    const shortened = shortSkip(skip);
    const key = this.#recent.enter(shortened, crawl);
    if (key === undefined) return;
    this.#gathered.push({ key, crawl, skip: shortened });
    if (this.#gathered.length % this.#batch === 0) this.#tryFlush();
    else this.#timer ??= setTimeout(() => this.#tryFlush(), this.#flushMs).unref();
  }

  close(): void {
    this.#tryFlush();
  }

  /**
   * Links left out are worth no turn: while the disk is full or the database busy, they wait, and then go.
   */
  #tryFlush(): void {
    try {
      this.flush();
    } catch {
      if (this.#gathered.length >= MAX_BATCHES * this.#batch) this.#gathered = [];
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.length === 0) return;
    inTransaction(this.#database, () => {
      // Rows are never deleted, so the last one's number is how many there are, from all processes.
      let rows = (this.#selectRows.get() as { n: number | null }).n ?? 0;
      for (const gathered of this.#gathered) rows += this.#write(gathered, rows);
    });
    this.#gathered = [];
  }

  /** Returns how many rows it has added to those that there were. */
  #write({ key, crawl, skip }: GatheredSkip, rows: number): number {
    let added = 0;
    if (rows < this.#maxRows)
      added = Number(this.#insert.run(key, crawl, skip.url, skip.reason, skip.via ?? null).changes);
    else if (!this.#selectKnown.get(key)) this.#countBeyond.run(crawl);
    if (skip.cause !== undefined && rows + added < this.#maxRows)
      this.#insertCause.run(key, encodeCause(skip.cause));
    return added;
  }
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

/** Sets how many were only counted, where the links come from another engine's log. */
export function saveSkipsBeyond(database: DatabaseSync, crawl: CrawlId, count: number): void {
  if (count > 0) database.prepare('INSERT OR REPLACE INTO skips_beyond VALUES (?, ?)').run(crawl, count);
}

const hasSkips = (database: DatabaseSync): boolean => hasTable(database, 'skips_beyond');

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;

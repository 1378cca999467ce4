/**
 * The use of a day by agents, and the crawls that they began: in a file of this machine, so that a server that is started
 * again does not begin from zero, and several servers for one folder share it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import { ToolError } from './tool-error.ts';

/** The operator's bounds for a day, UTC. */
export interface DayBounds {
  readonly pages: number;
  readonly bytes: number;
  /** For crawls on a stack. */
  readonly dollars: number;
  /** 0: none may be begun. */
  readonly crawls: number;
}

interface Row {
  readonly pages: number;
  readonly bytes: number;
  readonly crawls: number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, pages INTEGER, bytes INTEGER, crawls INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS begun (crawl TEXT PRIMARY KEY) WITHOUT ROWID;
`;
const TIMEOUT_MS = 5000;

export class DayUse {
  readonly #bounds: DayBounds;
  readonly #open: () => ReturnType<typeof openSqlite>;
  #database: ReturnType<typeof openSqlite> | undefined;
  readonly #now: () => number;

  /** `folder`: for files of Strand about this user. `place`: the folder or stack whose crawls are served. */
  constructor(folder: string, place: string, bounds: DayBounds, now: () => number = Date.now) {
    this.#bounds = bounds;
    this.#now = now;
    this.#open = () => {
      makeFolders(folder, 0o700);
      const name = createHash('sha256').update(place).digest('hex').slice(0, 24);
      const database = openSqlite(join(folder, `${name}.sqlite`), { timeout: TIMEOUT_MS });
      database.exec(SCHEMA);
      return database;
    };
  }

  /** Throws {@link ToolError} if no page more may be fetched today. */
  takePage(): void {
    const { pages, bytes } = this.#bounds;
    const used = this.#add(1, 0, 0);
    const limit = used.pages > pages ? `${pages} pages` : used.bytes > bytes ? `${bytes} bytes` : undefined;
    if (limit === undefined) return;
    this.#add(-1, 0, 0);
    throw usedUp(limit);
  }

  addBytes(bytes: number): void {
    this.#add(0, bytes, 0);
  }

  /**
   * Sets aside pages of the day for a crawl, and the same share of its bytes and dollars. Throws {@link ToolError} if fewer
   * are left, or too many crawls have begun.
   */
  takeCrawl(maxPages: number): { readonly maxBytes: number; readonly maxCost: number } {
    const { pages, bytes, dollars, crawls } = this.#bounds;
    const share = maxPages / pages;
    const maxBytes = Math.floor(share * bytes);
    const used = this.#add(maxPages, maxBytes, 1);
    const limit =
      used.crawls > crawls
        ? `${crawls} crawls`
        : used.pages > pages
          ? `${pages} pages, of which ${Math.max(0, pages - used.pages + maxPages)} are left`
          : used.bytes > bytes
            ? `${bytes} bytes`
            : undefined;
    if (limit === undefined) return { maxBytes, maxCost: share * dollars };
    this.#add(-maxPages, -maxBytes, -1);
    throw usedUp(limit);
  }

  noteBegun(crawl: string): void {
    this.#use().prepare('INSERT OR IGNORE INTO begun VALUES (?)').run(crawl);
  }

  hasBegun(crawl: string): boolean {
    return this.#use().prepare('SELECT 1 FROM begun WHERE crawl = ?').get(crawl) !== undefined;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #use(): ReturnType<typeof openSqlite> {
    this.#database ??= this.#open();
    return this.#database;
  }

  #add(pages: number, bytes: number, crawls: number): Row {
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    const row = this.#use()
      .prepare(
        `INSERT INTO days VALUES (?, ?, ?, ?) ON CONFLICT (day) DO UPDATE SET
         pages = pages + excluded.pages, bytes = bytes + excluded.bytes, crawls = crawls + excluded.crawls
         RETURNING pages, bytes, crawls`,
      )
      .get(day, pages, bytes, crawls);
    return row as unknown as Row;
  }
}

const usedUp = (limit: string): ToolError =>
  new ToolError(
    'dayUsedUp',
    `The operator allows ${limit} a day. Answer from what the crawls have (search_crawl, get_page), or go on tomorrow, UTC.`,
  );

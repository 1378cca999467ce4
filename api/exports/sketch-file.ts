/** The sketches of a crawl's pages, a file of SQLite: 32 bytes a page, and its URL. Made of the archive on demand. */
import { DatabaseSync } from 'node:sqlite';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';

/** Another process may be adding pages. */
const TIMEOUT_MS = 60_000;
/** Pages are added together. */
const BATCH = 500;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY, host TEXT NOT NULL, capture TEXT NOT NULL, sketch BLOB
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS hosts ON pages (host);
`;

export interface SketchFile {
  /** Pages with a sketch. */
  readonly count: number;
  /** Whether the file has exactly these pages of the host, as they were archived last. Then they are kept. */
  hasAll(host: string, pages: readonly UrlRecord[]): boolean;
  /** `sketch`: undefined for a page that is not compared. */
  put(host: string, page: UrlRecord, sketch: Uint8Array | undefined): void;
  /** A page that cannot be read. It is tried again when another page of the host has changed. */
  putUnread(host: string, page: UrlRecord): void;
  /** Deletes the hosts that were neither asked for nor added since the file was opened. */
  deleteOthers(): void;
  /** The shortest URL first. */
  sketches(): Iterable<{ readonly url: string; readonly sketch: Uint8Array }>;
  close(): void;
}

type Row = readonly [url: string, host: string, capture: string, sketch: Uint8Array | null];

const captureOf = ({ result }: UrlRecord): string =>
  result?.digest ? Buffer.from(result.digest).toString('base64') : String(result?.fetchedAt);

export function openSketchFile(path: string): SketchFile {
  const database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
  const insert = database.prepare('INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)');
  const deleteHost = database.prepare('DELETE FROM pages WHERE host = ?');
  const ofHost = database.prepare('SELECT url, capture FROM pages WHERE host = ?');
  const kept = new Set<string>();
  let pending: Row[] = [];

  function flush(): void {
    if (pending.length === 0) return;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const row of pending) insert.run(...row);
      database.exec('COMMIT');
      pending = [];
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }
  const add = (row: Row) => {
    if (pending.push(row) >= BATCH) flush();
  };

  return {
    get count() {
      flush();
      const row = database.prepare('SELECT count(sketch) AS count FROM pages').get();
      return row?.count as number;
    },
    hasAll(host, pages) {
      kept.add(host);
      flush();
      const known = new Map<string, string>();
      for (const row of ofHost.iterate(host)) known.set(row.url as string, row.capture as string);
      if (known.size === pages.length && pages.every((page) => known.get(page.url) === captureOf(page)))
        return true;
      deleteHost.run(host);
      return false;
    },
    put: (host, page, sketch) => add([page.url, host, captureOf(page), sketch ?? null]),
    putUnread: (host, page) => add([page.url, host, captureOf(page), null]),
    deleteOthers() {
      flush();
      const hosts = database.prepare('SELECT DISTINCT host FROM pages').all();
      for (const { host } of hosts) if (!kept.has(host as string)) deleteHost.run(host as string);
    },
    *sketches() {
      flush();
      const all = database.prepare(
        'SELECT url, sketch FROM pages WHERE sketch IS NOT NULL ORDER BY length(url), url',
      );
      for (const row of all.iterate()) yield { url: row.url as string, sketch: row.sketch as Uint8Array };
    },
    close() {
      flush();
      database.close();
    },
  };
}

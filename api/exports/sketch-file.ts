/**
 * The texts of a crawl's pages as they are compared, a file of SQLite: of each its URL, a sketch of 32 bytes, and two bytes for each
 * word. Made of the archive on demand.
 */
import type { DatabaseSync } from 'node:sqlite';
import { decodeOwnText, encodeOwnText, type OwnText } from '../../shared/core/alike/own-text.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { inTransaction } from '../../shared/engines/local/database.ts';
import { openSqlite } from '../../shared/engines/local/open-sqlite.ts';
import type { DuplicateCluster } from '../duplicates.ts';

/** A concurrent process may be adding pages. */
const TIMEOUT_MS = 60_000;
/** Pages are added together. */
const BATCH = 500;

/** A file of another version is made again. */
const VERSION = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY, host TEXT NOT NULL, capture TEXT NOT NULL, sketch BLOB, text BLOB
  );
  CREATE INDEX IF NOT EXISTS hosts ON pages (host);
  CREATE TABLE IF NOT EXISTS clusters (
    url TEXT PRIMARY KEY, original TEXT NOT NULL, similarity REAL NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS originals ON clusters (original);
  PRAGMA user_version = ${VERSION};
`;

/** The text of a page, and the sketch by which pairs are found. */
interface ComparedText {
  readonly sketch: Uint8Array;
  readonly text: OwnText;
}

export interface SketchFile {
  /** Pages with a sketch. */
  readonly count: number;
  /** Whether the file has exactly these pages of the host, as they were archived last. Then they are kept. */
  hasAll(host: string, pages: readonly UrlRecord[]): boolean;
  /** `text`: undefined for a page that is not compared. */
  put(host: string, page: UrlRecord, text: ComparedText | undefined): void;
  /** A page that cannot be read. It is tried again when another page of the host has changed. */
  putUnread(host: string, page: UrlRecord): void;
  /** Deletes the hosts that were neither read nor added since the file was opened. */
  deleteOthers(): void;
  /** The shortest URL first. */
  sketches(): Iterable<{ readonly id: number; readonly url: string; readonly sketch: Uint8Array }>;
  /** Keeps the clusters that were found, instead of those before: for `known-clusters.ts`. */
  keepClusters(clusters: readonly DuplicateCluster[]): void;
  /** The text of the page with this `id`. */
  textOf(id: number): OwnText;
  close(): void;
}

type Row = readonly [
  url: string,
  host: string,
  capture: string,
  sketch: Uint8Array | null,
  text: Uint8Array | null,
];

const captureOf = ({ result }: UrlRecord): string =>
  result?.digest ? Buffer.from(result.digest).toString('base64') : String(result?.fetchedAt);

export function openSketchFile(path: string): SketchFile {
  const database = openDatabase(path);
  const insert = database.prepare('INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?)');
  const textById = database.prepare('SELECT text FROM pages WHERE rowid = ?');
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
    put: (host, page, text) =>
      add([page.url, host, captureOf(page), text?.sketch ?? null, text ? encodeOwnText(text.text) : null]),
    putUnread: (host, page) => add([page.url, host, captureOf(page), null, null]),
    deleteOthers() {
      flush();
      const hosts = database.prepare('SELECT DISTINCT host FROM pages').all();
      for (const { host } of hosts) if (!kept.has(host as string)) deleteHost.run(host as string);
    },
    *sketches() {
      flush();
      const all = database.prepare(
        'SELECT rowid AS id, url, sketch FROM pages WHERE sketch IS NOT NULL ORDER BY length(url), url',
      );
      for (const { id, url, sketch } of all.iterate())
        yield { id: id as number, url: url as string, sketch: sketch as Uint8Array };
    },
    keepClusters: (clusters) => keepClusters(database, clusters),
    textOf: (id) => decodeOwnText(textById.get(id)?.text as Uint8Array),
    close() {
      flush();
      database.close();
    },
  };
}

/** With the present tables: those of another version are made again. */
function openDatabase(path: string): DatabaseSync {
  const database = openSqlite(path, { timeout: TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const version = database.prepare('PRAGMA user_version').get()?.user_version;
  if (version !== VERSION) database.exec('DROP TABLE IF EXISTS pages');
  database.exec(SCHEMA);
  return database;
}

function keepClusters(database: DatabaseSync, clusters: readonly DuplicateCluster[]): void {
  const keep = database.prepare('INSERT INTO clusters VALUES (?, ?, ?)');
  inTransaction(database, () => {
    database.exec('DELETE FROM clusters');
    for (const { original, copies } of clusters)
      for (const { url, similarity } of copies) keep.run(url, original, similarity);
  });
}

/** The captures of an archive by URL and time, in a temporary database: of any number, in little memory. */
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { epochOf, type KeyRange } from '../../../core/archive/capture-query.ts';
import type { IndexedCapture } from '../../../core/archive/parse-cdxj-line.ts';
import { REVISIT } from '../../../core/archive/payload-reader.ts';
import { keyedUrl } from '../../../core/archive/request-query.ts';

/**
 * `url`: by which the capture is found. For a response to a POST or another method with a body it is the URL of
 * `request-query.ts`, and `target` is the requested one.
 */
export type ListedCapture = Pick<
  IndexedCapture,
  'url' | 'timestamp' | 'mime' | 'status' | 'digest' | 'file' | 'offset' | 'length' | 'method' | 'requestBody'
> & { readonly target?: string };

/** A capture with its place in the order of the index: by key, time, and `id`. */
export interface KeyedCapture extends ListedCapture {
  readonly surt: string;
  readonly id: number;
}

export type IndexPlace = Pick<KeyedCapture, 'surt' | 'timestamp' | 'id'>;

export interface RangeQuery extends KeyRange {
  /** The first and the last second. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  /** The captures after this cursor, in order. */
  readonly after?: IndexPlace | undefined;
  readonly isReverse?: boolean | undefined;
  readonly limit: number;
}

export interface CaptureIndex {
  readonly size: number;
  /** Returns captures by key and time. Only of an index made with `hasKeys`. */
  inRange(query: RangeQuery): readonly KeyedCapture[];
  /** Returns captures of `url` by time. */
  ofUrl(url: string, page: { readonly offset: number; readonly limit: number }): readonly ListedCapture[];
  /** Returns the number of captures of `url`. */
  countOf(url: string): number;
  /** Returns the capture of `url` that is nearest to `timestamp`. */
  find(url: string, timestamp: string): ListedCapture | undefined;
  /** Returns the last captures of `url`, at most `limit`, the newest first. */
  newest(url: string, limit: number): readonly ListedCapture[];
  /** Returns the revisits, and the captures that may have their bodies. */
  revisitsAndBodies(): Iterable<ListedCapture>;
  /** Returns captures whose URL has all `words` in it, sorted by URL, HTML pages alone if `onlyPages`. */
  list(query: CaptureQuery): readonly ListedCapture[];
  close(): void;
}

interface CaptureQuery {
  readonly words: readonly string[];
  readonly onlyPages: boolean;
  readonly offset: number;
  readonly limit: number;
}

const COLUMNS = 'url, timestamp, mime, status, digest, file, offset, length, method, requestBody, target';

export interface IndexOptions {
  /**
   * A file for the index; an existing file is replaced. Default: a file of SQLite's own, which goes with
   * the connection.
   */
  readonly path?: string;
  /** Whether captures are looked up by their keys (SURT), too. Default: false. */
  readonly hasKeys?: boolean;
}

export async function createCaptureIndex(
  captures: AsyncIterable<IndexedCapture>,
  { path = '', hasKeys = false }: IndexOptions = {},
): Promise<CaptureIndex> {
  if (path !== '') rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  try {
    // Nothing is lost with it: it is made again.
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE captures (
      url TEXT NOT NULL, timestamp TEXT NOT NULL, mime TEXT, status INTEGER, digest TEXT, file TEXT, offset INTEGER,
      length INTEGER, method TEXT, requestBody TEXT, target TEXT, surt TEXT
    ) STRICT; BEGIN;`);
    const insert = database.prepare(
      `INSERT INTO captures (${COLUMNS}, surt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for await (const capture of captures) {
      const { url, timestamp, mime, status, digest, file, offset, length, surt } = capture;
      if (!/^https?:/.test(url)) continue;
      const optional = [mime ?? null, status ?? null, digest ?? null];
      const [found, ...asked] = requestColumns(capture);
      insert.run(found, timestamp, ...optional, file, offset, length, ...asked, hasKeys ? surt : null);
    }
    database.exec('COMMIT; CREATE INDEX by_url ON captures (url, timestamp);');
    if (hasKeys) database.exec('CREATE INDEX by_key ON captures (surt, timestamp);');
    return indexIn(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function requestColumns({ url, method, requestBody }: IndexedCapture): [string, ...(string | null)[]] {
  if (method === undefined) return [url, null, null, null];
  const query = requestBody ?? '';
  return [keyedUrl(url, { method, query }), method, query, url];
}

/** Opens an index that was made at `path`. */
export const openCaptureIndex = (path: string): CaptureIndex =>
  indexIn(new DatabaseSync(path, { readOnly: true }));

function indexIn(database: DatabaseSync): CaptureIndex {
  const { size } = database.prepare('SELECT count(*) AS size FROM captures').get() as { size: number };
  const before = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? AND timestamp <= ? ORDER BY timestamp DESC LIMIT 1`,
  );
  const after = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? AND timestamp > ? ORDER BY timestamp LIMIT 1`,
  );
  const ofUrl = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? ORDER BY timestamp, rowid LIMIT ? OFFSET ?`,
  );
  const count = database.prepare('SELECT count(*) AS count FROM captures WHERE url = ?');
  const newest = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? ORDER BY timestamp DESC LIMIT ?`,
  );

  return {
    size,
    inRange: (query) => capturesInRange(database, query),
    ofUrl: (url, { offset, limit }) => ofUrl.all(url, limit, offset).flatMap((row) => captureOf(row) ?? []),
    countOf: (url) => (count.get(url) as { count: number }).count,
    find(url, timestamp) {
      const [earlier, later] = [before.get(url, timestamp), after.get(url, timestamp)].map(captureOf);
      if (!earlier || !later) return earlier ?? later;
      return distance(timestamp, later.timestamp) < distance(earlier.timestamp, timestamp) ? later : earlier;
    },
    newest: (url, limit) => newest.all(url, limit).flatMap((row) => captureOf(row) ?? []),
    *revisitsAndBodies() {
      const revisits = 'SELECT digest FROM captures WHERE mime = ?';
      const rows = database.prepare(`SELECT ${COLUMNS} FROM captures WHERE digest IN (${revisits})`);
      for (const row of rows.iterate(REVISIT)) yield captureOf(row) as ListedCapture;
    },
    list({ words, onlyPages, offset, limit }) {
      const where = [
        ...words.map(() => 'instr(lower(url), ?) > 0'),
        ...(onlyPages ? [`mime IN ('text/html', 'application/xhtml+xml', '${REVISIT}')`] : []),
      ];
      const rows = database
        .prepare(
          `SELECT ${COLUMNS} FROM captures ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
           ORDER BY url, timestamp LIMIT ? OFFSET ?`,
        )
        .all(...words.map((word) => word.toLowerCase()), limit, offset);
      return rows.flatMap((row) => captureOf(row) ?? []);
    },
    close: () => database.close(),
  };
}

function capturesInRange(
  database: DatabaseSync,
  { from, below, first, last, after, isReverse = false, limit }: RangeQuery,
): readonly KeyedCapture[] {
  const where = ['surt >= ?', 'surt < ?'];
  const values: (string | number)[] = [from, below];
  const add = (condition: string, ...given: (string | number)[]) => {
    where.push(condition);
    values.push(...given);
  };
  if (first !== undefined) add('timestamp >= ?', first);
  if (last !== undefined) add('timestamp <= ?', last);
  if (after) {
    // Names the part of the index from which on it must be read.
    add(`surt ${isReverse ? '<=' : '>='} ?`, after.surt);
    add(`(surt, timestamp, rowid) ${isReverse ? '<' : '>'} (?, ?, ?)`, after.surt, after.timestamp, after.id);
  }
  const order = ['surt', 'timestamp', 'rowid'].map((column) => `${column}${isReverse ? ' DESC' : ''}`);
  const rows = database
    .prepare(
      `SELECT ${COLUMNS}, surt, rowid AS id FROM captures WHERE ${where.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ?`,
    )
    .all(...values, limit);
  return rows.map((row) => captureOf(row) as KeyedCapture);
}

function captureOf(row: Record<string, unknown> | undefined): ListedCapture | undefined {
  if (row === undefined) return undefined;
  const given = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as ListedCapture;
}

/** Between two times `YYYYMMDDhhmmss`; the unit does not matter. */
const distance = (from: string, to: string): number => epochOf(to) - epochOf(from);

/** The captures of an archive by URL and time, in a temporary database: of any number, in little memory. */
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { IndexedCapture } from '../../../archive/parse-cdxj-line.ts';
import { REVISIT } from '../../../archive/payload-reader.ts';

export type ListedCapture = Pick<
  IndexedCapture,
  'url' | 'timestamp' | 'mime' | 'status' | 'digest' | 'file' | 'offset' | 'length'
>;

export interface CaptureIndex {
  readonly size: number;
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

export interface CaptureQuery {
  readonly words: readonly string[];
  readonly onlyPages: boolean;
  readonly offset: number;
  readonly limit: number;
}

const COLUMNS = 'url, timestamp, mime, status, digest, file, offset, length';

/**
 * `path`: a file for the index, which takes the place of one that is there. Default: a file of SQLite's own, which goes
 * with the connection.
 */
export async function createCaptureIndex(
  captures: AsyncIterable<IndexedCapture>,
  path = '',
): Promise<CaptureIndex> {
  if (path !== '') rmSync(path, { force: true });
  const database = new DatabaseSync(path);
  try {
    // Nothing is lost with it: it is made again.
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE captures (
      url TEXT NOT NULL, timestamp TEXT NOT NULL, mime TEXT, status INTEGER, digest TEXT, file TEXT, offset INTEGER,
      length INTEGER
    ) STRICT; BEGIN;`);
    const insert = database.prepare(`INSERT INTO captures (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    for await (const { url, timestamp, mime, status, digest, file, offset, length } of captures) {
      if (!/^https?:/.test(url)) continue;
      insert.run(url, timestamp, mime ?? null, status ?? null, digest ?? null, file, offset, length);
    }
    database.exec('COMMIT; CREATE INDEX by_url ON captures (url, timestamp);');
    return indexIn(database);
  } catch (error) {
    database.close();
    throw error;
  }
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
  const newest = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? ORDER BY timestamp DESC LIMIT ?`,
  );

  return {
    size,
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

function captureOf(row: Record<string, unknown> | undefined): ListedCapture | undefined {
  if (row === undefined) return undefined;
  const given = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as ListedCapture;
}

/** Between two times `YYYYMMDDhhmmss`; the unit does not matter. */
const distance = (from: string, to: string): number => timeOf(to) - timeOf(from);

function timeOf(timestamp: string): number {
  const [year, month, day, hour, minute, second] = [0, 4, 6, 8, 10, 12].map((at, i) =>
    Number(timestamp.slice(at, at + (i === 0 ? 4 : 2)) || 1),
  );
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}

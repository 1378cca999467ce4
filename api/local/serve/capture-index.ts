/** The captures of an archive by URL and time, in a temporary database: of any number, in little memory. */
import { DatabaseSync } from 'node:sqlite';
import type { IndexedCapture } from '../../archive-types.ts';

export type ListedCapture = Pick<
  IndexedCapture,
  'url' | 'timestamp' | 'mime' | 'status' | 'file' | 'offset' | 'length'
>;

export interface CaptureIndex {
  readonly size: number;
  /** Returns the capture of `url` that is nearest to `timestamp`. */
  find(url: string, timestamp: string): ListedCapture | undefined;
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

const COLUMNS = 'url, timestamp, mime, status, file, offset, length';

export async function createCaptureIndex(captures: AsyncIterable<IndexedCapture>): Promise<CaptureIndex> {
  // SQLite keeps it in a file of its own that goes with the connection.
  const database = new DatabaseSync('');
  database.exec(`CREATE TABLE captures (
    url TEXT NOT NULL, timestamp TEXT NOT NULL, mime TEXT, status INTEGER, file TEXT, offset INTEGER, length INTEGER
  ) STRICT; BEGIN;`);
  const insert = database.prepare(`INSERT INTO captures (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  let size = 0;
  for await (const { url, timestamp, mime, status, file, offset, length } of captures) {
    if (!/^https?:/.test(url)) continue;
    insert.run(url, timestamp, mime ?? null, status ?? null, file, offset, length);
    size++;
  }
  database.exec('COMMIT; CREATE INDEX by_url ON captures (url, timestamp);');
  const before = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? AND timestamp <= ? ORDER BY timestamp DESC LIMIT 1`,
  );
  const after = database.prepare(
    `SELECT ${COLUMNS} FROM captures WHERE url = ? AND timestamp > ? ORDER BY timestamp LIMIT 1`,
  );

  return {
    size,
    find(url, timestamp) {
      const [earlier, later] = [before.get(url, timestamp), after.get(url, timestamp)].map(captureOf);
      if (!earlier || !later) return earlier ?? later;
      return distance(timestamp, later.timestamp) < distance(earlier.timestamp, timestamp) ? later : earlier;
    },
    list({ words, onlyPages, offset, limit }) {
      const where = [
        ...words.map(() => 'instr(lower(url), ?) > 0'),
        ...(onlyPages ? ["mime IN ('text/html', 'application/xhtml+xml', 'warc/revisit')"] : []),
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

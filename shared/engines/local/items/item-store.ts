import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { StorageFailed } from '../../../core/base/storage-failed.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { ItemStore } from '../../../crawler/ports/item-store.ts';
import { coalesced } from '../../coalesced.ts';
import { inTransaction } from '../database.ts';
import { NO_FOLLOW } from '../folder-guard.ts';
import { createLineStage } from './staged-lines.ts';

/** Goes into the database of the heads, which decide which of the staged items count. */
export const ITEMS_SCHEMA = `
CREATE TABLE IF NOT EXISTS staged_items (
  crawl TEXT NOT NULL, host TEXT NOT NULL, version INTEGER NOT NULL, part INTEGER NOT NULL, lines TEXT NOT NULL,
  PRIMARY KEY (crawl, host, version, part)
) STRICT;
CREATE TABLE IF NOT EXISTS item_files (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
`;

/**
 * A row holds lines with this number of characters, or one longer line: a turn may have hundreds of megabytes
 * of them.
 */
const ROW_CHARS = 256 * 1024;
/** Bytes written between two syncs. They are held in memory, and written again after a crash. */
const BATCH_CHARS = 8 * 1024 * 1024;
const ROWS_READ = 32;

const syncData = promisify(fdatasync);

/** Returns the part that any number of threads may have, each with its own connection, beside the one {@link createItemStore}. */
export function createItemStage(database: DatabaseSync): Pick<ItemStore, 'stage'> {
  const insert = database.prepare(
    'INSERT INTO staged_items (crawl, host, version, part, lines) VALUES (?, ?, ?, ?, ?)',
  );
  return {
    stage: createLineStage(database, 'staged_items', (crawl, host, version, lines) => {
      rowsOf(lines).forEach((row, part) => {
        insert.run(crawl, host, version, part, row);
      });
    }),
  };
}

interface StagedRow {
  readonly id: number;
  readonly lines: string;
}

/**
 * Items on their way to `file`: one JSON value a line, each exactly once, whenever a process is killed. The database
 * keeps how much of the file is good. A publication appends and syncs; then one transaction deletes the rows and
 * saves the new length. Opening cuts the file to the saved length, publishes the rows that a committed head covers,
 * and drops the others, so it comes before anything is staged.
 *
 * The only one that writes the file, and the file is not created before there is an item. Publications that are
 * requested while one is in progress share the next, and its sync. If a publication fails, the host's next one, or the
 * next opening, makes up for it. A file that somebody else has shortened is continued with from its end.
 */
export const createItemStore = (
  database: DatabaseSync,
  file: string,
  warn: (message: string) => void = () => {},
): ItemStore & { close(): Promise<void> } => ({
  ...createItemStage(database),
  ...boundMethods(new ItemFile(database, file, warn)),
});

/** All that the file holds now counts: it was made from the items of another engine. */
export function saveItemBytes(database: DatabaseSync, file: string): void {
  database
    .prepare('INSERT OR REPLACE INTO item_files (file, bytes) VALUES (?, ?)')
    .run(basename(file), statSync(file).size);
}

interface Publication {
  readonly crawl: CrawlId;
  readonly host: HostKey;
  readonly version: number;
}

class ItemFile {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #name: string;
  readonly #selectOfHost: StatementSync;
  readonly #selectAll: StatementSync;
  readonly #remove: StatementSync;
  readonly #load: StatementSync;
  readonly #save: StatementSync;
  readonly #flush = coalesced(() => this.#publishWanted());
  #descriptor: number | undefined;
  /** Length of the file, as saved. */
  #bytes = 0;
  #wanted: Publication[] = [];

  constructor(database: DatabaseSync, file: string, warn: (message: string) => void) {
    this.#database = database;
    this.#file = file;
    this.#name = basename(file);
    this.#selectOfHost = database.prepare(
      `SELECT rowid AS id, lines FROM staged_items
       WHERE crawl = ? AND host = ? AND version <= ? AND rowid > ? ORDER BY rowid LIMIT ${ROWS_READ}`,
    );
    this.#selectAll = database.prepare(
      `SELECT rowid AS id, lines FROM staged_items WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS_READ}`,
    );
    this.#remove = database.prepare('DELETE FROM staged_items WHERE rowid = ?');
    this.#load = database.prepare('SELECT bytes FROM item_files WHERE file = ?');
    this.#save = database.prepare('INSERT OR REPLACE INTO item_files (file, bytes) VALUES (?, ?)');
    this.#reportLoss(warn);
    this.#recover();
  }

  #reportLoss(warn: (message: string) => void): void {
    const saved = this.#savedBytes();
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size;
    if (saved > (size ?? 0))
      warn(
        `${this.#file} ${size === undefined ? 'is missing' : `has ${size} bytes`} and had ${saved}: items are lost. strand process makes them again from the archive`,
      );
  }

  #savedBytes(): number {
    return (this.#load.get(this.#name)?.bytes as number | undefined) ?? 0;
  }

  publish(crawl: CrawlId, host: HostKey, version: number): Promise<void> {
    this.#wanted.push({ crawl, host, version });
    return this.#flush();
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
      this.#descriptor = undefined;
    }
  }

  #recover(): void {
    this.#database.exec(`DELETE FROM staged_items WHERE NOT EXISTS (
      SELECT 1 FROM heads WHERE heads.crawl = staged_items.crawl AND heads.host = staged_items.host
      AND heads.version >= staged_items.version)`);
    if (existsSync(this.#file)) ftruncateSync(this.#opened(), this.#bytes);
    for (const rows of batches(paged((after) => this.#selectAll.all(after)))) {
      const length = this.#append(rows);
      fdatasyncSync(this.#opened());
      this.#settle(rows, length);
    }
  }

  async #publishWanted(): Promise<void> {
    const publications = this.#wanted;
    this.#wanted = [];
    for (const rows of batches(this.#committedRows(publications))) {
      const length = this.#append(rows);
      await syncData(this.#opened());
      this.#checkPlace();
      this.#settle(rows, length);
    }
  }

  *#committedRows(publications: readonly Publication[]): Generator<StagedRow> {
    for (const { crawl, host, version } of publications)
      yield* paged((after) => this.#selectOfHost.all(crawl, host, version, after));
  }

  /** Returns the file's new length. */
  #append(rows: readonly StagedRow[]): number {
    const descriptor = this.#opened();
    const bytes = this.#bytes;
    // The bytes of an earlier attempt that failed.
    ftruncateSync(descriptor, bytes);
    const text = Buffer.from(rows.map(({ lines }) => `${lines}\n`).join(''));
    for (let at = 0; at < text.length; ) at += writeSync(descriptor, text, at, text.length - at, bytes + at);
    return bytes + text.length;
  }

  /** Deletes the rows, which are durable in the file, and saves the file's length. */
  #settle(rows: readonly StagedRow[], length: number): void {
    inTransaction(this.#database, () => {
      for (const { id } of rows) this.#remove.run(id);
      this.#save.run(this.#name, length);
    });
    this.#bytes = length;
  }

  /** A file that was removed or replaced takes all that is written, and keeps none of it. */
  #checkPlace(): void {
    const found = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    const { dev, ino } = fstatSync(this.#opened(), { bigint: true });
    if (found?.dev === dev && found.ino === ino) return;
    throw new StorageFailed(
      `${this.#file} was removed or replaced while the crawl ran. Put back what was there; strand process makes the items again from the archive`,
    );
  }

  /** The file's descriptor. The file is created if it is not there. */
  #opened(): number {
    this.#descriptor ??= this.#open();
    return this.#descriptor;
  }

  #open(): number {
    const opened = openSync(this.#file, constants.O_RDWR | constants.O_CREAT | NO_FOLLOW, 0o666);
    this.#bytes = Math.min(this.#savedBytes(), fstatSync(opened).size);
    syncFolderOf(this.#file);
    return opened;
  }
}

function rowsOf(lines: readonly string[]): string[] {
  const rows: string[] = [];
  for (let from = 0; from < lines.length; ) {
    let chars = lines[from]!.length;
    let to = from + 1;
    while (to < lines.length && chars + lines[to]!.length < ROW_CHARS) chars += lines[to++]!.length + 1;
    rows.push(lines.slice(from, to).join('\n'));
    from = to;
  }
  return rows;
}

/**
 * Rows in the order of their ids, a few at a time; those read may be deleted before the next are requested.
 */
function* paged(read: (after: number) => unknown[]): Generator<StagedRow> {
  for (let after = 0; ; ) {
    const rows = read(after) as StagedRow[];
    yield* rows;
    if (rows.length < ROWS_READ) return;
    after = rows.at(-1)!.id;
  }
}

function* batches(rows: Iterable<StagedRow>): Generator<StagedRow[]> {
  let batch: StagedRow[] = [];
  let chars = 0;
  for (const row of rows) {
    batch.push(row);
    chars += row.lines.length;
    if (chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Makes the file's name durable, where the system lets folders be synced. */
function syncFolderOf(file: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

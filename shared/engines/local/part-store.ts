/** The parts of ledgers: small ones in rows of SQLite, larger ones in files with a row that names them. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { createLimit } from '../../core/base/create-limit.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { isPartName, partName } from '../../core/text/stored-names.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import { LostPart } from '../../crawler/ports/lost-part.ts';
import { syncFolder } from './archive/archive-names.ts';
import { inTransaction } from './database.ts';
import { NO_FOLLOW } from './folder-guard.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC } = constants;

/** Larger parts are files: SQLite would copy them through its journal, and read them whole for a piece. */
const MAX_ROW_BYTES = 64 * 1024;
/** Files open at once: hundreds of hosts may want theirs in one moment, and descriptors are few. */
const MAX_OPEN_FILES = 4;

/** The methods of the ledger store that are about parts. */
export class PartStore {
  readonly #database: DatabaseSync;
  readonly #folder: string | undefined;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #delete: StatementSync;
  readonly #selectNames: StatementSync;
  readonly #withFile = createLimit(MAX_OPEN_FILES);

  /** Without a folder all parts are in rows. */
  constructor(database: DatabaseSync, folder: string | undefined) {
    this.#database = database;
    this.#folder = folder;
    this.#insert = database.prepare(
      'INSERT OR REPLACE INTO parts (crawl, host, name, bytes, file) VALUES (?, ?, ?, ?, ?)',
    );
    this.#select = database.prepare(
      'SELECT bytes, file FROM parts WHERE crawl = ? AND host = ? AND name = ?',
    );
    this.#delete = database.prepare(
      'DELETE FROM parts WHERE crawl = ? AND host = ? AND name = ? RETURNING file',
    );
    this.#selectNames = database.prepare('SELECT name FROM parts WHERE crawl = ? AND host = ?');
  }

  async putPart(...[crawl, host, name, bytes]: Parameters<LedgerStore['putPart']>): Promise<void> {
    if (this.#folder === undefined || bytes.length <= MAX_ROW_BYTES) {
      this.#insert.run(crawl, host, name, bytes, null);
      return;
    }
    const file = fileOf(crawl, host, name);
    await this.#withFile(() => writeDurably(this.#pathOf(file), bytes));
    this.#insert.run(crawl, host, name, null, file);
  }

  async readPart(
    ...[crawl, host, name, offset = 0, length]: Parameters<LedgerStore['readPart']>
  ): Promise<Uint8Array> {
    const row = this.#select.get(crawl, host, name) as { bytes?: Uint8Array; file?: string } | undefined;
    if (!row) throw new LostPart(host, name);
    if (row.bytes) return row.bytes.subarray(offset, length === undefined ? undefined : offset + length);
    const path = this.#pathOf(fileOf(crawl, host, name));
    try {
      return await this.#withFile(() =>
        length === undefined && offset === 0
          ? readFile(path, { flag: O_RDONLY | NO_FOLLOW })
          : readRange(path, offset, length),
      );
    } catch (error) {
      // With its cause: a crawl stops when a file of its folder is gone, so that it can be put back.
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new LostPart(host, name, error) : error;
    }
  }

  async listParts(crawl: CrawlId, host: HostKey): Promise<string[]> {
    return this.#selectNames.all(crawl, host).map((row) => row.name as string);
  }

  async deleteParts(crawl: CrawlId, host: HostKey, names: readonly string[]): Promise<void> {
    const rows = inTransaction(this.#database, () =>
      names.map((name) => ({ name, row: this.#delete.get(crawl, host, name) })),
    );
    const files = rows.flatMap(({ name, row }) =>
      row?.file && isPartName(name) ? fileOf(crawl, host, name) : [],
    );
    // Commits are synced by checkpoints alone: a head that still names a file must not be found after a
    // loss of power when the file is gone. A checkpoint could be refused, as another thread is at it; a
    // sync cannot.
    if (files.length > 0) await this.#withFile(() => syncFile(`${this.#database.location()}-wal`));
    for (const file of files) await rm(this.#pathOf(file), { force: true });
  }

  /** A row names a file only where there is a folder. */
  #pathOf(file: string): string {
    return join(this.#folder ?? '', file);
  }
}

/**
 * The file of a large part. Its path is made of the part's name each time: a path in the database is not used, as
 * somebody else may have written it.
 */
const fileOf = (crawl: CrawlId, host: HostKey, name: string): string =>
  join(hashOf(`${crawl} ${host}`), partName(name));

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** `path`: in a host's folder in the folder of all ledgers. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const ledgers = dirname(folder);
  await mkdir(folder, { recursive: true });
  // Also where the folders were there: a process that died may have made them and synced nothing. Without
  // changes it is quick.
  await syncFolder(dirname(ledgers));
  await syncFolder(ledgers);
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | NO_FOLLOW);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await syncFolder(folder);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function readRange(path: string, offset: number, length: number | undefined): Promise<Uint8Array> {
  const file = await open(path, O_RDONLY | NO_FOLLOW);
  try {
    const wanted = length ?? (await file.stat()).size - offset;
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

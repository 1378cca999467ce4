import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId, Engine, LedgerStore } from '../../ports.ts';
import { type FileArchiveJournal, openFileArchive } from './archive.ts';
import { systemClock } from './clock.ts';
import { openDatabase } from './database.ts';
import { createLedgerStore } from './ledger-store.ts';
import { createLinkExchange } from './link-exchange.ts';
import { isFolderInUse, lockFolder } from './lock.ts';
import { createRegistry, type LocalCrawlRegistry } from './registry.ts';
import { createTurnQueue } from './turn-queue.ts';

/** What a crawl's folder holds. */
export const foldersOf = (folder: string) => ({
  database: join(folder, 'crawl.sqlite'),
  /** Large parts of ledgers. */
  ledgers: join(folder, 'ledgers'),
  /** WARC files. */
  archive: join(folder, 'archive'),
  /** Bodies too large for memory, while they are handled. */
  temporary: join(folder, 'tmp'),
});

export interface LocalEngine extends Engine {
  readonly registry: LocalCrawlRegistry;
  /** Flushes and closes everything; the folder is free again. */
  close(): Promise<void>;
}

export interface LocalEngineOptions {
  readonly warcMaxBytes: number;
  /** WARC files are called `PREFIX-DATE-NUMBER.warc.gz`. */
  readonly warcPrefix: string;
  readonly warcinfo: (filename: string) => readonly Uint8Array[];
  /** Hears of what was mended, for people. */
  readonly warn?: (message: string) => void;
}

/** The engine of one machine: everything in one folder, for one process. Throws `FolderInUse`. */
export async function openLocalEngine(folder: string, options: LocalEngineOptions): Promise<LocalEngine> {
  mkdirSync(folder, { recursive: true });
  const lock = lockFolder(folder);
  const paths = foldersOf(folder);
  mkdirSync(paths.temporary, { recursive: true });
  const database = openDatabase(paths.database, 'write');
  const queue = createTurnQueue(database, systemClock);
  const exchange = createLinkExchange(database);
  const registry = createRegistry(database, () => !queue.isEmpty() || !exchange.isEmpty());
  const ledgers = createLedgerStore(database, paths.ledgers, registry.onCommit);
  const archive = await openFileArchive({
    folder: paths.archive,
    prefix: options.warcPrefix,
    maxBytes: options.warcMaxBytes,
    warcinfo: options.warcinfo,
    clock: systemClock,
    journal: createJournal(database),
    warn: options.warn,
  });
  return {
    queue,
    exchange,
    registry,
    ledgers,
    archiveOf: () => archive,
    clock: systemClock,
    async close() {
      queue.close();
      await archive.close();
      database.close();
      lock.release();
    },
  };
}

/** What may be asked of a folder while another process crawls. */
export interface LocalReader {
  readonly ledgers: LedgerStore;
  readonly registry: LocalCrawlRegistry;
  crawl(): CrawlId | undefined;
  /** Whether a process crawls into the folder just now. */
  isInUse(): boolean;
  close(): void;
}

/** Opens a crawl's folder for reading, or undefined if there is no crawl in it. */
export function openLocalReader(folder: string): LocalReader | undefined {
  const paths = foldersOf(folder);
  if (!existsSync(paths.database)) return undefined;
  const database = openDatabase(paths.database, 'read');
  const registry = createRegistry(database, () => true);
  return {
    ledgers: createLedgerStore(database, paths.ledgers),
    registry,
    crawl: () => registry.list()[0],
    isInUse: () => isFolderInUse(folder),
    close: () => database.close(),
  };
}

/** How many bytes of each open WARC file are good, beside the heads that name their records. */
function createJournal(database: DatabaseSync): FileArchiveJournal {
  const save = database.prepare('INSERT OR REPLACE INTO warc_files (file, bytes) VALUES (?, ?)');
  const close = database.prepare('DELETE FROM warc_files WHERE file = ?');
  return {
    load: () =>
      database.prepare('SELECT file, bytes FROM warc_files').all() as { file: string; bytes: number }[],
    save: (file, bytes) => save.run(file, bytes),
    close: (file) => close.run(file),
  };
}

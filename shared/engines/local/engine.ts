import { existsSync, mkdirSync } from 'node:fs';
import type { CrawlId, LedgerStore } from '../../ports.ts';
import { mendFileArchive } from './archive.ts';
import { openDatabase } from './database.ts';
import { foldersOf } from './folders.ts';
import { createItemStore, ITEMS_SCHEMA } from './item-store.ts';
import { createLedgerStore } from './ledger-store.ts';
import { isFolderInUse, lockFolder } from './lock.ts';
import { type LocalPorts, type LocalPortsOptions, openLocalPorts } from './open-ports.ts';
import { PAYLOADS_SCHEMA } from './payload-index.ts';
import { createRegistry, type LocalCrawlRegistry } from './registry.ts';
import { SKIPS_SCHEMA } from './skip-log.ts';
import { createWarcJournal } from './warc-journal.ts';

export { foldersOf } from './folders.ts';

export type LocalEngine = LocalPorts;

export type LocalEngineOptions = Omit<LocalPortsOptions, 'items' | 'onParcel'>;

/** The engine of one machine: everything in one folder, for one process. Throws `FolderInUse`. */
export async function openLocalEngine(folder: string, options: LocalEngineOptions): Promise<LocalEngine> {
  mkdirSync(folder, { recursive: true });
  const lock = lockFolder(folder);
  const paths = foldersOf(folder);
  try {
    mkdirSync(paths.temporary, { recursive: true });
    const database = openDatabase(paths.database, 'write');
    for (const schema of [PAYLOADS_SCHEMA, SKIPS_SCHEMA, ITEMS_SCHEMA]) database.exec(schema);
    await mendFileArchive({
      folder: paths.archive,
      indexFolder: paths.indexes,
      prefix: options.warcPrefix,
      journal: createWarcJournal(database),
      warn: options.warn,
    });
    const items = createItemStore(database, paths.items);
    const ports = await openLocalPorts(database, paths, { ...options, items });
    return {
      ...ports,
      async close() {
        await items.close();
        await ports.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
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

import { mkdirSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { RecordLocation } from '../../core/archive/record-location.ts';
import { orStorageFailed, withStorageFailures } from '../../core/base/storage-failed.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Link } from '../../core/frontier/message.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import type { Skip } from '../../crawler/ports/skip-log.ts';
import type { ControlEngine } from '../../services/control/control-engine.ts';
import { repairFileArchive } from './archive/archive.ts';
import { type JoinedFiles, loadJoinedFiles, locateIn } from './archive/joined-files.ts';
import { createWarcJournal } from './archive/warc-journal.ts';
import { closeAll } from './close-all.ts';
import { holdsCrawl, openDatabase } from './database.ts';
import { refuseLinks } from './folder-guard.ts';
import { type FolderHold, holdFolder } from './folder-hold.ts';
import { foldersOf } from './folders.ts';
import { createHostPages } from './host-page.ts';
import {
  CHANGES_SCHEMA,
  type ChangeOutbox,
  dropUncommitted,
  openChangeOutbox,
} from './items/change-outbox.ts';
import { countLateHookFailures, HOOK_ERRORS_SCHEMA, readHookErrors } from './items/hook-errors.ts';
import { createItemStore, ITEMS_SCHEMA } from './items/item-store.ts';
import { payloadFilterMemory } from './items/payload-filter.ts';
import { hasPayloads, PAYLOADS_SCHEMA } from './items/payload-index.ts';
import { readSkips, SKIPS_SCHEMA, skipsBeyond } from './items/skip-log.ts';
import { createLedgerStore } from './ledger-store.ts';
import { isFolderInUse, lockFolder } from './lock.ts';
import { makeFolder } from './make-folder.ts';
import { type LocalPorts, type LocalPortsOptions, openLocalPorts } from './open-ports.ts';
import { createRegistry, type LocalCrawlRegistry } from './registry.ts';
import { removeUnnamedParts } from './unnamed-parts.ts';
import { createSeedCount, findSeed, waitingSeeds } from './waiting-seeds.ts';

export { foldersOf } from './folders.ts';

export interface LocalEngine extends LocalPorts {
  /** The process's hold on the folder, to be kept while it crawls. */
  readonly hold: FolderHold;
  readonly outbox: ChangeOutbox;
  /** For the threads of this process; absent in a crawl that had payloads before. */
  readonly payloadFilter: Int32Array | undefined;
}

export type LocalEngineOptions = Omit<
  LocalPortsOptions,
  'deadForMs' | 'items' | 'onParcel' | 'payloadFilter'
>;

/**
 * The engine of one machine: everything in one folder, for one process. Throws `FolderInUse` and
 * `StorageFailed`.
 */
export async function openLocalEngine(folder: string, options: LocalEngineOptions): Promise<LocalEngine> {
  makeFolder(folder);
  return orStorageFailed(folder, () => openEngine(folder, options));
}

async function openEngine(folder: string, options: LocalEngineOptions): Promise<LocalEngine> {
  refuseLinks(folder, { isWritten: true });
  const lock = lockFolder(folder);
  const paths = foldersOf(folder);
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(paths.temporary, { recursive: true });
    mkdirSync(paths.archive, { recursive: true });
    database = openDatabase(paths.database, 'write');
    const hold = await holdFolder(folder, database, lock);
    for (const schema of [PAYLOADS_SCHEMA, SKIPS_SCHEMA, ITEMS_SCHEMA, CHANGES_SCHEMA, HOOK_ERRORS_SCHEMA])
      database.exec(schema);
    dropUncommitted(database);
    await repairFileArchive({
      folder: paths.archive,
      indexFolder: paths.indexes,
      prefix: options.warcPrefix,
      journal: createWarcJournal(database),
      warn: options.warn,
    });
    const removeUnnamed = removeUnnamedParts.bind(undefined, database, paths.ledgers);
    await removeUnnamed();
    const items = withStorageFailures(createItemStore(database, paths.items, options.warn), paths.items);
    const { deadForMs } = hold;
    const payloadFilter = hasPayloads(database) ? undefined : payloadFilterMemory();
    const ports = await openLocalPorts(database, paths, { ...options, deadForMs, items, payloadFilter });
    return {
      ...ports,
      hold,
      payloadFilter,
      outbox: openChangeOutbox(database),
      // A thread may have died before it named a part. Opening the folder again removes such parts.
      close: () =>
        closeAll([
          () => removeUnnamed().catch(() => {}),
          items.close,
          hold.release,
          ports.close,
          lock.release,
        ]),
    };
  } catch (error) {
    if (database?.isOpen) database.close();
    lock.release();
    throw error;
  }
}

/** Queries to a folder that are allowed while another process crawls. */
export interface LocalReader {
  readonly ledgers: ControlEngine['ledgers'];
  readonly registry: LocalCrawlRegistry;
  /** Where records stand, of which some may be in files that were joined. */
  locateAll(crawl: CrawlId, locations: readonly RecordLocation[]): Promise<readonly RecordLocation[]>;
  crawl(): CrawlId | undefined;
  /** A seed on its way to its host that is known by one of these URLs of the host: no ledger has it yet. */
  findSeed(host: HostKey, urls: readonly string[]): Link | undefined;
  /** All seeds on their way to their hosts; ledgers may know some of them already. */
  waitingSeeds(): readonly Link[];
  /** The links that were left out, and how many more there were. */
  skips(crawl: CrawlId): Iterable<Skip>;
  skipsBeyond(crawl: CrawlId): number;
  /** Returns the first errors of the project's hooks. */
  hookErrors(crawl: CrawlId): readonly HookError[];
  /** Pages whose hooks failed after their calls had ended. */
  lateHookFailures(crawl: CrawlId): number;
  /** Whether a process crawls into the folder just now. */
  isInUse(): boolean;
  close(): void;
}

/** Opens a crawl's folder for reading; undefined if the folder has no crawl. */
export function openLocalReader(folder: string): LocalReader | undefined {
  const paths = foldersOf(folder);
  refuseLinks(folder);
  if (!holdsCrawl(paths.database)) return undefined;
  const database = openDatabase(paths.database, 'read');
  const registry = withStorageFailures(
    createRegistry(database, () => true, createSeedCount(database, { withOpenTurns: true })),
    paths.database,
  );
  let joined: JoinedFiles | undefined;
  return {
    ledgers: withStorageFailures(
      { ...createLedgerStore(database, paths.ledgers), hostPage: createHostPages(database) },
      paths.database,
    ),
    registry,
    async locateAll(_crawl, locations) {
      joined ??= orStorageFailed(paths.database, () => loadJoinedFiles(database));
      const { size } = joined;
      return size === 0 ? locations : locations.map((location) => locateIn(joined!, location));
    },
    crawl: () => registry.list()[0],
    findSeed: (host, urls) => orStorageFailed(paths.database, () => findSeed(database, host, urls)),
    waitingSeeds: () => orStorageFailed(paths.database, () => [...waitingSeeds(database)]),
    skips: (crawl) => readSkips(database, crawl),
    skipsBeyond: (crawl) => skipsBeyond(database, crawl),
    hookErrors: (crawl) => readHookErrors(database, crawl),
    lateHookFailures: (crawl) => countLateHookFailures(database, crawl),
    isInUse: () => isFolderInUse(folder),
    close: () => database.close(),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { removedHeaders } from '../../core/access/removed-headers.ts';
import { recordId } from '../../core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../core/archive/warcinfo.ts';
import { withStorageFailures } from '../../core/base/storage-failed.ts';
import { type CrawlConfig, isRecrawling } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Engine } from '../../crawler/ports/engine.ts';
import type { ItemStore } from '../../crawler/ports/item-store.ts';
import type { JarStore } from '../../crawler/ports/jar-store.ts';
import { type SteadyClock, steadyClock } from '../steady-clock.ts';
import { openFileArchive } from './archive/archive.ts';
import { warcFilePattern } from './archive/archive-names.ts';
import { createWarcJournal } from './archive/warc-journal.ts';
import { closeAll } from './close-all.ts';
import type { Folders } from './folders.ts';
import { createChangeStage } from './items/change-outbox.ts';
import { createHookErrorLog } from './items/hook-errors.ts';
import { createPayloadFilter } from './items/payload-filter.ts';
import { createPayloadIndex } from './items/payload-index.ts';
import { createSkipLog } from './items/skip-log.ts';
import { createJarStore } from './jar-store.ts';
import { createKeepBack, keptBackText } from './keep-back.ts';
import { createLedgerStore } from './ledger-store.ts';
import { createLinkExchange, type LocalLinkExchange } from './link-exchange.ts';
import { createRegistry, type LocalCrawlRegistry } from './registry.ts';
import { createTurnQueue, type LocalTurnQueue, type TurnQueueOptions } from './turn-queue.ts';
import { createSeedCount } from './waiting-seeds.ts';

/** The ports of one thread, over its own connection to the database. */
export interface LocalPorts extends Engine {
  readonly jars: JarStore;
  readonly queue: LocalTurnQueue;
  readonly exchange: LocalLinkExchange;
  readonly registry: LocalCrawlRegistry;
  readonly database: DatabaseSync;
  readonly clock: SteadyClock;
  /** Flushes and closes everything. */
  close(): Promise<void>;
}

export interface LocalPortsOptions {
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  /** Name and version of the program, for the WARC files. */
  readonly software: string;
  /** WARC files are called `PREFIX-DATE-NUMBER.warc.gz`. A single thread at a time may have the prefix. */
  readonly warcPrefix: string;
  /** The database of an earlier crawl, whose payloads are found, too. Closed with the rest. */
  readonly earlier?: DatabaseSync;
  /** Knows the payloads of all threads that write to the database (`items/payload-filter.ts`). */
  readonly payloadFilter?: Int32Array | undefined;
  readonly items?: ItemStore;
  /** The project has a webhook for the visits of sites. */
  readonly takesSites?: boolean | undefined;
  /** The project has accounts at sites, or may give cookies to hosts. */
  readonly keepsCookies?: boolean | undefined;
  /** The file of the key by which cookies are kept from others who have the folder. */
  readonly keyFile?: string | undefined;
  /** Which hosts are served here, if not all. */
  readonly turns?: Pick<TurnQueueOptions, 'serves' | 'onOthers'>;
  /** For how long the process has been dead that had hosts before, if that is what left them; in ms. */
  readonly deadForMs?: number | undefined;
  /** Called for parcels that were sent here. */
  readonly onParcel?: () => void;
  /** Called with a description of each repair, for people. */
  readonly warn?: (message: string) => void;
}

/**
 * `database`: open for writing, with its tables. Closed with the rest, also where this throws. All ports fail
 * with `StorageFailed` where the disk or the database does.
 */
export async function openLocalPorts(
  database: DatabaseSync,
  paths: Folders,
  options: LocalPortsOptions,
): Promise<LocalPorts> {
  const { crawl, config, earlier, payloadFilter, warcPrefix, deadForMs = 0, takesSites, warn } = options;
  try {
    const fileArchive = await openFileArchive({
      folder: paths.archive,
      indexFolder: paths.indexes,
      prefix: warcPrefix,
      maxBytes: config.warcMaxBytes,
      keepsPlaces: isRecrawling(config),
      warcinfo: (filename) => warcinfoOf(filename, options),
      clock: steadyClock,
      // A thread that replaces a dead one repairs its files; the others' files are not its own.
      journal: createWarcJournal(database, warcFilePattern(warcPrefix)),
      warn,
    });
    const archive = withStorageFailures(fileArchive, paths.archive);
    const guard = <T extends object>(port: T): T => withStorageFailures(port, paths.database);
    const queue = guard(
      createTurnQueue(database, steadyClock, {
        ...options.turns,
        keepBackMs: createKeepBack(database, crawl, config, deadForMs),
        onKeptBack: (hosts, ms) => warn?.(keptBackText(hosts, ms)),
      }),
    );
    const exchange = guard(createLinkExchange(database, options.onParcel));
    // Messages first: a message is deleted after the parcels of its turn are there.
    const registry = guard(
      createRegistry(
        database,
        (requisitesOnly) =>
          (requisitesOnly ? queue.mayBringRequisites() : !queue.isEmpty()) || !exchange.isEmpty(),
        createSeedCount(database, { withOpenTurns: false }),
      ),
    );
    const skips = createSkipLog(database);
    const hookErrors = createHookErrorLog(database, steadyClock);
    return {
      queue,
      exchange,
      registry,
      ledgers: guard(createLedgerStore(database, paths.ledgers, registry.onCommit)),
      archiveOf: () => archive,
      clock: steadyClock,
      payloads: config.revisits
        ? guard(createPayloadIndex(database, earlier, payloadFilter && createPayloadFilter(payloadFilter)))
        : undefined,
      skips,
      items: options.items,
      changes: config.changeFeed || takesSites ? guard(createChangeStage(database)) : undefined,
      hookErrors,
      jars: guard(createJarStore(database, options.keyFile)),
      database,
      close: () =>
        closeAll([
          ...[queue.close, archive.close, skips.close, hookErrors.close],
          ...[() => earlier?.close(), () => database.close()],
        ]),
    };
  } catch (error) {
    earlier?.close();
    database.close();
    throw error;
  }
}

const warcinfoOf = (filename: string, { crawl, config, software, keepsCookies }: LocalPortsOptions) =>
  encodeWarcinfo({
    id: recordId(steadyClock.uuid()),
    filename,
    date: steadyClock.now(),
    software,
    crawl,
    userAgent: config.userAgent,
    operator: config.contact,
    robots: config.robots,
    description: removedHeaders(config, keepsCookies),
  });

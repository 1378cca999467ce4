import { StorageFailed, withStorageFailures } from '../../../core/base/storage-failed.ts';
import type { Tally } from '../../../crawler/crawl-state/tally.ts';
import type { ItemStore } from '../../../crawler/ports/item-store.ts';
import { openDatabase } from '../database.ts';
import { openEarlier } from '../earlier.ts';
import { foldersOf } from '../folders.ts';
import { createItemStage } from '../items/item-store.ts';
import { type LocalPorts, openLocalPorts } from '../open-ports.ts';
import { NO_SUMS } from '../sums.ts';
import { createBlockOf } from './host-blocks.ts';
import { createInFlightTable, type InFlightTable } from './in-flight-table.ts';
import { notingQueue } from './noting.ts';
import { createSharedTally } from './shared-tally.ts';
import { sharingRegistry } from './sharing-registry.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts';

export interface ThreadEngine extends LocalPorts {
  readonly inFlight: InFlightTable;
  /** Counts pages and bytes together with the other threads. */
  readonly tally: Tally;
  /** Handles a message of the main thread about hosts or items. */
  onMessage(message: Extract<ToThread, { kind: 'hosts' | 'published' }>): void;
}

/**
 * The engine of one thread of several: its own connection to the crawl's database, its own WARC files, the
 * hosts of its block. Its registry's sums and totals are of what it has done itself, but for pages and bytes,
 * which all count together.
 */
export async function openThreadEngine(
  start: ThreadStart,
  post: (message: FromThread) => void,
): Promise<ThreadEngine> {
  const { crawl, config, software, block, blocks, dedupeFrom, keyFile } = start;
  const blockOf = createBlockOf(start.hostBlocks, blocks);
  const paths = foldersOf(start.folder);
  const database = openDatabase(paths.database, 'join');
  const publications = createPublications(post);
  const ports = await openLocalPorts(database, paths, {
    crawl,
    config,
    software,
    warcPrefix: `strand-${block + 1}`,
    keyFile,
    deadForMs: start.deadForMs,
    takesSites: start.takesSites,
    keepsCookies: start.keepsCookies,
    payloadFilter: start.payloadFilter,
    earlier: dedupeFrom === undefined ? undefined : openEarlier(dedupeFrom),
    items: withStorageFailures(
      { ...createItemStage(database), publish: publications.publish },
      paths.database,
    ),
    turns: {
      serves: (host) => blockOf(host) === block,
      onOthers: (hosts) => post({ kind: 'hosts', hosts }),
    },
    onParcel: () => post({ kind: 'parcel' }),
    warn: (message) => post({ kind: 'warning', message }),
  });
  ports.registry.followSums(crawl, () => NO_SUMS);
  const inFlight = createInFlightTable(start.inFlight);
  const tally = createSharedTally(start.tally, block);
  return {
    ...ports,
    inFlight,
    tally,
    queue: notingQueue(ports.queue, inFlight),
    registry: sharingRegistry(ports.registry, () => {
      Atomics.add(start.changes, 0, 1);
      post({ kind: 'changed' });
    }),
    onMessage(message) {
      if (message.kind === 'hosts') ports.queue.notice(message.hosts);
      else publications.settle(message);
    },
  };
}

/** Items are published by the main thread, the one writer of their file. */
function createPublications(post: (message: FromThread) => void) {
  const open = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let lastId = 0;
  const publish: ItemStore['publish'] = (crawl, host, version) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = ++lastId;
    open.set(id, { resolve, reject });
    post({ kind: 'publish', id, crawl, host, version });
    return promise;
  };
  return {
    publish,
    settle({ id, error, isStorage }: Extract<ToThread, { kind: 'published' }>): void {
      const publication = open.get(id);
      open.delete(id);
      if (error === undefined) publication?.resolve();
      else publication?.reject(new (isStorage ? StorageFailed : Error)(error));
    },
  };
}

/** The engine of a session that fetches single pages and keeps nothing: no file is made. */
import type { Head } from '../../../core/frontier/head.ts';
import { EMPTY_INDEX } from '../../../core/frontier/ledger-index.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import type { Engine } from '../../../crawler/ports/engine.ts';
import { steadyClock } from '../../steady-clock.ts';
import { openMemoryDatabase } from '../database.ts';
import { createLedgerStore } from '../ledger-store.ts';
import { createLinkExchange } from '../link-exchange.ts';
import { createRegistry } from '../registry.ts';
import { createTurnQueue } from '../turn-queue.ts';

export interface MemoryEngine extends Engine {
  close(): void;
}

/**
 * The ports of the local engine over tables in memory. What is archived is dropped. A host is remembered by its pace, its
 * robots.txt and its failures; its URLs are forgotten when none waits, or when it is given up, so that each may be fetched
 * again. `onCommit`: called after each commit with the head that the turn has made.
 */
export function openMemoryEngine(onCommit: (host: HostKey, head: Head) => void): MemoryEngine {
  const database = openMemoryDatabase();
  const queue = createTurnQueue(database, steadyClock);
  const exchange = createLinkExchange(database);
  const registry = createRegistry(database, () => !queue.isEmpty() || !exchange.isEmpty());
  const ledgers = createLedgerStore(database, undefined, registry.onCommit);
  return {
    queue,
    exchange,
    registry,
    ledgers: {
      ...ledgers,
      async commit(crawl, host, next) {
        const kept = withoutUrls(next);
        await ledgers.commit(crawl, host, kept);
        if (kept.ledger === EMPTY_INDEX) {
          const named = new Set(kept.robots.map(({ part }) => part));
          const parts = await ledgers.listParts(crawl, host);
          await ledgers.deleteParts(
            crawl,
            host,
            parts.filter((part) => !named.has(part)),
          );
        }
        onCommit(host, next);
      },
    },
    archiveOf: () => NO_ARCHIVE,
    clock: steadyClock,
    close() {
      queue.close();
      database.close();
    },
  };
}

function withoutUrls(head: Head): Head {
  const { setAside, ...rest } = head;
  const isOver = head.ledger.counts.waiting === 0 || setAside !== undefined;
  return isOver ? { ...rest, ledger: EMPTY_INDEX } : head;
}

const NO_ARCHIVE: Archive = {
  append: async (members) => members.map(() => ({ file: '', offset: 0, length: 0 })),
  flush: async () => {},
};

/** A crawl's folder as a {@link CrawlPlace}. */
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { openStateFile } from '../../shared/engines/local/items/state-store.ts';
import { createJarStore } from '../../shared/engines/local/jar-store.ts';
import { ownKeyFile } from '../../shared/engines/local/own-folder.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { createQueries } from '../../shared/services/control/crawl-queries.ts';
import type { CrawlPlace } from '../crawl-place.ts';
import { archiveOf } from './crawl-archive.ts';
import { type OpenedFolder, stateOf } from './open-folder.ts';
import { pauseFolder, stopFolder } from './operate.ts';
import { goodItemBytes, storedItems } from './stored-items.ts';
import { summarize } from './summarize.ts';

export function folderPlace(folder: string, { reader, crawl, record }: OpenedFolder): CrawlPlace {
  const files = foldersOf(folder);
  const archive = archiveOf(folder);
  return {
    ...{ crawl, record, archive, files },
    rows: reader,
    registry: reader.registry,
    clock: systemClock,
    queries: createQueries({
      ...reader,
      clock: systemClock,
      locate: async (id, location) => (await reader.locateAll(id, [location]))[0]!,
    }),
    skips: {
      async *read() {
        yield* reader.skips(crawl);
      },
      beyond: () => reader.skipsBeyond(crawl),
    },
    summary: () => summarize(folder),
    stateOf: (now) => stateOf({ reader, record: now }),
    openItems() {
      const bytes = goodItemBytes(folder);
      return () => storedItems(folder, bytes);
    },
    async hookState() {
      const store = openStateFile(files.state);
      try {
        return store.entries();
      } finally {
        store.close();
      }
    },
    openJars() {
      const database = openDatabase(files.database, 'join');
      return { jars: createJarStore(database, ownKeyFile(process.env)), close: () => database.close() };
    },
    openFiles: async () => (await import('./folder-files.ts')).openFolderFiles(folder, reader, crawl),
    pause: () => pauseFolder(folder, systemClock),
    stop: () => stopFolder(folder, systemClock),
    async close() {
      reader.close();
      await archive.close();
    },
  };
}

/** A crawl of a stack as a {@link CrawlPlace}. */
import { openRecord } from '../../shared/core/archive/read-member.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { CrawlRecord } from '../../shared/crawler/ports/crawl-registry.ts';
import { itemsPrefix, skipsPrefix } from '../../shared/engines/aws/archive/item-folders.ts';
import type { StackArchive } from '../../shared/engines/aws/archive/stack-archive.ts';
import { stackItems, storedLinesBehind } from '../../shared/engines/aws/archive/stack-items.ts';
import { payloadsOf } from '../../shared/engines/aws/archive/stack-payloads.ts';
import type { CrawlPlace, PlaceArchive } from '../crawl-place.ts';
import { cacheFiles } from './cache-folder.ts';
import type { StackConnection } from './connect-stack.ts';
import { stackSkips } from './stack-skips.ts';

/** `close` closes the connection. */
export function stackPlace(connection: StackConnection, crawl: CrawlId, record: CrawlRecord): CrawlPlace {
  const { stack, control, rows, clock, explained, close } = connection;
  const archive = connection.archiveOf(crawl);
  const { engine, bucketOf } = connection.copies;
  const stored = bucketOf(crawl);
  let beyond = 0;
  return {
    ...{ crawl, record, rows, clock, close },
    archive: archiveIn(archive, crawl),
    registry: engine.registry,
    queries: control,
    files: cacheFiles(stack, crawl),
    skips: {
      read() {
        beyond = 0;
        return stackSkips(stored, (links) => {
          beyond += links;
        });
      },
      beyond: () => beyond,
    },
    summary: () => control.status(crawl),
    stateOf: ({ status }) => status,
    openItems: () => () => stackItems(stored),
    hookState: async () => (await stored.run(() => engine.state.readNow(crawl))).entries(),
    openJars: () => ({ jars: engine.jars, close: () => {} }),
    openFiles: async () => ({
      archive,
      items: (after) => storedLinesBehind(stored, itemsPrefix(crawl), after),
      skips: (after) => storedLinesBehind(stored, skipsPrefix(crawl), after),
      close: async () => {},
    }),
    pause: () => control.pause(crawl),
    stop: () => control.stop(crawl),
    explain: explained,
  };
}

const archiveIn = (archive: StackArchive, crawl: CrawlId): PlaceArchive => ({
  ...payloadsOf(archive, crawl),
  cdxj: archive.cdxj,
  capturesOf: archive.capturesOf,
  async openRecord({ file, offset }) {
    const { location, read } = await archive.open({ file, offset, length: 1 });
    return openRecord(read, location.offset);
  },
  sizes: async () => (await archive.list()).warcs.map(({ name, bytes }) => [name, bytes]),
});

import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Referrers } from '../../../services/control/referrers.ts';
import { REFERRED, REFERRERS } from '../state/tables.ts';
import { itemKey } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, putItem, type Table } from '../table/table.ts';

/**
 * {@link Referrers} as items of CrawlState, two for each two crawls: one is found by the crawl that is referred to, the other
 * by the one that refers. They outlive both crawls' state: an archive refers to another one until it is deleted.
 */
export function createReferrers(table: Table): Referrers {
  /** The crawls that stand after that one in the partition. */
  async function* secondsOf(partition: string, crawl: CrawlId): AsyncGenerator<CrawlId> {
    for await (const { sk } of queryItems(table, { partition, prefix: `${crawl} ` }))
      yield (sk?.S ?? '').split(' ')[1] ?? '';
  }

  const keyOf = (partition: string, first: CrawlId, second: CrawlId) =>
    itemKey(partition, `${first} ${second}`);

  return {
    async add(by, crawls) {
      for (const crawl of crawls) {
        // First the one that `remove` finds: a process that dies after it leaves nothing that stays for ever.
        await putItem(table, keyOf(REFERRED, by, crawl));
        await putItem(table, keyOf(REFERRERS, crawl, by));
      }
    },
    async of(crawl) {
      const found: CrawlId[] = [];
      for await (const by of secondsOf(REFERRERS, crawl)) found.push(by);
      return found;
    },
    async remove(by) {
      for await (const crawl of secondsOf(REFERRED, by)) {
        await deleteItem(table, keyOf(REFERRERS, crawl, by));
        await deleteItem(table, keyOf(REFERRED, by, crawl));
      }
    },
  };
}

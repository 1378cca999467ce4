/**
 * Deletes crawls of a stack. Workers, the router and the compactor may still hold a part of a crawl when an operator
 * asks for its deletion, and could write after it. So a deletion has steps, and each may be the last of a process:
 *
 * 1. The deletion is noted (`#deleted`): from now on no message begins the crawl again.
 * 2. The crawl is stopped finally. Workers hear that within 2 s, and drop what comes later. Its time is noted.
 * 3. When every invocation of that time has ended, the data is deleted, the crawl's record last.
 * 4. That is noted. 15 days later, when no message can be left, the note expires and the name is free.
 */
import type { Deletion } from '../../../control/deletion.ts';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import { type BeginContext, isStopped, SETTLE_MS } from './begin-deletion.ts';
import { type DeleteContext, type DeleteDataOptions, deleteCrawlData } from './delete-data.ts';
import { loadDeletion, noteDeleted, pendingDeletions } from './deletions.ts';

export interface CrawlDeletions {
  /** The crawls whose deletion is not complete. */
  pending(): Promise<readonly CrawlId[]>;
  /** Does what can be done now. Returns the deletion after it; undefined if there is none. */
  proceed(crawl: CrawlId, options?: Omit<DeleteDataOptions, 'archive'>): Promise<Deletion | undefined>;
}

export function createCrawlDeletions(given: DeleteContext & Pick<BeginContext, 'registry'>): CrawlDeletions {
  const context = { ...given, table: given.names.crawlState };
  return {
    pending: () => pendingDeletions(context),
    async proceed(crawl, options = {}) {
      const deletion = await loadDeletion(context, crawl);
      if (deletion === undefined || deletion.deletedAt !== undefined) return deletion;
      const { archive, stoppedAt = Infinity } = deletion;
      const isSettled =
        (await isStopped(context, crawl, deletion)) && context.clock.now() >= stoppedAt + SETTLE_MS;
      if (isSettled && (await deleteCrawlData(context, crawl, { ...options, archive })))
        await noteDeleted(context, crawl, deletion);
      return loadDeletion(context, crawl);
    },
  };
}

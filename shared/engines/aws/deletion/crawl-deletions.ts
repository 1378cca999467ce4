/**
 * Deletes crawls of a stack. Workers, the router and the compactor may still hold a part of a crawl when an operator
 * asks for its deletion, and could write after it. So a deletion has steps, and each may be the last of a process:
 *
 * 1. The deletion is noted (`#deleted`): from now on no message begins the crawl again.
 * 2. The crawl is stopped finally. Workers hear that within 2 s, and drop what comes later. Its time is noted.
 * 3. When every invocation of that time has ended, the data is deleted, the crawl's record last.
 * 4. That is noted. 15 days later, when no message can be left, the note expires and the name is free.
 */

import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Deletion } from '../../../services/control/deletion.ts';
import { type BeginContext, isStopped, SETTLE_MS } from './begin-deletion.ts';
import { type DeleteContext, type DeleteDataOptions, deleteCrawlData } from './delete-data.ts';
import { loadDeletion, noteArchiveKept, noteDeleted, pendingDeletions } from './deletions.ts';
import { createReferrers } from './referrers.ts';

export interface CrawlDeletions {
  /** The crawls whose deletion is not complete. */
  pending(): Promise<readonly CrawlId[]>;
  /** Does what can be done now. Returns the deletion after it; undefined if there is none. */
  proceed(crawl: CrawlId, options?: Omit<DeleteDataOptions, 'archive'>): Promise<Deletion | undefined>;
}

export function createCrawlDeletions(given: DeleteContext & Pick<BeginContext, 'registry'>): CrawlDeletions {
  const context = { ...given, table: given.names.crawlState };
  const referrers = createReferrers(context);

  /** Whether the archive is to be deleted: not if others refer to it, which was refused unless it has come about since. */
  async function deletesArchive(crawl: CrawlId, { archive }: Deletion): Promise<boolean> {
    if (!archive) return false;
    const by = await referrers.of(crawl);
    if (by.length > 0) await noteArchiveKept(context, crawl, by);
    return by.length === 0;
  }

  async function deleteData(
    crawl: CrawlId,
    deletion: Deletion,
    options: Omit<DeleteDataOptions, 'archive'>,
  ): Promise<void> {
    const archive = await deletesArchive(crawl, deletion);
    if (!(await deleteCrawlData(context, crawl, { ...options, archive }))) return;
    if (archive) await referrers.remove(crawl);
    await noteDeleted(context, crawl, { archive });
  }

  return {
    pending: () => pendingDeletions(context),
    async proceed(crawl, options = {}) {
      const deletion = await loadDeletion(context, crawl);
      if (deletion === undefined || deletion.deletedAt !== undefined) return deletion;
      const { stoppedAt = Infinity } = deletion;
      const isSettled =
        (await isStopped(context, crawl, deletion)) && context.clock.now() >= stoppedAt + SETTLE_MS;
      if (isSettled) await deleteData(crawl, deletion, options);
      return loadDeletion(context, crawl);
    },
  };
}

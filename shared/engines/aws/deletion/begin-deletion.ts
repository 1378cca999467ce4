/** Requests for the deletion of a stack's crawls, as the API and the router see them. */
import { BEING_DELETED, isBeingDeleted } from '../../../core/causes/status-reason.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { CrawlRegistry } from '../../../crawler/ports/crawl-registry.ts';
import type { Deletion, Deletions } from '../../../services/control/deletion.ts';
import type { StateTable } from '../state/tables.ts';
import { loadDeletion, noteStopped, requestDeletion } from './deletions.ts';

export interface BeginContext extends StateTable {
  readonly registry: Pick<CrawlRegistry, 'load' | 'setStatus'>;
}

/** An invocation ends after 15 minutes at most (Lambda quotas); the rest is for clocks that differ. */
export const SETTLE_MS = 17 * 60_000;

/** Whether the crawl is stopped finally, and was before this call. Stops it if it is not. */
export async function isStopped(
  context: BeginContext,
  crawl: CrawlId,
  { stoppedAt }: Deletion,
): Promise<boolean> {
  const { registry } = context;
  const record = await registry.load(crawl);
  const isMarked = record === undefined || isBeingDeleted(record);
  if (isMarked && stoppedAt !== undefined) return true;
  if (!isMarked) await registry.setStatus(crawl, 'stopped', BEING_DELETED);
  await noteStopped(context, crawl);
  return false;
}

export const createDeletions = (context: BeginContext): Deletions => ({
  settleMs: SETTLE_MS,
  load: (crawl) => loadDeletion(context, crawl),
  async begin(crawl, { archive }) {
    await requestDeletion(context, crawl, { archive });
    const deletion = await loadDeletion(context, crawl);
    if (deletion === undefined) throw new Error(`the deletion of ${crawl} was not noted`);
    if (deletion.deletedAt !== undefined) return deletion;
    await isStopped(context, crawl, deletion);
    return (await loadDeletion(context, crawl)) ?? deletion;
  },
});

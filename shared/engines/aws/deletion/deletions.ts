/** The list of deleted crawls: one item of CrawlState for each, which outlives the crawl's data. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Deletion } from '../../../services/control/deletion.ts';
import { CrawlDirectory } from '../state/crawl-directory.ts';
import { DELETED, DELETING, EXPIRES_AT, expiresAt, type StateTable } from '../state/tables.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { getItem, putOf, updateItem, updateOf } from '../table/table.ts';
import { transact } from '../table/transact.ts';

/**
 * SQS keeps a message for 14 days at most. Until then a late message of seeds could begin a deleted crawl again, so
 * its name is not free.
 */
const NAME_KEPT_MS = 15 * 86_400_000;

/** The deletion of that crawl; undefined if there is none, or if its name is free again. */
export async function loadDeletion(table: StateTable, crawl: CrawlId): Promise<Deletion | undefined> {
  const item = await getItem(table, itemKey(DELETED, crawl));
  const deletion = item && decoded(item);
  // DynamoDB deletes expired items within days.
  return deletion?.nameFreeAt !== undefined && deletion.nameFreeAt <= table.clock.now()
    ? undefined
    : deletion;
}

/** The crawls whose deletion is not complete. Deleted crawls are in a separate list, which is never read as a whole. */
export const pendingDeletions = (table: StateTable): Promise<CrawlId[]> => pendingOf(table).list();

const pendingOf = (table: StateTable) => new CrawlDirectory({ ...table, name: DELETING });

/** Notes that the crawl is to be deleted. A second request may add the archive, and takes nothing back. */
export async function requestDeletion(
  table: StateTable,
  crawl: CrawlId,
  { archive }: { readonly archive: boolean },
): Promise<void> {
  const known = await loadDeletion(table, crawl);
  if (known !== undefined && (known.archive || !archive)) return;
  const { requestedAt = table.clock.now(), stoppedAt } = known ?? {};
  const item = {
    ...itemKey(DELETED, crawl),
    requestedAt: N(requestedAt),
    withArchive: { BOOL: archive },
    ...(stoppedAt !== undefined && { stoppedAt: N(stoppedAt) }),
  };
  await transact(table, [putOf(table, item), pendingOf(table).entry(crawl)]);
}

/** Notes since when nothing begins work on the crawl any more. */
export const noteStopped = (table: StateTable, crawl: CrawlId): Promise<void> =>
  note(table, crawl, 'SET stoppedAt = :now', { now: N(table.clock.now()) });

/** Notes that the archive stays though it was to be deleted, as those of these crawls refer to it. */
export const noteArchiveKept = (
  table: StateTable,
  crawl: CrawlId,
  referrers: readonly CrawlId[],
): Promise<void> =>
  note(table, crawl, 'SET withArchive = :no, archiveKeptFor = :referrers', {
    no: { BOOL: false },
    referrers: S(JSON.stringify(referrers)),
  });

async function note(table: StateTable, crawl: CrawlId, update: string, values: Item): Promise<void> {
  const condition = 'attribute_exists(requestedAt)';
  const { isWritten } = await updateItem(table, itemKey(DELETED, crawl), { update, condition, values });
  if (!isWritten) throw new Error(`Expected that the deletion of ${crawl} was requested`);
}

/** Notes that the data is deleted. Returns false if more was requested meanwhile. */
export function noteDeleted(
  table: StateTable,
  crawl: CrawlId,
  { archive }: Pick<Deletion, 'archive'>,
): Promise<boolean> {
  const now = table.clock.now();
  const deleted = updateOf(table, itemKey(DELETED, crawl), {
    update: `SET deletedAt = :now, ${EXPIRES_AT} = :expires`,
    condition: 'withArchive = :archive',
    values: { now: N(now), expires: expiresAt(now + NAME_KEPT_MS), archive: { BOOL: archive } },
  });
  return transact(table, [deleted, pendingOf(table).withoutEntry(crawl)]);
}

function decoded({
  requestedAt,
  withArchive,
  archiveKeptFor,
  stoppedAt,
  deletedAt,
  [EXPIRES_AT]: expires,
}: Item): Deletion {
  return {
    requestedAt: Number(requestedAt?.N),
    archive: withArchive?.BOOL === true,
    ...(archiveKeptFor?.S !== undefined && { archiveKeptFor: JSON.parse(archiveKeptFor.S) }),
    ...(stoppedAt?.N !== undefined && { stoppedAt: Number(stoppedAt.N) }),
    ...(deletedAt?.N !== undefined && { deletedAt: Number(deletedAt.N) }),
    ...(expires?.N !== undefined && { nameFreeAt: Number(expires.N) * 1000 }),
  };
}

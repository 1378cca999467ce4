/** The list of deleted crawls: one item of CrawlState for each, which outlives the crawl's data. */
import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import type { Deletion } from '../../../services/control/deletion.ts';
import { withRetry } from '../retry.ts';
import { CrawlDirectory } from '../state/crawl-directory.ts';
import { DELETED, DELETING, EXPIRES_AT, type Item, itemKey, N, S } from '../state/tables.ts';
import { transact } from '../state/transact.ts';

export interface DeletionsContext {
  readonly dynamo: DynamoDBClient;
  readonly clock: Clock;
  /** The table CrawlState. */
  readonly table: string;
}

/**
 * SQS keeps a message for 14 days at most. Until then a late message of seeds could begin a deleted crawl again, so
 * its name is not free.
 */
const NAME_KEPT_MS = 15 * 86_400_000;

/** The deletion of that crawl; undefined if there is none, or if its name is free again. */
export async function loadDeletion(
  { dynamo, clock, table }: DeletionsContext,
  crawl: CrawlId,
): Promise<Deletion | undefined> {
  const command = new GetItemCommand({
    TableName: table,
    Key: itemKey(DELETED, crawl),
    ConsistentRead: true,
  });
  const { Item } = await withRetry('loading a deletion', () => dynamo.send(command), { clock });
  const deletion = Item && decoded(Item);
  // DynamoDB deletes expired items within days.
  return deletion?.nameFreeAt !== undefined && deletion.nameFreeAt <= clock.now() ? undefined : deletion;
}

/** The crawls whose deletion is not complete. Deleted crawls are in a separate list, which is never read as a whole. */
export const pendingDeletions = (context: DeletionsContext): Promise<CrawlId[]> => pendingOf(context).list();

const pendingOf = (context: DeletionsContext) => new CrawlDirectory({ ...context, name: DELETING });

/** Notes that the crawl is to be deleted. A second request may add the archive, and takes nothing back. */
export async function requestDeletion(
  context: DeletionsContext,
  crawl: CrawlId,
  { archive }: { readonly archive: boolean },
): Promise<void> {
  const { clock, table } = context;
  const known = await loadDeletion(context, crawl);
  if (known !== undefined && (known.archive || !archive)) return;
  const { requestedAt = clock.now(), stoppedAt } = known ?? {};
  const Item = {
    ...itemKey(DELETED, crawl),
    requestedAt: N(requestedAt),
    withArchive: { BOOL: archive },
    ...(stoppedAt !== undefined && { stoppedAt: N(stoppedAt) }),
  };
  await transact(context, 'requesting a deletion', [
    { Put: { TableName: table, Item } },
    pendingOf(context).entry(crawl),
  ]);
}

/** Notes since when nothing begins work on the crawl any more. */
export async function noteStopped({ dynamo, clock, table }: DeletionsContext, crawl: CrawlId): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: itemKey(DELETED, crawl),
    UpdateExpression: 'SET stoppedAt = :now',
    ConditionExpression: 'attribute_exists(requestedAt)',
    ExpressionAttributeValues: { ':now': N(clock.now()) },
  });
  await withRetry('noting a deletion', () => dynamo.send(command), { clock });
}

/** Notes that the archive stays though it was to be deleted, as those of these crawls refer to it. */
export async function noteArchiveKept(
  { dynamo, clock, table }: DeletionsContext,
  crawl: CrawlId,
  referrers: readonly CrawlId[],
): Promise<void> {
  const command = new UpdateItemCommand({
    TableName: table,
    Key: itemKey(DELETED, crawl),
    UpdateExpression: 'SET withArchive = :no, archiveKeptFor = :referrers',
    ConditionExpression: 'attribute_exists(requestedAt)',
    ExpressionAttributeValues: { ':no': { BOOL: false }, ':referrers': S(JSON.stringify(referrers)) },
  });
  await withRetry('noting that an archive stays', () => dynamo.send(command), { clock });
}

/** Notes that the data is deleted. Returns false if more was requested meanwhile. */
export async function noteDeleted(
  context: DeletionsContext,
  crawl: CrawlId,
  { archive }: Pick<Deletion, 'archive'>,
): Promise<boolean> {
  const { clock, table } = context;
  const now = clock.now();
  const Update = {
    TableName: table,
    Key: itemKey(DELETED, crawl),
    UpdateExpression: `SET deletedAt = :now, ${EXPIRES_AT} = :expires`,
    ConditionExpression: 'withArchive = :archive',
    ExpressionAttributeValues: {
      ':now': N(now),
      ':expires': N(Math.ceil((now + NAME_KEPT_MS) / 1000)),
      ':archive': { BOOL: archive },
    },
  };
  const failed = await transact(context, 'noting a deletion', [
    { Update },
    pendingOf(context).withoutEntry(crawl),
  ]);
  return failed === undefined;
}

function decoded({
  requestedAt,
  withArchive,
  archiveKeptFor,
  stoppedAt,
  deletedAt,
  [EXPIRES_AT]: expiresAt,
}: Item): Deletion {
  return {
    requestedAt: Number(requestedAt?.N),
    archive: withArchive?.BOOL === true,
    ...(archiveKeptFor?.S !== undefined && { archiveKeptFor: JSON.parse(archiveKeptFor.S) }),
    ...(stoppedAt?.N !== undefined && { stoppedAt: Number(stoppedAt.N) }),
    ...(deletedAt?.N !== undefined && { deletedAt: Number(deletedAt.N) }),
    ...(expiresAt?.N !== undefined && { nameFreeAt: Number(expiresAt.N) * 1000 }),
  };
}

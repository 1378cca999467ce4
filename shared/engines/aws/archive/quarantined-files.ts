/** Objects named like WARC files that are none, or are damaged: items of CrawlState. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { withRetry } from '../retry.ts';
import { writeItems } from '../state/dynamo-batch.ts';
import { queryItems } from '../state/dynamo-pages.ts';
import { ASIDE_PREFIX, itemKey, S } from '../state/tables.ts';
import type { CompactStateContext } from './compact-lease.ts';

export interface AsideFile {
  /** Without folder. */
  readonly file: string;
  /** The fault and its position, for people. */
  readonly problem: string;
}

/** Remembers it, so that it is not read again at each run while it stays as it is. */
export async function setAside(
  { dynamo, clock, table, crawl }: CompactStateContext,
  { file, problem }: AsideFile,
  etag: string,
): Promise<void> {
  const command = new PutItemCommand({
    TableName: table,
    Item: { ...itemKey(crawl, ASIDE_PREFIX + file), problem: S(problem), etag: S(etag) },
  });
  await withRetry('setting a file aside', () => dynamo.send(command), { clock });
}

/** For an object that is another one now. */
export async function forgetAside(context: CompactStateContext, file: string): Promise<void> {
  const Key = itemKey(context.crawl, ASIDE_PREFIX + file);
  await writeItems(context, context.table, [{ DeleteRequest: { Key } }]);
}

/** The crawl's files that are set aside, with the version of each that was found to be bad. */
export async function asideFiles(
  context: CompactStateContext,
): Promise<Map<string, AsideFile & { readonly etag: string }>> {
  const { table, crawl } = context;
  const files = new Map<string, AsideFile & { etag: string }>();
  const items = queryItems(context, {
    TableName: table,
    KeyConditionExpression: 'pk = :crawl AND begins_with(sk, :aside)',
    ExpressionAttributeValues: { ':crawl': S(crawl), ':aside': S(ASIDE_PREFIX) },
    ConsistentRead: true,
  });
  for await (const { sk, problem, etag } of items) {
    const file = (sk?.S ?? '').slice(ASIDE_PREFIX.length);
    files.set(file, { file, problem: problem?.S as string, etag: etag?.S as string });
  }
  return files;
}

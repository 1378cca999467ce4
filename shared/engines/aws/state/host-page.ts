/** The heads of a crawl's hosts, read by scanning the table: all, or page by page. */
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import type { CrawlId } from '../../../crawl/crawl-id.ts';
import { type Head, parseHead } from '../../../frontier/head.ts';
import { type Sizes, sizesOf } from '../../../sizes.ts';
import type { HostKey } from '../../../url/host-key.ts';
import { withRetry } from '../retry.ts';
import type { PagesContext } from './dynamo-pages.ts';
import { HEAD, hostOf, hostPrefix, type Item, itemKey, S } from './tables.ts';

export interface HostEntry {
  readonly host: HostKey;
  readonly head: Head;
}

export interface HostPage {
  readonly hosts: HostEntry[];
  /** Where the next page begins; none: there is none. */
  readonly cursor?: string;
}

/** Finds the crawl's heads among all that the table holds, other crawls' too. */
export const headScan = (table: string, crawl: CrawlId): ScanCommandInput => ({
  TableName: table,
  FilterExpression: 'begins_with(pk, :prefix) AND sk = :head',
  ExpressionAttributeValues: { ':prefix': S(hostPrefix(crawl)), ':head': S(HEAD) },
  // A host that resuming a crawl does not meet is not woken by anything else.
  ConsistentRead: true,
});

export const headIn = ({ pk, sk, head }: Item, table: string): Head =>
  parseHead(head?.S, `the table ${table}, at pk ${pk?.S} and sk ${sk?.S},`);

export const entryOf = (item: Item, table: string): HostEntry => ({
  host: hostOf(item.pk?.S as string),
  head: headIn(item, table),
});

/** Requests for one page, each of which looks at some items, or at 1 MB of them. */
const MAX_SCANS = 5;

/**
 * Up to `limit` hosts from where the cursor says: a page continues behind the last item that the one before
 * used.
 */
export async function hostPage(
  { dynamo, clock, sizes }: PagesContext & { readonly sizes?: Sizes },
  scan: ScanCommandInput,
  cursor: string | undefined,
  limit: number,
): Promise<HostPage> {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`Expected a page of at least one host, got ${limit}`);
  const { minScanned, maxScanned } = sizesOf({ sizes });
  const hosts: HostEntry[] = [];
  let start = cursor === undefined ? undefined : keyOf(cursor);
  for (let scans = 0; scans < MAX_SCANS; scans++) {
    const wanted = limit - hosts.length;
    const command = new ScanCommand({
      ...scan,
      Limit: Math.min(maxScanned, Math.max(minScanned, wanted)),
      ExclusiveStartKey: start,
    });
    const page = await withRetry(`scanning ${scan.TableName}`, () => dynamo.send(command), { clock });
    const items = page.Items ?? [];
    const used = items.slice(0, wanted);
    hosts.push(...used.map((item) => entryOf(item, scan.TableName as string)));
    start = used.length < items.length ? used.at(-1) : page.LastEvaluatedKey;
    if (!start) return { hosts };
    if (hosts.length === limit) break;
  }
  return { hosts, cursor: cursorOf(start as Item) };
}

/** The item's key. */
const cursorOf = ({ pk, sk }: Item): string =>
  Buffer.from(JSON.stringify([pk?.S, sk?.S])).toString('base64url');

function keyOf(cursor: string): Item {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(key) &&
      key.length === 2 &&
      key.every((text) => typeof text === 'string' && text !== '')
    )
      return itemKey(key[0], key[1]);
  } catch {
    // Reported below.
  }
  throw new InvalidCursor(`Expected a cursor that an earlier page gave, got ${JSON.stringify(cursor)}`);
}

/** A cursor that no page gave: the caller must start from the first page. */
export class InvalidCursor extends Error {
  override name = 'InvalidCursor';
}

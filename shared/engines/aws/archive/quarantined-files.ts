/** Objects named like WARC files that are none, or are damaged: items of CrawlState. */
import { ASIDE_PREFIX } from '../state/tables.ts';
import { itemKey, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { deleteItem, putItem } from '../table/table.ts';
import type { CompactStateContext } from './compact-lease.ts';

export interface AsideFile {
  /** Without folder. */
  readonly file: string;
  /** The fault and its position, for people. */
  readonly problem: string;
}

/** Remembers it, so that it is not read again at each run while it stays as it is. */
export async function setAside(
  context: CompactStateContext,
  { file, problem }: AsideFile,
  etag: string,
): Promise<void> {
  const key = itemKey(context.crawl, ASIDE_PREFIX + file);
  await putItem(context, { ...key, problem: S(problem), etag: S(etag) });
}

/** For an object that is another one now. */
export async function forgetAside(context: CompactStateContext, file: string): Promise<void> {
  await deleteItem(context, itemKey(context.crawl, ASIDE_PREFIX + file));
}

/** The crawl's files that are set aside, with the version of each that was found to be bad. */
export async function asideFiles(
  context: CompactStateContext,
): Promise<Map<string, AsideFile & { readonly etag: string }>> {
  const files = new Map<string, AsideFile & { etag: string }>();
  const items = queryItems(context, { partition: context.crawl, prefix: ASIDE_PREFIX });
  for await (const { sk, problem, etag } of items) {
    const file = (sk?.S ?? '').slice(ASIDE_PREFIX.length);
    files.set(file, { file, problem: problem?.S as string, etag: etag?.S as string });
  }
  return files;
}

/** The items of a stack's crawl, as its workers have published them in S3; and other lines that they store so. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Placed } from '../../../services/exports/placed.ts';
import { type FolderContext, listFiles } from './compact-objects.ts';
import { itemsPrefix } from './item-folders.ts';
import { linesOfObject } from './item-lines.ts';

/** Where a crawl's workers store lines. `run`: pays for a call. */
export interface StoredLines {
  readonly context: Omit<FolderContext, 'folder'>;
  readonly crawl: CrawlId;
  readonly run: <R>(call: () => Promise<R>) => Promise<R>;
}

/** Yields the items in the order in which their turns ended. */
export const stackItems = <T>(stored: StoredLines): AsyncGenerator<T, void, undefined> =>
  jsonObjects<T>(stored, itemsPrefix(stored.crawl));

/** Yields the values of the folder's objects, by their names. */
export async function* jsonObjects<T>(
  stored: StoredLines,
  prefix: string,
): AsyncGenerator<T, void, undefined> {
  for await (const { value } of storedLinesBehind<T>(stored, prefix)) if (value !== undefined) yield value;
}

/**
 * Yields the lines of JSON that workers have stored in that folder, an object in memory at a time. Cursor: the key of an
 * object, which is read whole or not at all. Keys sort by time.
 */
export async function* storedLinesBehind<T>(
  { context, run }: StoredLines,
  prefix: string,
  after?: string,
): AsyncGenerator<Placed<T, string>> {
  const folder: FolderContext = { ...context, folder: prefix };
  const pages = listFiles(folder, after);
  for (let page = await run(() => pages.next()); !page.done; page = await run(() => pages.next())) {
    for (const { file, bytes } of page.value) {
      const lines = await run(() => linesOfObject(folder, file, bytes));
      const place = { after: file, share: 0.5 };
      for (const line of lines) yield { value: JSON.parse(line) as T, ...place, isGoodEnd: false };
      yield { ...place, isGoodEnd: true };
    }
  }
}

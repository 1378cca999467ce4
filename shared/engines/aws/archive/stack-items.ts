/** The items of a stack's crawl, as its workers have published them in S3; and other lines that they store so. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
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

/** Yields the lines of the folder's objects, by their names, an object in memory at a time. */
export async function* jsonObjects<T>(
  { context, run }: StoredLines,
  prefix: string,
): AsyncGenerator<T, void, undefined> {
  const folder: FolderContext = { ...context, folder: prefix };
  const pages = listFiles(folder);
  for (let page = await run(() => pages.next()); !page.done; page = await run(() => pages.next())) {
    for (const { file, bytes } of page.value) {
      for (const line of await run(() => linesOfObject(folder, file, bytes))) yield JSON.parse(line) as T;
    }
  }
}

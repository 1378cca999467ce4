import type { Item } from '../shared/project/project.ts';
import type { ProcessedPage, ProcessOptions } from './process-options.ts';

/**
 * Runs hooks over the pages of a crawl's archive, without a request to any site: the same pages that `onPage`
 * was called for, with the same arguments. In no particular order. The crawl is left as it is. Throws
 * `NoCrawl` and `InvalidConfig`.
 *
 * ```ts
 * for await (const { url, items } of processCrawl('crawls/x', { onPage: ({ title }) => ({ title }) })) console.log(url, items);
 * ```
 */
export async function* processCrawl<T = Item>(
  folder: string,
  options: ProcessOptions,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  yield* (await import('./local/process/process-local.ts')).processLocal<T>(folder, options);
}

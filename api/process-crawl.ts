import type { Item } from '../shared/services/project/project.ts';
import type { ProcessedPage, ProcessOptions } from './process-options.ts';
import type { StackCrawlAddress } from './stack-address.ts';

/**
 * Runs hooks over the pages of a crawl's archive, without a request to any site: the same pages that `onPage`
 * was called for, with the same arguments. In no particular order. The crawl is left as it is. Throws
 * `NoCrawl` and `InvalidConfig`; for a crawl on a stack what `openCrawl` throws, and `NotOnStack` for several
 * workers.
 *
 * ```ts
 * for await (const { url, items } of processCrawl('crawls/x', { onPage: ({ title }) => ({ title }) })) console.log(url, items);
 * ```
 */
export async function* processCrawl<T = Item>(
  at: string | StackCrawlAddress,
  options: ProcessOptions,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  if (typeof at === 'string')
    yield* (await import('./local/process/process-local.ts')).processLocal<T>(at, options);
  else yield* (await import('./load-stack.ts')).processOnStackAt<T>(at, options);
}

import type { CrawlEntry } from '../shared/services/control/control.ts';
import type { FolderEntry } from './folder-types.ts';
import type { StackAddress, StackCrawlAddress } from './stack-address.ts';
import type { StackCrawl } from './stack-crawl.ts';
import type { OpenCrawlOptions, StoredCrawl } from './stored-crawl.ts';

/**
 * Opens the crawl in a folder for reading, whether it runs or not. Throws `NoCrawl` if there is none.
 *
 * ```ts
 * await using crawl = await openCrawl('crawls/x');
 * for await (const { url, status } of crawl.urls()) console.log(status, url);
 * ```
 */
export function openCrawl(folder: string, options?: OpenCrawlOptions): Promise<StoredCrawl>;
/**
 * Opens a crawl of a deployed stack, to read it and to control it. Throws `ControlError` if the crawl does not exist,
 * `StackRefused` and `StackUnavailable`.
 *
 * ```ts
 * await using crawl = await openCrawl({ stack: 'Strand', crawl: 'news' });
 * console.log(await crawl.summary());
 * ```
 */
export function openCrawl(at: StackCrawlAddress, options?: OpenCrawlOptions): Promise<StackCrawl>;
export async function openCrawl(
  at: string | StackCrawlAddress,
  options: OpenCrawlOptions = {},
): Promise<StoredCrawl | StackCrawl> {
  if (typeof at === 'string') return (await import('./local/read-crawl.ts')).openStoredCrawl(at, options);
  return (await import('./load-stack.ts')).openOnStack(at, options);
}

/** Returns the crawls in `folder` and in the folders directly in it, by name. */
export function listCrawls(folder: string): Promise<readonly FolderEntry[]>;
/** Returns the crawls of a deployed stack by name. Throws `StackRefused` and `StackUnavailable`. */
export function listCrawls(at: StackAddress): Promise<readonly CrawlEntry[]>;
export async function listCrawls(
  at: string | StackAddress,
): Promise<readonly FolderEntry[] | readonly CrawlEntry[]> {
  if (typeof at === 'string') return (await import('./local/list-crawls.ts')).listFolders(at);
  return (await import('./load-stack.ts')).listOnStack(at);
}

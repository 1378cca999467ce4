import type { StoredCrawl } from './stored-crawl.ts';

/**
 * Opens the crawl in a folder for reading, whether it runs or not. Throws `NoCrawl` if there is none.
 *
 * ```ts
 * await using crawl = await openCrawl('crawls/x');
 * for await (const { url, status } of crawl.urls()) console.log(status, url);
 * ```
 */
export async function openCrawl(folder: string): Promise<StoredCrawl> {
  return (await import('./local/read-crawl.ts')).openStoredCrawl(folder);
}

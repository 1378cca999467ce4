import type { RunningCrawl } from './running-crawl.ts';
import type { ResumeCrawlOptions, StartCrawlOptions } from './start-options.ts';

/**
 * Starts a crawl on this machine, and resolves when it has begun. Throws `InvalidConfig` for settings that
 * are wrong, `NoContact`, `CrawlExists` if the folder holds a crawl, `FolderInUse`, and `StorageFailed`.
 *
 * ```ts
 * const crawl = await startCrawl({ seeds: ['https://example.org/'], contact: 'you@example.org' });
 * for await (const event of crawl.events()) if (event.type === 'page') console.log(event.status, event.url);
 * const { pages } = await crawl.done;
 * ```
 *
 * With hooks that are functions the crawl runs in the calling thread, else in threads of its own. Several
 * crawls may run in one process, each in its folder: each keeps its own pace with a host, so give them
 * different hosts.
 */
export async function startCrawl(options: StartCrawlOptions): Promise<RunningCrawl> {
  return (await import('./local/start-local.ts')).startLocal(options);
}

/**
 * Continues the crawl in `folder`, whatever ended it, with other limits if given. Hosts that were given up
 * get another try. Throws `NoCrawl`, `FolderInUse`, `InvalidConfig` and `StorageFailed`.
 */
export async function resumeCrawl(folder: string, options: ResumeCrawlOptions = {}): Promise<RunningCrawl> {
  return (await import('./local/start-local.ts')).resumeLocal(folder, options);
}

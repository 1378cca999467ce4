import type { RunningCrawl } from './running-crawl.ts';
import type { StackCrawlAddress } from './stack-address.ts';
import type { StackCrawl, StackLimits } from './stack-crawl.ts';
import type { ResumeCrawlOptions, StartCrawlOptions, StartStackCrawlOptions } from './start-options.ts';

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
export function startCrawl(options: StartCrawlOptions): Promise<RunningCrawl>;
/**
 * Starts a crawl on a deployed stack, and resolves when the stack has taken it in. Throws `InvalidConfig` for
 * options that a stack does not take, `ControlError` for settings and seeds that it refuses, `StackRefused`
 * and `StackUnavailable`.
 *
 * ```ts
 * await using crawl = await startCrawl({ stack: 'Strand', seeds: ['https://example.org/'], contact: 'you@example.org' });
 * const { pages, cost } = await crawl.done;
 * ```
 */
export function startCrawl(options: StartStackCrawlOptions): Promise<StackCrawl>;
export async function startCrawl(
  options: StartCrawlOptions | StartStackCrawlOptions,
): Promise<RunningCrawl | StackCrawl> {
  if (options.stack === undefined) return (await import('./local/start-local.ts')).startLocal(options);
  return (await import('./load-stack.ts')).startOnStack(options);
}

/**
 * Continues the crawl in `folder`, whatever ended it, with other limits if given. Hosts that were given up
 * get another try. Throws `NoCrawl`, `FolderInUse`, `InvalidConfig` and `StorageFailed`.
 */
export function resumeCrawl(folder: string, options?: ResumeCrawlOptions): Promise<RunningCrawl>;
/**
 * Continues a crawl on a deployed stack, whatever ended it, with other limits if given. Throws `ControlError`,
 * `StackRefused` and `StackUnavailable`.
 */
export function resumeCrawl(at: StackCrawlAddress, limits?: StackLimits): Promise<StackCrawl>;
export async function resumeCrawl(
  at: string | StackCrawlAddress,
  options: ResumeCrawlOptions & StackLimits = {},
): Promise<RunningCrawl | StackCrawl> {
  if (typeof at === 'string') return (await import('./local/start-local.ts')).resumeLocal(at, options);
  return (await import('./load-stack.ts')).resumeOnStack(at, options);
}

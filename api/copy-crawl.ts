import type { CopiedCrawl, CopyOptions, PushOptions } from './copy-options.ts';
import type { StackAddress, StackCrawlAddress } from './stack-address.ts';

/**
 * Copies the crawl of a folder, in which no process may crawl, to a deployed stack: its state, archive and items. It does
 * not run there before it is resumed. `crawl`: its name there, if it is to have another one. Safe to repeat after an
 * interruption. Throws `NoCrawl`, `FolderInUse`, `ControlError`, `StackRefused` and `StackUnavailable`.
 */
export async function pushCrawl(
  folder: string,
  to: StackAddress & Partial<StackCrawlAddress>,
  options: PushOptions = {},
): Promise<CopiedCrawl> {
  return (await import('./load-stack.ts')).pushTo(folder, to, options);
}

/**
 * Copies a crawl of a deployed stack, which must not run, to a new or empty folder. After an interruption, a repeated call
 * continues from `FOLDER.pull`. Throws `ControlError`, `CrawlExists`, `FolderNotEmpty`, `StackRefused`, `StackUnavailable`
 * and `StorageFailed`.
 */
export async function pullCrawl(
  from: StackCrawlAddress,
  folder: string,
  options: CopyOptions = {},
): Promise<CopiedCrawl> {
  return (await import('./load-stack.ts')).pullFrom(from, folder, options);
}

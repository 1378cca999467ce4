import type { CrawlDeletion, DeleteOptions } from '../shared/services/control/deletion.ts';
import type { DeletedCrawl } from './folder-types.ts';
import type { StackCrawlAddress } from './stack-address.ts';

/**
 * Deletes the crawl in a folder: what it needs to be resumed or asked. The archive and the items stay, unless `archive` is
 * true; files of other kinds always stay. The folder is deleted if nothing is left in it. The database need not be readable.
 * Throws `NoCrawl`, and `FolderInUse` while a process crawls in it.
 */
export function deleteCrawl(folder: string, options?: DeleteOptions): Promise<DeletedCrawl>;
/**
 * Deletes a crawl of a deployed stack: stops it finally, and has the stack delete its data within some hours. The
 * archive and the items stay, unless `archive` is true. Safe to repeat. Throws `ControlError`, `StackRefused` and
 * `StackUnavailable`.
 */
export function deleteCrawl(at: StackCrawlAddress, options?: DeleteOptions): Promise<CrawlDeletion>;
export async function deleteCrawl(
  at: string | StackCrawlAddress,
  options?: DeleteOptions,
): Promise<DeletedCrawl | CrawlDeletion> {
  if (typeof at === 'string') return (await import('./local/delete-crawl.ts')).deleteFolder(at, options);
  return (await import('./load-stack.ts')).deleteOnStack(at, options);
}

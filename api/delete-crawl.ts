import type { DeletedCrawl, DeleteOptions } from './folder-types.ts';

/**
 * Deletes the crawl in a folder: its state, archive and items. Other files in the folder stay; the folder is
 * deleted if nothing is left in it. Throws `NoCrawl`, and `FolderInUse` while a process crawls in it.
 */
export async function deleteCrawl(folder: string, options?: DeleteOptions): Promise<DeletedCrawl> {
  return (await import('./local/delete-crawl.ts')).deleteFolder(folder, options);
}

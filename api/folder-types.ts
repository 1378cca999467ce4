/** Types of the functions that list and delete the crawls of this machine. */
import type { CrawlEntry } from '../shared/services/control/control.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';

/**
 * A crawl in a folder. `interrupted`: no process works on it, though it was not ended. `sleeping`: its process
 * ended as nothing was due before the time in `reason`: it recrawls (`--once`), or hosts that refuse it rest. `unreadable`: `reason` says why, such as a
 * damaged database; its name is that of its folder.
 */
export interface FolderEntry extends Omit<CrawlEntry, 'state'> {
  readonly folder: string;
  readonly state: CrawlSummary['state'] | 'sleeping' | 'unreadable';
}

export interface DeletedCrawl {
  /** Names of the files and folders that are still in the crawl's folder, such as files of yours. */
  readonly left: readonly string[];
}

import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/**
 * The items that `onPage` returned, or the changes of pages (`changeFeed`), each stored once, whatever crashes: items are staged before their turn's
 * head is committed, and published after it. Staged items whose version the head has not reached are dropped.
 */
export interface ItemStore {
  /**
   * Keeps the lines of JSON (without their ends) of a turn that is to become `version` of the head; replaces lines
   * staged for it before. Returns what the head must carry as `stagedItems`, if the store needs that to know which of
   * several attempts was committed.
   */
  stage(
    crawl: CrawlId,
    host: HostKey,
    version: number,
    lines: readonly string[],
  ): Promise<string | undefined>;
  /** The head of that version is committed, and carries what `stage` returned. Safe to repeat. */
  publish(crawl: CrawlId, host: HostKey, version: number, stagedItems?: string): Promise<void>;
}

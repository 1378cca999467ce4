import type { CrawlId } from '../crawl/crawl-id.ts';
import type { HostKey } from '../url/host-key.ts';

/**
 * What `onPage` returned, each item once in `items.jsonl`, whatever crashes: items are staged before their
 * turn's head is committed, and published after it; staged ones whose version the head has not reached are
 * dropped.
 */
export interface ItemStore {
  /**
   * Keeps the lines of JSON (without their ends) of a turn that is to become `version` of the head; replaces
   * what was staged for it.
   */
  stage(crawl: CrawlId, host: HostKey, version: number, lines: readonly string[]): Promise<void>;
  /** The head of that version is committed. */
  publish(crawl: CrawlId, host: HostKey, version: number): Promise<void>;
}

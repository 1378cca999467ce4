import type { DatabaseSync } from 'node:sqlite';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../../core/url/host-key.ts';

export interface StagedItems {
  readonly host: HostKey;
  /** The version of the head for which there are items. */
  readonly staged: number;
  /** The version of the host's head. */
  readonly committed: number;
}

/**
 * Returns the items that `item-store.ts` holds of the crawl, by host and version, the lowest versions first.
 */
export function stagedItems(database: DatabaseSync, crawl: CrawlId): StagedItems[] {
  return database
    .prepare(
      `SELECT DISTINCT s.host, s.version AS staged, coalesce(h.version, 0) AS committed
       FROM staged_items s LEFT JOIN heads h ON h.crawl = s.crawl AND h.host = s.host
       WHERE s.crawl = ? ORDER BY s.host, s.version`,
    )
    .all(crawl) as unknown as StagedItems[];
}

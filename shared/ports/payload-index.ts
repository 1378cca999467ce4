import type { ArchivedPayload, NewPayload } from '../archive/archived-payload.ts';
import type { CrawlId } from '../crawl/crawl-id.ts';

/** The payloads that a crawl has archived, by digest. */
export interface PayloadIndex {
  /** Where the payload (SHA-1, 20 bytes) is archived, or undefined. */
  find(crawl: CrawlId, sha1: Uint8Array): Promise<ArchivedPayload | undefined>;
  /**
   * Remembers payloads whose records are durable. Of several of one digest the first stays. Safe to repeat.
   */
  add(crawl: CrawlId, payloads: readonly NewPayload[]): Promise<void>;
}

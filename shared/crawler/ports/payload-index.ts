import type { ArchivedPayload, NewPayload } from '../../core/archive/archived-payload.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/** A host of an earlier crawl, whose payloads are not to be stored again. */
export interface EarlierCrawl {
  readonly crawl: CrawlId;
  readonly host: HostKey;
}

/** The payloads that a crawl has archived, by digest. */
export interface PayloadIndex {
  /**
   * Where the payload (SHA-1, 20 bytes) is archived, or undefined. `earlier`: it may also be where that crawl of the same
   * engine has archived it; engines that know earlier crawls otherwise leave it out of account.
   */
  find(crawl: CrawlId, sha1: Uint8Array, earlier?: EarlierCrawl): Promise<ArchivedPayload | undefined>;
  /**
   * Remembers payloads whose records are durable. Of several of one digest the first stays. Safe to repeat.
   */
  add(crawl: CrawlId, payloads: readonly NewPayload[]): Promise<void>;
}

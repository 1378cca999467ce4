import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** Which archives refer to records of other crawls' archives, so that nobody deletes those unnoticed. */
export interface Referrers {
  /** Notes that the archive of `by` may refer to records of these crawls. Safe to repeat. */
  add(by: CrawlId, crawls: readonly CrawlId[]): Promise<void>;
  /** The crawls whose archives may refer to records of this one. */
  of(crawl: CrawlId): Promise<readonly CrawlId[]>;
  /** Nothing is left that `by` has archived. */
  remove(by: CrawlId): Promise<void>;
}

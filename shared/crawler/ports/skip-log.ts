import type { Cause } from '../../core/causes/cause.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';

/** Links that were left out, for `strand export --skipped`. Each once, or seldom more often. */
export interface SkipLog {
  /** Returns at once: it is called for every link left out. */
  note(crawl: CrawlId, skip: Skip): void;
  /**
   * Resolves when the crawl's links noted before are durable: a turn that has noted some calls it before it is
   * committed. Absent: the last second may be lost.
   */
  makeDurable?(crawl: CrawlId): Promise<void>;
}

export interface Skip {
  readonly url: string;
  /** As in the counts of `skipped`: `scope`, `exclude`, `trap`, ... */
  readonly reason: string;
  /** The page it was found on. */
  readonly via?: string | undefined;
  /** More of why. Of a page whose links were left out: how many. */
  readonly cause?: Cause;
}

/** A line of a stored log: a link, or how many more were left out than there was memory for. */
export type SkipLine = Skip | { readonly beyond: number };

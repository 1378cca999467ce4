import type { RecordLocation } from '../../core/archive/record-location.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { CrawlRegistry } from '../../crawler/ports/crawl-registry.ts';
import type { LedgerStore } from '../../crawler/ports/ledger-store.ts';
import type { LinkExchange } from '../../crawler/ports/link-exchange.ts';
import type { CapturesAsked, CapturesFound } from './captures.ts';
import type { CrawlExports } from './crawl-export.ts';
import type { Deletions } from './deletion.ts';
import type { Referrers } from './referrers.ts';

/** The parts of an engine that {@link createControl} needs. */
export interface ControlEngine {
  readonly registry: CrawlRegistry & {
    /** The names of all crawls, in any order. */
    list(): Promise<CrawlId[]>;
    /** The running crawls, and perhaps some others. Default: all. */
    listRunning?(): Promise<CrawlId[]>;
  };
  readonly exchange: Pick<LinkExchange, 'send'>;
  readonly ledgers: LedgerStore & {
    /**
     * Up to `limit` hosts of the crawl, perhaps fewer, and the cursor of the next page. A page reads a bounded amount,
     * however many crawls and hosts exist. Throws `ControlError` for a cursor that it did not give.
     */
    hostPage(
      crawl: CrawlId,
      cursor: string | undefined,
      limit: number,
    ): Promise<{
      readonly hosts: readonly { readonly host: HostKey; readonly head: Head }[];
      readonly cursor?: string;
    }>;
  };
  readonly clock: Clock;
  /** US dollars that all crawls have cost today (UTC). */
  spentToday?(): Promise<number>;
  /** Absent: no archive refers to another one. */
  readonly referrers?: Referrers;
  /** Absent: the engine makes no exports by itself. */
  readonly exports?: CrawlExports;
  /** Absent: the engine deletes no crawls. */
  readonly deletions?: Deletions;
  /**
   * All hosts that have URLs waiting are woken soon, and why they were set aside is forgotten: once for the resume of
   * that number, however often this is called.
   */
  wakeAll(crawl: CrawlId, resume: number): Promise<void>;
  /** Names of the crawl's WARC files. */
  warcFiles?(crawl: CrawlId): Promise<readonly string[]>;
  /** Where a record stands by now: files may have been joined since it was written. */
  locate?(crawl: CrawlId, location: RecordLocation): Promise<RecordLocation>;
  /** Reads a page of the archive's captures. A page may be short, and the last alone has no `next`. Default: none are known. */
  captures?(crawl: CrawlId, asked: CapturesAsked): Promise<CapturesFound>;
  /** Returns the cost of the usage, in US dollars at list price. */
  costOf?(usage: Readonly<Record<string, number>>): {
    readonly total: number;
    /** Whether it is by the region's own prices, none of which is estimated. */
    readonly isExact: boolean;
    readonly byItem: Readonly<Record<string, number>>;
  };
}

import type { KeptReason, StatusReason } from '../../core/causes/status-reason.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlOptions } from '../../core/crawl/crawl-options.ts';
import type { Site, SitesRef } from '../../core/crawl/sites.ts';
import type { HostTotals } from '../../core/frontier/host-totals.ts';
import type { UrlState } from '../../core/frontier/url-record.ts';

/**
 * `running`. `paused`: nothing is fetched until the crawl is resumed; everything that waits stays due, and
 * continues by itself then. `limited`: the same, by one of the crawl's limits; if a turn finds requisites
 * that the crawl would have awaited at its limit of pages, the turn sets the crawl running again. `stopped`:
 * the same, ended by the operator. `finished`: nothing is left to do; a turn that finds something sets the
 * crawl running again. In all states but `running` turns fetch nothing. Each worker learns of a change within
 * seconds, and lets the requests in flight end gracefully.
 */
export type CrawlStatus = (typeof CRAWL_STATUSES)[number];
export const CRAWL_STATUSES = ['running', 'paused', 'stopped', 'limited', 'finished'] as const;

/** Sums over the heads of all hosts of a crawl, so they cannot drift. May lag by some seconds. */
export interface CrawlTotals extends HostTotals {
  readonly hosts: number;
  /** Hosts that have URLs waiting, and were not given up. */
  readonly hostsWaiting: number;
  /** Hosts that were given up while URLs wait there, and these URLs, where there are any. */
  readonly givenUp?: { readonly hosts: number; readonly urls: number };
  /** The waiting hosts that wait for their hours, or rest as they refuse the crawler, if there are any. Only engines of one machine count them. */
  readonly hostsClosed?: number;
  /** Known URLs by state. */
  readonly urls: Readonly<Record<UrlState, number>>;
  /**
   * Whether they are exact. Default: they are. Where several processes count, they lag by seconds while the crawl runs,
   * and lack what a process that died had not counted yet, until the crawl finishes.
   */
  readonly isExact?: boolean;
  /** Time the crawl has run, over all its sessions. */
  readonly activeMs: number;
  /** The crawl's usage that is billed, by line item. Engines that cost nothing have none. */
  readonly usage?: Readonly<Record<string, number>>;
  /** The usage at list price, in US dollars. */
  readonly cost?: number;
}

export interface CrawlRecord extends KeptReason {
  /** As given, to be parsed (`crawl/config.ts`). */
  readonly config: CrawlOptions;
  /** URLs that the scope is drawn around: the seeds, and where seeds redirected to. */
  readonly scopeSeeds: readonly string[];
  /** The list of its sites, which is stored separately. Absent: the crawl was begun without one. */
  readonly sites?: SitesRef;
  /** Version of the canonical form's rules (`url/canonical.ts`) that the crawl was begun with. */
  readonly urlRulesVersion: number;
  /**
   * The crawl of the same engine whose payloads are not stored again, then those that it refers to itself. The archive may
   * refer to records of all of them.
   */
  readonly dedupeFrom?: readonly CrawlId[];
  readonly status: CrawlStatus;
  /** The caller who began it, as far as the engine knows. */
  readonly begunBy?: string | undefined;
  /** How often the operator has resumed it. Default 0. */
  readonly resumes?: number;
  /** In a crawl that recrawls: each known URL was fetched once, or tried in vain. */
  readonly firstPass?: FirstPass;
}

export interface FirstPass {
  /** When that was seen first, in ms since the epoch. */
  readonly at: number;
  /** The operator's programs have got the event of it. */
  readonly isAnnounced?: true;
}

export interface StatusCondition {
  /** The status is one of these. */
  readonly from: readonly CrawlStatus[];
  /** The limits of the crawl are these: nobody has raised one. */
  readonly limits?: {
    readonly [K in 'maxPages' | 'maxBytes' | 'maxTimeMs' | 'maxCost']?: CrawlOptions[K] | undefined;
  };
  /** Nothing was sent to the crawl since a look found it quiet ({@link CrawlRegistry.noteSent}). */
  readonly isQuiet?: true;
}

/** The records of crawls: settings, status and totals. */
export interface CrawlRegistry {
  /** Whether other processes may work for the same crawls at the same time. */
  readonly isShared: boolean;
  load(crawl: CrawlId): Promise<CrawlRecord | undefined>;
  /** Fails if the crawl is there already. */
  create(crawl: CrawlId, record: CrawlRecord): Promise<void>;
  /**
   * With a condition: only if it holds at that moment, so that a finding of a moment ago does not overwrite
   * an operator's command. Returns whether it was set.
   */
  setStatus(
    crawl: CrawlId,
    status: CrawlStatus,
    reason?: StatusReason,
    condition?: StatusCondition,
  ): Promise<boolean>;
  /**
   * Sets the crawl running for the operator, whatever it is, and counts that. Returns the number of this resume; the
   * first is 1. Its wake-ups have that number, so that a host obeys one of them, however often they come.
   */
  resume(crawl: CrawlId): Promise<number>;
  /** Changes parts of the configuration (limits that an operator raises); the rest stays. */
  configure(crawl: CrawlId, changes: CrawlOptions): Promise<void>;
  /**
   * Widens the scope by these URLs (a seed that redirects). Safe to repeat. Throws {@link CrawlTooLarge}, as
   * `create` does, if the record cannot hold them.
   */
  addScopeSeeds(crawl: CrawlId, urls: readonly string[]): Promise<void>;
  /** Keeps a list of sites for the crawl, which need not be there yet. Safe to repeat. */
  storeSites(crawl: CrawlId, sites: readonly Site[]): Promise<SitesRef>;
  /** The crawl has this list from now on, which is stored. Lists that it had earlier may be deleted, but the last one. */
  setSites(crawl: CrawlId, sites: SitesRef): Promise<void>;
  /** Returns the list that a record of the crawl names. Throws if it is not there. */
  readSites(crawl: CrawlId, sites: SitesRef): Promise<readonly Site[]>;
  /**
   * Notes that the first pass of a crawl that recrawls is complete, or, with `isAnnounced`, that it was announced. The
   * first time stays, so it is safe to repeat.
   */
  noteFirstPass(crawl: CrawlId, noted: FirstPass): Promise<void>;
  /** The crawl is known by this version of the rules for canonical URLs from now on. */
  setUrlRulesVersion(crawl: CrawlId, version: number): Promise<void>;
  totals(crawl: CrawlId): Promise<CrawlTotals>;
  /**
   * Something was or is now sent to the crawl from outside of its turns: for some time it is not quiet, even if the
   * queues do not show the message yet. Default: they show it at once.
   */
  noteSent?(crawl: CrawlId): Promise<void>;
  /**
   * Whether nothing will happen by itself: no message, no parcel, and, if the crawl runs, no host that is due
   * at some time. Perhaps late. Where other crawls keep the queues busy, an engine may go by the time in
   * which nothing has come of any message of this crawl, and be early by one that waits for longer: see
   * `finished`.
   *
   * With `requisitesOnly`, for a crawl that begins no further page: whether no requisite is awaited
   * (`HostTotals`), and none is on its way to its host. Early and late as above; see `limited`.
   */
  isQuiet(crawl: CrawlId, requisitesOnly?: boolean): Promise<boolean>;
}

/**
 * A crawl's record, which holds its configuration and the URLs of its scope, is full.
 */
export class CrawlTooLarge extends Error {
  override name = 'CrawlTooLarge';
}

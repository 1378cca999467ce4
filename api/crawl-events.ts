/** The events of a running crawl. */

import type { SiteVisit } from '../shared/core/frontier/site-visit.ts';
import type { HostBackoffEvent, PageEvent } from '../shared/crawler/turn/work-events.ts';
import type { Item } from '../shared/services/project/project.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';

export type { HostBackoffEvent, PageEvent } from '../shared/crawler/turn/work-events.ts';

/**
 * Events of pages, items and hosts are reported at once, before they are committed: after a crash they may
 * come again. What is stored is there once.
 */
export type CrawlEvent =
  | PageEvent
  | ItemEvent
  | HostBackoffEvent
  | SiteEvent
  | WarningEvent
  | DroppedEvent
  | LimitEvent
  | FinishedEvent;

/** `onPage` returned an item. */
export interface ItemEvent {
  readonly type: 'item';
  /** URL of the page. */
  readonly url: string;
  readonly item: Item;
}

/** A visit of a site has ended. */
export interface SiteEvent {
  readonly type: 'site';
  readonly visit: SiteVisit;
}

/** A message that a person should read, such as the first error of a hook. A single line. */
export interface WarningEvent {
  readonly type: 'warning';
  readonly message: string;
}

/**
 * The listener was slower than the crawl: this number of events of pages, items, hosts and warnings are
 * missing here.
 */
export interface DroppedEvent {
  readonly type: 'dropped';
  readonly count: number;
}

/** The crawl has reached a limit, and ends. */
export interface LimitEvent {
  readonly type: 'limit';
  /** Which limit, for people. */
  readonly reason: string;
}

/** The last event: the crawl has ended, by itself (`finished`), at a limit, or because it was stopped. */
export interface FinishedEvent {
  readonly type: 'finished';
  readonly summary: CrawlSummary;
}

/** How far a crawl is. Counts are of the whole crawl, times are ms since the epoch. */
export interface CrawlProgress {
  readonly pages: number;
  /** URLs known. */
  readonly urls: number;
  /** URLs of the frontier: known and not yet fetched. */
  readonly waiting: number;
  readonly hosts: number;
  /** Hosts that are being crawled. */
  readonly hostsActive: number;
  /** Hosts that have URLs and wait for their turn. */
  readonly hostsWaiting: number;
  /** The hosts among them that wait for their hours (`overrides`), or rest as they refuse the crawler, if there are any. */
  readonly hostsClosed?: number;
  /** Hosts that refuse the crawler, if there are any: those that rest, and those given up. */
  readonly hostsRefused?: number;
  /** If nothing was requested yet, as all hosts rest: when the first request may start, ms since the epoch. */
  readonly restsUntil?: number;
  readonly bytes: number;
  /** Fetches that failed, as the summary counts them (`errors`). */
  readonly errors: number;
  /** Responses that came from the crawl's cache, without a request. */
  readonly cached: number;
  /** Requests since the crawl was started or resumed. */
  readonly requests: number;
  /** When the crawl was started or resumed. */
  readonly startedAt: number;
  readonly now: number;
  /** The limits that end the crawl early; `endsAt` is when its time runs out. */
  readonly limits: { readonly maxPages?: number; readonly maxBytes?: number; readonly endsAt?: number };
}

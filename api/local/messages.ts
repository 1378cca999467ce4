/** The messages between the thread that crawls and the thread that watches it. All of them can be cloned. */

import type { AccountReport } from '../../shared/core/access/account-report.ts';
import type { CrawlConfig, CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import type { ProxyOptions } from '../../shared/core/crawl/network-options.ts';
import type { SiteOptions } from '../../shared/core/crawl/sites.ts';
import type { SiteVisit } from '../../shared/core/frontier/site-visit.ts';
import type { SeedEvent } from '../../shared/crawler/turn/seed-events.ts';
import type { WorkEvent } from '../../shared/crawler/turn/work-events.ts';
import type { SlotMemory } from '../../shared/engines/watchdog/work-slot.ts';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import type { CrawlProgress } from '../crawl-events.ts';

/** The start of a new or a resumed crawl on this machine. */
export type LocalStart = BeginStart | ResumeStart;

interface StartOptions {
  /**
   * The project's file, of which middleware, extraction and hooks count. `{}`: `strand.config.ts` if it is
   * there.
   */
  readonly project?: { readonly file?: string };
  /** Threads that crawl, each some of the hosts. */
  readonly workers: number;
  /** The browser of a crawl that renders pages. Default: one of this machine's. */
  readonly browser?: string;
  /** The URL of a browser that runs elsewhere, or a reference to it: a secret, which is stored nowhere. */
  readonly browserUrl?: string;
  /** Proxies if the crawl's settings name none; not kept with the crawl. */
  readonly proxies?: readonly ProxyOptions[];
  /** Whether each {@link WorkEvent} is reported. */
  readonly reportsEvents: boolean;
  /** A crawl that recrawls ends when nothing is due. */
  readonly once?: boolean;
}

export interface BeginStart extends StartOptions {
  readonly kind: 'begin';
  /** Canonical. */
  readonly seeds: readonly string[];
  /** Their URLs are seeds, too. */
  readonly sites?: readonly SiteOptions[] | undefined;
  /** As given; those of the project's file come after them. */
  readonly options: CrawlOptions;
  /** Default: a new one in `crawls/`, named after the first seed and the time. */
  readonly folder?: string;
  /** The folder of an earlier crawl, whose payloads are not stored again. */
  readonly dedupeFrom?: string;
  /** The folder of an earlier crawl, whose responses are used instead of requests to the sites. */
  readonly cache?: string;
}

export interface ResumeStart extends StartOptions {
  readonly kind: 'resume';
  readonly folder: string;
  /** The sites that the crawl has from now on. */
  readonly sites?: readonly SiteOptions[] | undefined;
  /** Settings instead of those that the crawl began with. */
  readonly limits: CrawlOptions;
  /** Continues though this program's rules for canonical URLs differ from those the crawl began with. */
  readonly newUrlRules: boolean;
  /** Obeys the folder's settings though they open something, and this user has not made them. */
  readonly trustSettings: boolean;
  /** Instead of the folder that the crawl began with; `false`: none. */
  readonly cache?: string | false;
}

/** The `workerData` of the crawl's thread. */
export interface CrawlThreadStart {
  readonly start: LocalStart;
  /**
   * The crawl's folder, if an earlier thread of this process has opened it: this thread continues the crawl.
   */
  readonly continues?: string;
  /** Where the thread shows what it does. */
  readonly slot: SlotMemory;
}

/** A crawl that has been opened: from here on the thread is watched. */
export interface Begun {
  readonly folder: string;
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  /** The project's file, if there is one. */
  readonly projectFile?: string;
  /** Which URL each host was last requested (`threads/in-flight-table.ts`). */
  readonly inFlight: Uint8Array;
}

/** The messages of a running crawl. */
export type CrawlMessage =
  | ({ readonly kind: 'begun' } & Begun)
  | { readonly kind: 'progress'; readonly progress: CrawlProgress }
  | { readonly kind: 'event'; readonly event: WorkEvent }
  | { readonly kind: 'seed'; readonly event: SeedEvent }
  /** A pass over a site has ended. */
  | { readonly kind: 'site'; readonly visit: SiteVisit }
  /** The machine's clock was set by this number of ms; negative: back. */
  | { readonly kind: 'clockStep'; readonly ms: number }
  /** A turn failed, or a thread died, and is tried again. */
  | { readonly kind: 'retried'; readonly where?: string; readonly cause: string }
  /** A line for people. */
  | { readonly kind: 'warning'; readonly line: string }
  | { readonly kind: 'closing'; readonly blockTimeoutMs: number }
  /** The crawl is closed; only the project's `onFinish` remains. */
  | {
      readonly kind: 'summary';
      readonly summary: CrawlSummary;
      readonly accounts: readonly AccountReport[];
      readonly requests: number;
    };

export type FromCrawlThread =
  | CrawlMessage
  | { readonly kind: 'ended' }
  | ({ readonly kind: 'failed' } & ThreadError);

/** An error of the thread, with what `reviveError` needs to make it again. */
export interface ThreadError extends Pick<Error, 'name' | 'message' | 'stack'> {
  readonly folder?: string;
  /** The settings that are wrong. */
  readonly given?: unknown;
  /** Fields of `NoContact`. */
  readonly fault?: 'missing' | 'unreadable';
  readonly contact?: string;
}

export type ToCrawlThread = { readonly kind: 'stop' };

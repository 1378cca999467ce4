import type { RecordOptions } from '../../core/archive/capture.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Crawl, Crawls } from '../crawl-state/crawls.ts';
import type { Engine } from '../ports/engine.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { HostDeliveries } from '../ports/turn-queue.ts';
import type { Accounts } from './access/accounts.ts';
import type { DomainHeads } from './links/domain-heads.ts';
import type { LinkMedians } from './links/link-medians.ts';
import type { AddressLeases } from './pace/address-leases.ts';
import type { AddressLines } from './pace/address-lines.ts';
import type { CrawlLine, CrawlRates } from './pace/crawl-rates.ts';
import type { DocumentReading } from './page/document-reading.ts';
import type { PageWork } from './page/page-work.ts';
import type { PageHooks, ReadLanguage } from './page-hooks.ts';
import type { RenderingService } from './render/turn-rendering.ts';
import type { OnSeed, OnSite } from './seed-events.ts';
import type { OnWorkEvent } from './work-events.ts';
import type { WorkerStats } from './worker-stats.ts';

/** Services that the turns of one worker share. No service belongs to one turn. */
export interface TurnServices {
  readonly engine: Engine;
  /** Returns the same fetcher for the same crawl. Called again for each request. */
  readonly fetcherOf: (crawl: Crawl) => Fetcher;
  readonly crawls: Crawls;
  readonly ledgers: LedgerCache;
  readonly lanes: Lanes;
  readonly domains: DomainHeads;
  readonly leases: AddressLeases;
  readonly rates: CrawlRates;
  readonly medians: LinkMedians;
  /**
   * Held by a quarantine turn from before its fetch until it is committed, alone by the turn of a suspect: it
   * is not blamed when another one kills the process (`quarantine.ts`).
   */
  readonly intentLock: Lock;
  /** Absent: the project has no hooks. */
  readonly hooks?: PageHooks;
  /** Absent: the project has no accounts. */
  readonly accounts?: Accounts;
  /** Absent: the worker cannot serve crawls with `languages`. */
  readonly languageOf?: ReadLanguage;
  /** Reads documents by the modules for their media types. Absent: they are archived unread. */
  readonly documents?: DocumentReading;
  /** Renders pages by a browser. Absent: pages stay as their sites send them. */
  readonly rendering?: RenderingService;
  /** Called when a seed was not fetched: after each try that fails, and after the last. */
  readonly onSeed?: OnSeed;
  /** Called when a pass over a site has ended, before that is committed. */
  readonly onSite?: OnSite;
  /** Called with each event. Absent: no listener. */
  readonly onEvent?: OnWorkEvent;
  /** Shows a watchdog what the thread does at this moment. */
  readonly work: PageWork;
  readonly stats: WorkerStats;
  /** How the worker's WARC records are made. */
  readonly records: RecordOptions;
  /** Aborted when the worker is to stop: turns end, and commit what they have. */
  readonly stopping: AbortSignal;
}

/**
 * Ledgers kept between turns, so that a host's next turn in the same worker need not read it again. A turn
 * takes its ledger out, and puts it back only after its commit. A ledger serves only the head of exactly that
 * version.
 */
export interface LedgerCache {
  take(crawl: CrawlId, host: HostKey, version: number): HostLedger | undefined;
  put(crawl: CrawlId, host: HostKey, version: number, ledger: HostLedger): void;
}

/** How the requests to one host follow one another. */
interface LaneSpacing {
  /** Requests in flight at once, at most. */
  readonly perHost: number;
  /** With one lane: the least time from the end of one request to the start of the next. */
  readonly gapMs: number;
  /** A request that could begin only after this time is not made. */
  readonly latestAt: number;
  /** When it aborts, a request that still waits is not made. */
  readonly signal?: AbortSignal;
}

/**
 * Spaces the requests to one host within this process, for all crawls. Between processes the queue's lock does that,
 * since a turn sends requests to its own host alone.
 */
export interface Lanes {
  /**
   * Runs `request` when `spacing` allows. Undefined: that would be too late, or `signal` has aborted, and it was not
   * run. `isCounted`: whether a request was sent to the host; if not, the next request need not wait. Default: it was.
   */
  run<T>(
    host: HostKey,
    spacing: LaneSpacing,
    request: () => Promise<T>,
    isCounted?: (result: T) => boolean,
  ): Promise<T | undefined>;
  /** Remembers that the host must rest until then, where no head says so: its turn was discarded. */
  rest(host: HostKey, until: number): void;
  /**
   * Remembers that the host must rest for so long after the end of its last request, also if the clock is set
   * meanwhile: a head and a park name a time, which has come too early then.
   */
  restAfterLast(host: HostKey, ms: number): void;
  /** The time until which the host must rest by the last two methods; 0 if it need not. */
  restUntil(host: HostKey): number;
  /** As above, for the IP addresses of hosts. */
  readonly addresses: AddressLines;
  /** The rates of crawls with `maxBytesPerSecond`. */
  readonly rates: Map<CrawlId, CrawlLine>;
  readonly receives: Receives;
}

/** How often this process has received each delivery: it has survived all receives but the last. */
export interface Receives {
  note(received: HostDeliveries): void;
  /** Their turn has failed: it counts as lost. */
  forget(received: HostDeliveries): void;
  /** 0: never, or it is forgotten. */
  of(id: string): number;
}

/**
 * A lock for one holder alone, or for several that share it. Callers get it in the order of their calls.
 * Resolves to the function that frees it, which is safe to call twice; to undefined if the lock could not be
 * had by `until`.
 */
export type Lock = (until: number, isAlone: boolean) => Promise<(() => void) | undefined>;

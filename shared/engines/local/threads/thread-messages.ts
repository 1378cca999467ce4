/** Messages between the main thread and the threads that crawl. All of them can be cloned. */
import type { CrawlConfig } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { SiteVisit } from '../../../core/frontier/site-visit.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { AnyBrowser } from '../../../crawler/renderer/find-browser.ts';
import type { SeedEvent } from '../../../crawler/turn/seed-events.ts';
import type { WorkEvent } from '../../../crawler/turn/work-events.ts';
import type { SlotMemory } from '../../watchdog/work-slot.ts';
import type { CacheFolder } from '../cache/response-cache.ts';
import type { PoolStats } from '../session/pool-stats.ts';
import type { Sums } from '../sums.ts';

/** The `workerData` of a thread. */
export interface ThreadStart {
  readonly folder: string;
  readonly crawl: CrawlId;
  readonly config: CrawlConfig;
  readonly software: string;
  /** The block of hosts that it serves, and the number of blocks. */
  readonly block: number;
  readonly blocks: number;
  /** Whose a host is (`host-blocks.ts`). */
  readonly hostBlocks: Int32Array;
  /** Hosts served at once. */
  readonly maxHosts: number;
  /** Sockets open at once. */
  readonly maxSockets: number;
  /** Absolute. */
  readonly projectFile?: string;
  readonly keyFile?: string | undefined;
  readonly dedupeFrom?: string;
  readonly takesSites?: boolean;
  readonly keepsCookies?: boolean;
  /** For how long the process before has been dead, in ms; none for a thread in the place of one that died. */
  readonly deadForMs?: number | undefined;
  /** Where responses of an earlier crawl are. */
  readonly cache?: CacheFolder | undefined;
  /** The browser of a crawl that renders pages. */
  readonly browser?: AnyBrowser | undefined;
  /** Whether it reports each {@link WorkEvent}. */
  readonly reportsEvents: boolean;
  /** Where the threads count pages and bytes together (`shared-tally.ts`). */
  readonly tally: BigInt64Array;
  /** Knows the payloads of all threads (`items/payload-filter.ts`), if it is complete. */
  readonly payloadFilter?: Int32Array | undefined;
  /** Grows by one with each change of the crawl's record, before its maker continues. */
  readonly changes: Int32Array;
  /** Where the thread notes what it is about (`in-flight-table.ts`). */
  readonly inFlight: Uint8Array;
  /** Where the thread shows that it is alive, and what it does (`watchdog/work-slot.ts`). */
  readonly slot: SlotMemory;
}

export type ToThread =
  /** Hosts of the receiving thread that were sent messages. */
  | { readonly kind: 'hosts'; readonly hosts: readonly HostKey[] }
  /** The crawl's record has changed. */
  | { readonly kind: 'changed' }
  | {
      readonly kind: 'published';
      readonly id: number;
      readonly error?: string;
      /** The error is a `StorageFailed`. */
      readonly isStorage?: boolean;
    }
  | { readonly kind: 'stop' };

export type FromThread =
  /** Hosts of other threads that were sent messages. */
  | { readonly kind: 'hosts'; readonly hosts: readonly HostKey[] }
  | { readonly kind: 'parcel' }
  | { readonly kind: 'changed' }
  | ({ readonly kind: 'progress' } & ThreadProgress)
  /** A turn failed, and is tried again. */
  | { readonly kind: 'turnFailed'; readonly host: HostKey; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'seed'; readonly event: SeedEvent }
  | { readonly kind: 'site'; readonly visit: SiteVisit }
  | { readonly kind: 'event'; readonly event: WorkEvent }
  /** The head of that version is committed: its items may go to the file. */
  | {
      readonly kind: 'publish';
      readonly id: number;
      readonly crawl: CrawlId;
      readonly host: HostKey;
      readonly version: number;
    }
  /** The thread has stopped normally; everything is durable. */
  | { readonly kind: 'ended' }
  /**
   * It cannot continue, and another one could not either. `isStorage`: with a `StorageFailed` of this
   * message.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly isStorage?: boolean };

/** Since the thread began. */
export interface ThreadProgress {
  readonly stats: PoolStats;
  /** By how much the commits of its turns have changed the crawl's sums. */
  readonly sums: Sums;
}

/** A crawl that runs in this process, as `startCrawl` and `resumeCrawl` give it. */
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { CrawlEvent, CrawlProgress } from './crawl-events.ts';
import type { LocallyAdded } from './stored-crawl.ts';

export interface RunningCrawl {
  /** The crawl's name, made from the host of the first seed. */
  readonly name: string;
  /** Where the crawl is stored. */
  readonly folder: string;
  /**
   * Yields events from now on; the last event is `finished`. Called at once after `startCrawl`, it
   * misses nothing. May be called several times: each listener has every event.
   *
   * The crawl does not wait for a listener. If more than `maxQueued` events wait for it, further ones are
   * left out, and a `dropped` event says how many. If the crawl fails, the iteration throws what {@link done}
   * rejects with.
   */
  events(options?: EventOptions): AsyncIterableIterator<CrawlEvent, void, undefined>;
  /** Returns how far the crawl is, as it was some 100 ms ago. */
  progress(): CrawlProgress;
  /**
   * Stores the fetched pages, then waits until {@link resume} or {@link stop}. A request in flight is cut off,
   * and made again later. The folder is free meanwhile. `onFinish` is called at each pause.
   */
  pause(): Promise<CrawlSummary>;
  /** Continues a paused crawl. */
  resume(): Promise<void>;
  /** Stores the fetched pages, and ends the crawl. `resumeCrawl` can continue it. */
  stop(): Promise<CrawlSummary>;
  /** Adds seeds while the crawl runs. Throws if none of them can be a seed. */
  addSeeds(seeds: readonly string[]): Promise<LocallyAdded>;
  /**
   * Resolves when the crawl has ended, whatever ended it: look at `state` of the summary. Rejects if the
   * crawl cannot continue: with `StorageFailed` if the disk is full, for example. `resumeCrawl` can continue
   * it then, too.
   */
  readonly done: Promise<CrawlSummary>;
}

export interface EventOptions {
  /**
   * Events that may wait for a slow listener.
   * @default 10000
   */
  readonly maxQueued?: number;
}

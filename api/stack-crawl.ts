/** A crawl on a deployed stack, as `startCrawl`, `resumeCrawl` and `openCrawl` give it. */
import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { ResumableKey } from '../shared/core/crawl/settings/settings.ts';
import type { AddedSeeds } from '../shared/services/control/control.ts';
import type { CrawlSummary } from '../shared/services/report/summary.ts';
import type { FinishedEvent, LimitEvent, WarningEvent } from './crawl-events.ts';
import type { ResumeCrawlOptions } from './start-options.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/**
 * A crawl on a stack. It continues whether or not this program runs: closing it, or the end of the program,
 * stops nothing.
 *
 * All functions throw `ControlError` if the crawl does not allow the call, `StackRefused` if AWS refuses, and
 * `StackUnavailable` if AWS does not answer. `skipped` yields the links by reason and URL, and `skippedBeyond` knows
 * the number after it.
 */
export interface StackCrawl extends Omit<StoredCrawl, 'folder' | 'addSeeds' | 'updateOutputs'> {
  /** The stack's name. */
  readonly stack: string;
  /**
   * Yields events of the crawl, which it derives from polling the status. The last event is `finished`. The loop may
   * take its time: the next status is requested when the loop continues, and `pollMs` after the last one.
   */
  events(options?: StackEventOptions): AsyncIterableIterator<StackEvent, void, undefined>;
  /**
   * Resolves when the crawl has ended, by itself, at a limit, or stopped: look at `state` of the summary. It
   * waits while an operator has paused the crawl. Polls the status every few seconds from the first use on.
   */
  readonly done: Promise<CrawlSummary>;
  /** Pauses the crawl: workers begin no request after some seconds. Requests in flight run to their end. */
  pause(): Promise<CrawlSummary>;
  /** Continues the crawl, whatever ended it, with other limits if given. */
  resume(limits?: StackLimits): Promise<CrawlSummary>;
  /** Ends the crawl. `resume` can continue it. */
  stop(): Promise<CrawlSummary>;
  /** Adds seeds. A crawl that had finished runs again. Throws `ControlError` if none of them can be a seed. */
  addSeeds(seeds: readonly string[]): Promise<AddedSeeds>;
}

/** The settings that a crawl on a stack may be resumed with. `maxCost`: US dollars. */
export interface StackLimits
  extends Pick<CrawlOptions, ResumableKey<'stack'>>,
    Pick<ResumeCrawlOptions, 'newUrlRules'> {}

export interface StackEventOptions {
  /**
   * Time between two looks at the crawl, in ms: 1,000 or more. A look costs some reads of DynamoDB.
   * @default 4000
   */
  readonly pollMs?: number;
}

export type StackEvent = ProgressEvent | StackHostBackoffEvent | WarningEvent | LimitEvent | FinishedEvent;

/** How far the crawl is. */
export interface ProgressEvent {
  readonly type: 'progress';
  readonly summary: CrawlSummary;
}

/** A host failed, and is left alone until `until` (ms since the epoch). */
export interface StackHostBackoffEvent {
  readonly type: 'hostBackoff';
  readonly host: string;
  readonly until: number;
  readonly cause: string;
}

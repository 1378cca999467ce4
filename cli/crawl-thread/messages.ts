/** What the program's main thread and the thread that crawls tell one another. All of it can be cloned. */

import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import type { SlotMemory } from '../../shared/engines/watchdog/work-slot.ts';
import type { CrawlSummary } from '../../shared/report/summary.ts';
import type { LocalCommandOf } from '../command.ts';
import type { Progress } from '../live-line.ts';

export type CrawlCommand = LocalCommandOf<'crawl'> | LocalCommandOf<'resume'>;

/** What the thread is started with. */
export interface CrawlThreadStart {
  readonly command: CrawlCommand;
  /** The folder of the crawl that an earlier thread of this process began: this one goes on with it. */
  readonly folder?: string;
  /** Where the thread shows what it does. */
  readonly slot: SlotMemory;
}

/** A crawl that has been opened: from here on the thread is watched. */
export interface Begun {
  readonly folder: string;
  readonly crawl: CrawlId;
  readonly blockTimeoutMs: number;
  /** Which URL each host was last asked for (`threads/board.ts`). */
  readonly board: Uint8Array;
}

export type FromCrawlThread =
  | ({ readonly kind: 'begun' } & Begun)
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'closing'; readonly blockTimeoutMs: number }
  /** A line about the crawl's course. */
  | { readonly kind: 'log'; readonly line: string }
  /** A line that is shown with `--quiet`, too. */
  | { readonly kind: 'warning'; readonly line: string }
  /** The crawl is closed; what remains is the project's `onFinish`. */
  | { readonly kind: 'summary'; readonly summary: CrawlSummary }
  | { readonly kind: 'ended' }
  | ({ readonly kind: 'failed' } & ThreadError);

/** An error of the thread: what the main thread would have thrown. */
export type ThreadError = Pick<Error, 'name' | 'message' | 'stack'>;

export type ToCrawlThread = { readonly kind: 'stop' };

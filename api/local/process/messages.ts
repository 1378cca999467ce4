/** The messages between the caller's thread and the threads that process pages. All of them can be cloned. */
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import type { SlotMemory } from '../../../shared/engines/watchdog/work-slot.ts';
import type { ThreadError } from '../messages.ts';
import type { ArchivedPage } from './archived-pages.ts';
import type { PageOutcome } from './process-page.ts';

export interface ProcessThreadStart {
  readonly folder: string;
  readonly config: CrawlConfig;
  /** Whether the crawl may have rendered pages. */
  readonly hasRendered: boolean;
  /** Absolute. */
  readonly projectFile: string;
  /** Where all threads keep the state of hooks. */
  readonly stateFile: string;
  /** Where the thread shows what it does. */
  readonly slot: SlotMemory;
}

export interface ToProcessThread {
  readonly pages: readonly ArchivedPage[];
}

export type FromProcessThread =
  | { readonly kind: 'outcome'; readonly outcome: PageOutcome }
  | ({ readonly kind: 'failed' } & ThreadError);

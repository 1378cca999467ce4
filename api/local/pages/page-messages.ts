/** The messages between a session of pages and its thread. All of them can be cloned. */
import type { CrawlConfig, CrawlOptions } from '../../../shared/core/crawl/crawl-options.ts';
import type { HostKey } from '../../../shared/core/url/host-key.ts';
import type { CapturedPage } from '../../../shared/engines/local/pages/captured-page.ts';
import type { SlotMemory } from '../../../shared/engines/watchdog/work-slot.ts';
import type { DocumentRow } from '../../../shared/services/outputs/document-row.ts';
import type { ThreadError } from '../messages.ts';

/** A page in each form that can be requested. */
export interface PageAnswers {
  readonly page: CapturedPage;
  readonly document: DocumentRow;
}
export type PageForm = keyof PageAnswers;

/** The settings that a page's views need, and those of the watchdog. */
export type ViewConfig = Pick<
  CrawlConfig,
  'delayMs' | 'blockTimeoutMs' | 'hookTimeoutMs' | 'maxDecodedBytes' | 'maxLinksPerPage'
>;

/** The `workerData` of the thread. */
export interface PageThreadStart {
  readonly options: CrawlOptions;
  /** The first page: the settings are completed for it. */
  readonly url: string;
  /** When hosts may be requested that an earlier thread has requested. */
  readonly rests: readonly (readonly [host: HostKey, until: number])[];
  /** Where the thread shows what it does. */
  readonly slot: SlotMemory;
}

export interface AskedPage {
  readonly id: number;
  readonly url: string;
  readonly form: PageForm;
}

export type FromPageThread =
  | { readonly kind: 'begun'; readonly config: ViewConfig }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: PageAnswers[PageForm] }
  /** The page cannot be given. */
  | { readonly kind: 'refused'; readonly id: number; readonly error: ThreadError }
  | { readonly kind: 'moved'; readonly from: string; readonly to: string }
  | { readonly kind: 'rest'; readonly host: HostKey; readonly until: number }
  /** Nothing more can be asked. */
  | { readonly kind: 'failed'; readonly error: ThreadError };

import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import type { ThreadError } from '../messages.ts';

/** The start of a thread that makes exports of one crawl. */
export interface ExportThreadStart {
  readonly crawl: CrawlId;
  readonly folder: string;
}

/** Its messages. `failed`: a try of an export has failed, or the thread itself, which ends then. */
export type FromExportThread = { readonly failed: ThreadError };

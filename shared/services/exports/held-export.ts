/** An export while it is made. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlExport, ExportRequest } from '../control/crawl-export.ts';

/** The facts of an export that change while it is made. */
export type ExportProgress = Pick<CrawlExport, 'files' | 'bytes' | 'records' | 'skipped' | 'share'>;

export const NO_PROGRESS: ExportProgress = { files: 0, bytes: 0, records: 0, skipped: 0, share: 0 };

/** An export as the function that works on it holds it. */
export interface HeldExport {
  readonly crawl: CrawlId;
  readonly id: string;
  readonly request: ExportRequest;
  /** Slices that counted so far. */
  readonly version: number;
  /** How often it was taken since a slice counted, this time among them. */
  readonly tries: number;
  readonly progress: ExportProgress;
}

/** Where it is noted how far exports are. */
export interface ExportNotes {
  /** Notes that a slice of the work counts, and returns the export after it. Throws if another function has the export. */
  advance(held: HeldExport, progress: ExportProgress): Promise<HeldExport>;
  /** Ends the export. */
  end(held: HeldExport, state: 'done' | 'failed', message?: string): Promise<void>;
}

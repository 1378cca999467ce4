import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { DocumentRow } from '../shared/services/outputs/document-row.ts';
import type { PageContext } from '../shared/services/project/project.ts';
import type { CrawlHooks } from './start-options.ts';

/** Fetches single pages. Close it when done, or use `await using`. Calls may overlap: each host keeps its pace. */
export interface PageSession extends AsyncDisposable {
  /**
   * Returns a page as `onPage` would get it; also one with an error status, such as 404. Follows redirects. The last 32 MB
   * of pages are kept, and not fetched again. Throws `PageNotRead` with the reason if no response comes.
   */
  fetch(url: string): Promise<PageContext>;
  /** Returns the main content and the metadata of a page. Throws `PageNotRead` with the reason if it has no text. */
  read(url: string): Promise<DocumentRow>;
  /** Ends at once: pages that are being fetched are rejected. */
  close(): Promise<void>;
}

/** Settings of a crawl that concern a single request; the others have no effect. */
export interface PageSessionOptions extends CrawlOptions, Pick<CrawlHooks, 'middleware' | 'extraction'> {
  readonly signal?: AbortSignal;
}

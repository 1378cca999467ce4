import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { PageContext } from '../shared/services/project/project.ts';
import type { CrawlHooks } from './start-options.ts';

/** Fetches pages one by one, for trying out what a hook would get. Close it when done, or use `await using`. */
export interface PageSession extends AsyncDisposable {
  /**
   * Returns a page as `onPage` would get it; also one with an error status, such as 404. Follows redirects. Fetches
   * each URL once. Throws `PageNotRead` with the reason if no response comes.
   */
  fetch(url: string): Promise<PageContext>;
  close(): Promise<void>;
}

/** Settings of a crawl that concern a single request; the others have no effect. */
export interface PageSessionOptions extends CrawlOptions, Pick<CrawlHooks, 'middleware' | 'extraction'> {
  readonly signal?: AbortSignal;
}

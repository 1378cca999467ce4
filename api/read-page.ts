import type { DocumentRow } from '../shared/services/outputs/document-row.ts';
import type { ReadPageOptions } from './start-options.ts';

/**
 * Fetches one page as a crawl would, robots.txt, redirects and pace included, and returns its main content
 * and metadata. Throws `PageNotRead` with the reason if the page has none, and what `startCrawl` throws.
 *
 * ```ts
 * const { title, markdown } = await readPage('https://example.org/', { contact: 'you@example.org' });
 * ```
 */
export async function readPage(url: string, options: ReadPageOptions = {}): Promise<DocumentRow> {
  return (await import('./local/read-one-page.ts')).readOnePage(url, options);
}

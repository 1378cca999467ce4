import type { PageSession, PageSessionOptions } from './page-session.ts';
import type { CrawlHooks } from './start-options.ts';

/**
 * Opens a session that fetches pages as a crawl would: robots.txt, redirects and the host's pace included. With the
 * folder of a crawl, it reads its archive and makes no request.
 *
 * ```ts
 * await using pages = await openPages({ contact: 'you@example.org' });
 * const { $, links } = await pages.fetch('https://example.org/');
 * ```
 */
export async function openPages(
  from: string | PageSessionOptions,
  hooks: Pick<CrawlHooks, 'extraction'> = {},
): Promise<PageSession> {
  const { openArchivedPages, openFetchedPages } = await import('./local/pages/open-pages.ts');
  return typeof from === 'string' ? openArchivedPages(from, hooks) : openFetchedPages(from);
}

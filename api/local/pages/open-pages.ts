/** Sessions that fetch single pages, or read them from an archive. */
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
import { openCrawl } from '../../open-crawl.ts';
import type { PageSession, PageSessionOptions } from '../../page-session.ts';
import type { CrawlHooks } from '../../start-options.ts';
import { PageNotRead } from '../page-not-read.ts';
import type { PageAnswers, PageForm, ViewConfig } from './page-messages.ts';
import { WatchedPages } from './watched-pages.ts';

export async function openArchivedPages(
  folder: string,
  hooks: Pick<CrawlHooks, 'extraction'>,
): Promise<PageSession> {
  const { findDocument, findPage } = await import('./find-page.ts');
  await using _ = await openCrawl(folder);
  return sessionOf({
    fetch: (url) => findPage(folder, url, hooks),
    read: (url) => findDocument(folder, url),
    close: async () => {},
  });
}

/** Where a session's pages come from. */
interface Pages {
  readonly config: ViewConfig;
  get<F extends PageForm>(url: string, form: F): Promise<PageAnswers[F]>;
  close(reason: unknown): Promise<void>;
}

/** Hosts keep their pace and their robots.txt from page to page. */
export async function openFetchedPages({
  signal,
  middleware,
  extraction,
  ...options
}: PageSessionOptions): Promise<PageSession> {
  // Functions cannot go to another thread.
  const isHere = (middleware?.length ?? 0) + (extraction?.length ?? 0) > 0;
  const pages: Pages = isHere
    ? new (await import('./pages-here.ts')).PagesHere(options, {
        middleware: middleware ?? [],
        extraction: extraction ?? [],
      })
    : new WatchedPages(options);
  const abort = () => void pages.close(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return sessionOf({
    async fetch(url) {
      const page = await pages.get(url, 'page');
      const { contextOf } = await import('./context-of.ts');
      return contextOf(page, pages.config);
    },
    read: (url) => pages.get(url, 'document'),
    async close() {
      signal?.removeEventListener('abort', abort);
      await pages.close(new PageNotRead('The session of pages is closed'));
    },
  });
}

/** `pages`: by canonical URLs. */
function sessionOf({ fetch, read, close }: Pick<PageSession, 'fetch' | 'read' | 'close'>): PageSession {
  return {
    fetch: async (given) => fetch(urlOf(given)),
    read: async (given) => read(urlOf(given)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function urlOf(given: string): string {
  const url = canonicalize(parseSeed(given) ?? given);
  if (url === undefined) throw new PageNotRead(`Expected an http or https URL, got ${given.slice(0, 200)}`);
  return url;
}

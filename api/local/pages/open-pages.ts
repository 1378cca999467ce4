/** Sessions that fetch one page after the other, or read them from an archive. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
import { openCrawl } from '../../open-crawl.ts';
import type { PageSession, PageSessionOptions } from '../../page-session.ts';
import { resumeCrawl, startCrawl } from '../../start-crawl.ts';
import type { CrawlHooks } from '../../start-options.ts';
import { PageNotRead } from '../page-not-read.ts';
import { findPage, isSettled } from './find-page.ts';

/** Settings that turn off all that does not serve a single page. */
const ONE_PAGE = {
  scope: 'page',
  sitemaps: 'off',
  feeds: false,
  requisites: false,
  metadata: false,
  // The page that was requested, though it names another page as canonical or is marked `noindex`.
  obeyCanonical: false,
  obeyNoindex: false,
} as const;

export async function openArchivedPages(
  folder: string,
  hooks: Pick<CrawlHooks, 'extraction'>,
): Promise<PageSession> {
  await using _ = await openCrawl(folder);
  return sessionOf(
    (url) => findPage(folder, url, hooks),
    async () => {},
  );
}

/** Each page is a seed of one crawl in a temporary folder: so hosts keep their pace, and robots.txt is kept. */
export async function openFetchedPages(options: PageSessionOptions): Promise<PageSession> {
  const { signal, middleware, extraction, ...settings } = options;
  const folder = await mkdtemp(join(tmpdir(), 'strand-pages-'));
  const out = join(folder, 'crawl');
  const shared = { ...(signal && { signal }), ...(middleware && { middleware }) };
  let hasBegun = false;

  async function crawl(url: string): Promise<void> {
    if (!hasBegun) {
      const running = await startCrawl({ ...settings, ...ONE_PAGE, ...shared, seeds: [url], out });
      hasBegun = true;
      await running.done;
    } else if (!(await isSettled(out, url))) {
      {
        await using stored = await openCrawl(out);
        await stored.addSeeds([url]);
      }
      await (await resumeCrawl(out, shared)).done;
    }
    signal?.throwIfAborted();
  }

  return sessionOf(
    async (url) => {
      await crawl(url);
      return findPage(out, url, { ...(extraction && { extraction }) });
    },
    () => rm(folder, { recursive: true, force: true }),
  );
}

/** Pages are read one after the other. */
function sessionOf(find: PageSession['fetch'], end: () => Promise<void>): PageSession {
  let last: Promise<unknown> = Promise.resolve();
  const close = async () => {
    await last;
    await end();
  };
  return {
    fetch(given) {
      const page = last.then(async () => {
        const url = canonicalize(parseSeed(given) ?? given);
        if (url === undefined)
          throw new PageNotRead(`Expected an http or https URL, got ${given.slice(0, 200)}`);
        return find(url);
      });
      last = page.catch(() => {});
      return page;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Pages in the form that is wanted, from a crawl of single pages in this thread. */
import type { CrawlOptions } from '../../../shared/core/crawl/crawl-options.ts';
import { UNWATCHED } from '../../../shared/crawler/turn/page/page-work.ts';
import { openPageCrawl, type PageCrawlOptions } from '../../../shared/engines/local/pages/page-crawl.ts';
import { checkContact } from '../../../shared/services/begin/contact-fault.ts';
import { refusedSeeds, sortSeeds } from '../../../shared/services/begin/sort-seeds.ts';
import { PageNotRead } from '../page-not-read.ts';
import { makeDocument } from './make-document.ts';
import type { PageAnswers, PageForm, ViewConfig } from './page-messages.ts';
import { planPages } from './plan-pages.ts';

export interface PageSource {
  readonly config: ViewConfig;
  /** Throws `PageNotRead`, and what a crawl refuses as its seed. */
  get<F extends PageForm>(url: string, form: F): Promise<PageAnswers[F]>;
  close(): Promise<void>;
}

export type PageSourceOptions = Omit<PageCrawlOptions, 'crawl' | 'config' | 'record'>;

/** `url`: the first page. Throws `InvalidConfig` and `NoContact`. */
export async function openPageSource(
  url: string,
  given: CrawlOptions,
  options: PageSourceOptions,
): Promise<PageSource> {
  const { crawl, config, record } = planPages(url, given);
  const { obeyNoindex = true } = given;
  const pages = await openPageCrawl({ ...options, crawl, config, record });
  const { work = UNWATCHED } = options;

  async function formOf(asked: string, form: PageForm): Promise<PageAnswers[PageForm]> {
    // The operator's patterns may take long for it.
    const { accepted, refused } = work.run(crawl, asked, 'links', () => sortSeeds([asked], config));
    const [seed] = accepted;
    if (seed === undefined) throw refusedSeeds(refused);
    checkContact(accepted, config);
    const visit = await pages.visit(seed);
    if (form === 'document') {
      const make = () => makeDocument(asked, visit, obeyNoindex);
      return work.run(crawl, visit.url, 'hook', make).finally(work.beginHook());
    }
    if (visit.page === undefined)
      throw new PageNotRead(`${asked} was not read: ${visit.reason ?? visit.state}`);
    return visit.page;
  }

  return {
    config,
    get: <F extends PageForm>(asked: string, form: F) => formOf(asked, form) as Promise<PageAnswers[F]>,
    close: pages.close,
  };
}

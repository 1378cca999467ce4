import { hash } from 'node:crypto';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { ReadPage } from '../../../core/render/gain.ts';
import { fetchedUrl } from '../../../core/url/request-url.ts';

/** The page at which routes are shown, and what is known of them. */
interface Shell {
  page?: ReadPage;
  /** The URL that has shown a text first, by the text's hash. */
  readonly texts: Map<string, string>;
}

/** Shells that are known at a time, the characters of each that are kept, and the texts of its routes. */
const MAX_SHELLS = 16;
const MAX_CHARS = 200_000;
const MAX_TEXTS = 5000;

/** The texts of pages with routes behind `#`, and of their routes, as far as the memory of a process allows. */
export class RouteTexts {
  readonly #shells = new Map<string, Shell>();

  /** The page of a route without it, if it was rendered lately. */
  pageOf(crawl: CrawlId, url: string): ReadPage | undefined {
    return this.#shells.get(keyOf(crawl, url))?.page;
  }

  /** Keeps a rendered page, which has links to routes of its own. */
  keep(crawl: CrawlId, page: ReadPage): void {
    const shell = this.#shellOf(crawl, page.url);
    const [main, visible] = [page.main, page.visible].map((text) => text.slice(0, MAX_CHARS)) as [
      string,
      string,
    ];
    shell.page = { ...page, main, visible };
    this.#firstOf(shell, page);
  }

  /** The URL that has shown the text of a route first: itself, or the page that it is a copy of. */
  firstOf(crawl: CrawlId, route: ReadPage): string {
    return this.#firstOf(this.#shellOf(crawl, route.url), route);
  }

  #firstOf({ texts }: Shell, { url, visible }: ReadPage): string {
    const key = hash('sha1', visible.replace(/\s+/g, ' '), 'base64');
    const first = texts.get(key) ?? url;
    if (texts.size < MAX_TEXTS) texts.set(key, first);
    return first;
  }

  #shellOf(crawl: CrawlId, url: string): Shell {
    const key = keyOf(crawl, url);
    const shell = this.#shells.get(key) ?? { texts: new Map() };
    // The one that was not used for the longest time comes first.
    this.#shells.delete(key);
    this.#shells.set(key, shell);
    const [oldest = key] = this.#shells.keys();
    if (this.#shells.size > MAX_SHELLS) this.#shells.delete(oldest);
    return shell;
  }
}

const keyOf = (crawl: CrawlId, url: string): string => `${crawl} ${fetchedUrl(url)}`;

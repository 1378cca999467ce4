import { sizesOf } from '../../../core/base/sizes.ts';
import type { LinkSkip } from '../../../core/crawl/skip-reason.ts';
import { linkOf } from '../../../core/frontier/message.ts';
import { MAX_LINKS } from '../../../core/frontier/template-watch.ts';
import type { TrapWatch } from '../../../core/frontier/trap-watch.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { type HtmlLink, isRequisite } from '../../../core/parser/link-set.ts';
import { createListingOrders } from '../../../core/url/listing-order.ts';
import { fetchedUrl } from '../../../core/url/request-url.ts';
import { isAnyOn } from '../../../core/url/url-rules.ts';
import type { TurnCounters } from '../counters.ts';
import { createPatternWatch, WATCHED_LINKS } from '../page/slow-patterns.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import { droppedCause } from './dropped-links.ts';
import type { LinkIntake } from './link-intake.ts';
import type { SitemapLinks } from './sitemap-links.ts';

/** A style of a style of a page, and what that needs: as far from the page as parts of it are sought. */
const MAX_REQUISITE_HOPS = 5;

export interface PageLinksOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly traps: TrapWatch;
  readonly intake: LinkIntake;
  readonly sitemapLinks: SitemapLinks;
}

/** Takes in the links of a page, and judges whether more pages like it are worth fetching. */
export class PageLinks {
  readonly #services: Pick<TurnServices, 'engine' | 'work' | 'crawls'>;
  readonly #options: PageLinksOptions;

  constructor(services: Pick<TurnServices, 'engine' | 'work' | 'crawls'>, options: PageLinksOptions) {
    this.#services = services;
    this.#options = options;
  }

  /**
   * Takes in the links of a page, each as what it is, with a pause after each `linksAtOnce`. `isRequest`: the
   * project requested the page. `isCopy`: its links are left out. Returns how many were new to the host.
   */
  async take(
    record: UrlRecord,
    response: FetchedResponse,
    facts: DocumentFacts,
    { isRequest = false, isCopy = false } = {},
  ): Promise<number> {
    const { work, engine } = this.#services;
    const { crawl, counters, traps } = this.#options;
    const watched = (part: () => void) => work.run(crawl.id, record.url, 'links', part);
    watched(() => this.#countDropped(record, facts));
    for (const url of facts.hashRoutes ?? [])
      this.#options.intake.skip({ url, via: record.url }, 'hashRoute');
    if (facts.fault !== undefined) counters.countSkipped('sitemapFault');
    const isWatched = record.kind === undefined && !isRequest && this.isWatchingTraps();
    const takeLink = this.#taker(record, facts, isCopy);
    const newLinks: string[] = [];
    let news = 0;
    const take = (link: HtmlLink) => {
      if (!takeLink(link)) return;
      news++;
      if (isWatched && newLinks.length < MAX_LINKS) newLinks.push(link.url);
    };
    const watchPatterns = createPatternWatch(this.#services, crawl, record.depth + 1);
    const linksAtOnce = watchPatterns ? WATCHED_LINKS : sizesOf(engine).linksAtOnce;
    for (let from = 0; from < facts.links.length; from += linksAtOnce) {
      if (from > 0) await work.pause();
      const links = facts.links.slice(from, from + linksAtOnce);
      watched(() => links.forEach(take));
      await watchPatterns?.(links, record.url);
    }
    if (!isWatched) return news;
    // For other types than HTML, the bytes themselves: two pictures are two.
    const textHash = facts.type === 'html' ? facts.textHash : Buffer.from(response.body.sha1).readUInt32LE(0);
    const isOther = isCopyOf(record.url, facts.canonical);
    const { obeyNofollow, obeyNoindex } = crawl.config;
    const isUnused = obeyNoindex && obeyNofollow && facts.robots.noindex && facts.robots.nofollow;
    watched(() => traps.count(record.url, { newLinks, textHash, isCopy: isOther || isCopy, isUnused }));
    return news;
  }

  /** Whether the host has enough pages for its templates to be watched. */
  isWatchingTraps(): boolean {
    const { crawl, counters } = this.#options;
    const { trapAfterPages } = crawl.config;
    return trapAfterPages > 0 && counters.totals.pages >= trapAfterPages;
  }

  /**
   * Whether a requisite is a document that belongs to the crawl by itself: a frame, mostly; or a sitemap is a page of
   * it. Its links are followed, and it counts as a page if the limits allow one more.
   */
  isOwnDocument({ kind, url, depth }: UrlRecord, { type }: DocumentFacts): boolean {
    const isDocument = kind === 'sitemap' ? type === 'html' : type !== 'css' && type !== 'other';
    return kind !== undefined && isDocument && this.#options.crawl.scope.check(url, depth) === undefined;
  }

  /** Returns a function that takes in one link of the page, and returns whether it was new. */
  #taker(record: UrlRecord, facts: DocumentFacts, isCopy: boolean): (link: HtmlLink) => boolean {
    const { config } = this.#options.crawl;
    const now = this.#services.engine.clock.now();
    // A sitemap is made for crawlers, and its directives say how search engines show the file itself.
    const isList = record.kind === 'sitemap' && facts.type !== 'html';
    const isNofollow = config.obeyNofollow && facts.robots.nofollow && !isList;
    // A document that does not belong to the crawl by itself gives only its own requisites.
    const isFollowed = record.kind === undefined || isList || this.isOwnDocument(record, facts);
    const isOrder = isAnyOn(config.urlRules)
      ? createListingOrders(fetchedUrl(record.url), facts.links)
      : undefined;
    return (link) => {
      if (isPart(link, config.requisites)) return this.#takeRequisite(record, link, now);
      if (!isFollowed) return false;
      if (isCopy) return this.#skipOfCopy(record, link);
      if (isNofollow || (link.nofollow && config.obeyNofollow)) return this.#skip(record, link, 'nofollow');
      if (isOrder?.(link.url)) return this.#skip(record, link, 'listingOrder');
      return this.#takeFollowed(record, link, now);
    };
  }

  #takeRequisite(record: UrlRecord, link: HtmlLink, now: number): boolean {
    const { crawl, intake } = this.#options;
    const url = crawl.nameOf(link.url);
    const via = record.url;
    const hops = record.kind === 'requisite' ? record.redirects + 1 : 0;
    if (hops > MAX_REQUISITE_HOPS) return intake.skip({ url, via }, 'requisiteHops');
    const depth = record.depth + 1;
    return intake.take(linkOf({ url, depth, via, kind: 'requisite', redirects: hops }), now);
  }

  #skip(record: UrlRecord, link: HtmlLink, reason: LinkSkip): false {
    const { crawl, intake } = this.#options;
    return intake.skip({ url: crawl.nameOf(link.url), via: record.url }, reason);
  }

  /** A link that is known already is not lost. */
  #skipOfCopy(record: UrlRecord, link: HtmlLink): false {
    const { crawl, intake } = this.#options;
    const url = crawl.nameOf(link.url);
    return intake.knows(url) ? false : intake.skip({ url, via: record.url }, 'nearDuplicate');
  }

  #takeFollowed(record: UrlRecord, link: HtmlLink, now: number): boolean {
    const { crawl, intake, sitemapLinks } = this.#options;
    const url = crawl.nameOf(link.url);
    if (link.kind === 'url' || link.kind === 'sitemap')
      return sitemapLinks.takeEntry(record, { ...link, url }, now);
    return intake.take(linkOf({ url, depth: record.depth + 1, via: record.url }), now);
  }

  /** Counts the links that the parser left out, and lists them as far as they are known. */
  #countDropped({ url, via }: UrlRecord, facts: DocumentFacts): void {
    const cause = droppedCause(facts);
    if (cause === undefined) return;
    const { counters, intake } = this.#options;
    const reason = 'linksPerPage';
    counters.countSkipped(reason, facts.droppedLinks);
    intake.noteSkip({ url, reason, via, cause });
    for (const link of facts.dropped ?? []) intake.noteSkip({ url: link, reason, via: url });
  }
}

/**
 * Whether a page's canonical URL is its own path with another query: its parameters make no other page of it.
 */
function isCopyOf(url: string, canonical: string | undefined): boolean {
  if (canonical === undefined || canonical === url) return false;
  const mark = url.indexOf('?', 8);
  if (mark < 0 || !canonical.startsWith(url.slice(0, mark))) return false;
  return canonical.length === mark || canonical.charCodeAt(mark) === QUESTION_MARK;
}

const QUESTION_MARK = 0x3f;

/**
 * Whether the link leads to a part of the page, which is fetched with it. Frames are that: browsers show them
 * in the page, and Heritrix and wget fetch them as its parts. A frame that belongs to the crawl becomes a
 * page of it when it is fetched.
 */
function isPart({ kind, requisite }: HtmlLink, wantsRequisites: boolean): boolean {
  return isRequisite(kind) || requisite !== undefined || (kind === 'frame' && wantsRequisites);
}

import type { Scope } from '../../../core/crawl/scope.ts';
import type { LinkSkip } from '../../../core/crawl/skip-reason.ts';
import { foldLink } from '../../../core/frontier/fold-links.ts';
import type { HostLedger } from '../../../core/frontier/ledger.ts';
import { type Link, linkOf } from '../../../core/frontier/message.ts';
import { reasonAgainst } from '../../../core/frontier/reason-against.ts';
import type { TrapWatch } from '../../../core/frontier/trap-watch.ts';
import { ancestors } from '../../../core/url/ancestors.ts';
import { isOfHost } from '../../../core/url/host-key.ts';
import { fetchedUrl, isOwnRequest, isPlainGet, ownRequest } from '../../../core/url/request-url.ts';
import type { Skip, SkipLog } from '../../ports/skip-log.ts';
import type { TurnCounters } from '../counters.ts';
import type { SitemapPace } from '../pace/sitemap-pace.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { TemplateQuota } from './template-quota.ts';

/** URLs that a turn remembers. */
const MAX_ALLOWED = 2000;

export interface LinkIntakeOptions {
  readonly crawl: TurnCrawl;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly traps: TrapWatch;
  readonly templates: Pick<TemplateQuota, 'fullTemplateOf'>;
  readonly sitemaps: SitemapPace;
  /** Absent: the engine keeps no log of the links that are left out. */
  readonly skips?: SkipLog | undefined;
}

/**
 * Takes in links: merges them into the host's ledger, keeps them for other hosts, or leaves them out and
 * counts them.
 */
export class LinkIntake {
  readonly #options: LinkIntakeOptions;
  /** Links to other hosts, one for each URL. */
  readonly #outLinks = new Map<string, Link>();
  #hasNoted = false;
  /**
   * URLs of the host that were met twice and that the scope allows as links of a page, with the greatest depth of such a link.
   * Most links of a page lead to URLs that pages before it have linked to.
   */
  readonly #allowed = new Map<string, number>();
  /** The scope that allows them. */
  #scope: Scope | undefined;

  constructor(options: LinkIntakeOptions) {
    this.#options = options;
  }

  /** Links to other hosts, one for each URL. They leave the turn when it is committed. */
  get outLinks(): ReadonlyMap<string, Link> {
    return this.#outLinks;
  }

  /** Merges links that were delivered to the host. Returns how many were new. */
  mergeDelivered(links: readonly Link[], now: number): number {
    const { crawl, ledger, counters } = this.#options;
    let news = 0;
    for (const link of links) {
      if (counters.isFull(crawl.config) && link.kind !== 'requisite' && !ledger.has(link.url))
        counters.countSkipped('pagesPerHost');
      else if (this.#merge(link, now)) news++;
    }
    return news;
  }

  /**
   * Takes in a link that a page of the host has, its URL as the crawl knows it ({@link TurnCrawl.nameOf}).
   * True: it was new to this host.
   */
  take(link: Link, now: number): boolean {
    const { crawl } = this.#options;
    if (this.#isAllowed(link)) return this.#merge(link, now);
    const reason = reasonAgainst(crawl.scope, link);
    if (reason !== undefined) return this.skip(link, reason);
    if (isOfHost(link.url, crawl.host)) {
      const isNew = this.#merge(link, now);
      if (!isNew && isPageLink(link)) this.#allow(link);
      return isNew;
    }
    foldLink(this.#outLinks, link);
    return false;
  }

  /** Whether the scope has allowed a link to this URL of the host that was at least as deep. */
  #isAllowed(link: Link): boolean {
    const depth = isPageLink(link) ? this.#allowed.get(link.url) : undefined;
    return depth !== undefined && link.depth <= depth && this.#scope === this.#options.crawl.scope;
  }

  /** The links of a page's menu are met first, so what comes when there is no more room is not remembered. */
  #allow({ url, depth }: Link): void {
    const { scope } = this.#options.crawl;
    if (this.#scope !== scope) this.#allowed.clear();
    this.#scope = scope;
    if (this.#allowed.size < MAX_ALLOWED) this.#allowed.set(url, depth);
  }

  /** Whether the URL is known to its host, if that is the turn's, or to this turn as a link to another host. */
  knows(url: string): boolean {
    return this.#outLinks.has(url) || this.#options.ledger.has(url);
  }

  /** Leaves a link out: counts it, and notes it if the engine keeps a log. Returns false: it is not new. */
  skip({ url, via }: Pick<Link, 'url' | 'via'>, reason: LinkSkip): false {
    const { counters } = this.#options;
    counters.countSkipped(reason);
    this.noteSkip({ url, reason, via });
    return false;
  }

  /** Notes links whose count is known already. */
  noteSkip(skip: Skip): void {
    this.#options.skips?.note(this.#options.crawl.id, skip);
    this.#hasNoted = true;
  }

  /** Resolves when the links that were noted are durable, if the engine promises that. */
  async makeSkipsDurable(): Promise<void> {
    if (this.#hasNoted) await this.#options.skips?.makeDurable?.(this.#options.crawl.id);
  }

  /** Merges a link to the turn's own host, which belongs to the crawl. True: it was new. */
  #merge(link: Link, now: number): boolean {
    if (isOwnRequest(link.url)) return this.#mergeRequest(link, now);
    const { crawl, ledger, traps, templates, sitemaps } = this.#options;
    if (!link.isSeed && link.kind === undefined && traps.isClosed(link.url)) return this.skip(link, 'trap');
    if (templates.fullTemplateOf(link) !== undefined && !ledger.has(link.url))
      return this.skip(link, 'pagesPerTemplate');
    const isFoundSitemap = link.kind === 'sitemap' && !link.isSeed && !ledger.has(link.url);
    if (isFoundSitemap && !sitemaps.admit(crawl.config.maxSitemapsPerHost))
      return this.skip(link, 'sitemapsPerHost');
    const isNew = ledger.merge(link, now);
    if (isNew && crawl.config.ascendPaths && link.kind === undefined) this.#ascend(link, now);
    return isNew;
  }

  /**
   * Merges a request of the project. A link to the URL of a plain GET makes an equal request, so a later link is not
   * fetched again.
   */
  #mergeRequest(link: Link, now: number): boolean {
    const { ledger } = this.#options;
    const isNew = ledger.merge(link, now);
    const request = ownRequest(link.url);
    if (!isNew || request === undefined || !isPlainGet(request)) return isNew;
    const { depth, via } = link;
    const { label } = request;
    ledger.addSettled({
      url: fetchedUrl(link.url),
      state: 'skipped',
      kind: undefined,
      depth,
      level: 0,
      via,
      seenAt: now,
      redirects: 0,
      attempts: 0,
      dueAt: 0,
      result: { fetchedAt: now, cause: { code: 'ownRequest', ...(label !== undefined && { label }) } },
      recrawl: undefined,
    });
    return true;
  }

  /** Takes in the folders above a new link. Above a known one all are known. */
  #ascend({ url, depth, via }: Link, now: number): void {
    const { crawl, ledger } = this.#options;
    for (const folder of ancestors(url)) {
      if (ledger.has(folder)) return;
      if (crawl.scope.check(folder, depth) === undefined)
        ledger.merge(linkOf({ url: folder, depth, via: via ?? url }), now);
    }
  }
}

const isPageLink = ({ kind, isSeed }: Link): boolean => kind === undefined && !isSeed;

import { linkOf } from '../../../core/frontier/message.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { HtmlLink } from '../../../core/parser/link-set.ts';
import { absoluteLoc } from '../../../core/url/absolute-loc.ts';
import { canonicalize } from '../../../core/url/canonical.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import { isSameSite } from '../../../core/url/same-site.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { LinkIntake } from './link-intake.ts';

/** At most this many of one robots.txt. */
export const MAX_NAMED_SITEMAPS = 100;
/** An index may name sitemaps, not indexes (sitemaps.org, "Sitemap index"); some name indexes anyway. */
export const MAX_SITEMAP_NESTING = 3;
const DAY_MS = 86_400_000;

/** Which sitemaps are read, and what their entries are worth. */
export class SitemapLinks {
  readonly #crawl: TurnCrawl;
  readonly #intake: LinkIntake;

  constructor(crawl: TurnCrawl, intake: LinkIntake) {
    this.#crawl = crawl;
    this.#intake = intake;
  }

  /**
   * Whether a sitemap may be read that `from` (robots.txt, an index, a redirect) leads to: of its site, or at a
   * host of the crawl. A sitemap of another site could make Strand contact hosts that the operator never chose;
   * `sitemapUrls` may name it.
   */
  isOwn(url: string, from: string): boolean {
    return isSameSite(url, from) || this.#crawl.scope.hasHost(hostKey(url));
  }

  /**
   * Takes in the sitemaps that an origin's robots.txt names; where it names none, perhaps the well-known one.
   * Not for a host that is visited only for sitemaps or parts of pages: each might name the next one of its
   * domain, without end.
   */
  takeNamed(origin: string, named: readonly string[], now: number): void {
    const { config, scope: crawlScope, host } = this.#crawl;
    const { sitemaps, scope, maxDepth } = config;
    if (sitemaps === 'off' || scope === 'page' || !crawlScope.hasHost(host)) return;
    // Their URLs are links of depth 1. An operator who asks for sitemaps sees them among those left out.
    if (maxDepth === 0 && sitemaps !== 'find') return;
    const references =
      named.length === 0 && sitemaps === 'find' ? ['/sitemap.xml'] : named.slice(0, MAX_NAMED_SITEMAPS);
    const via = `${origin}/robots.txt`;
    for (const reference of references) {
      const url = canonicalize(absoluteLoc(reference, via), via);
      if (url === undefined) this.#intake.skip({ url: reference, via }, 'badUrl');
      else if (!this.isOwn(url, via)) this.#intake.skip({ url, via }, 'scope');
      else this.#intake.take(linkOf({ url, depth: 0, via, kind: 'sitemap' }), now);
    }
  }

  /**
   * Takes in an entry of the sitemap `record`. A sitemap that is a page of the crawl itself (a link led to
   * it) counts as such in depth. True: its URL was new.
   */
  takeEntry(record: UrlRecord, entry: HtmlLink, now: number): boolean {
    const { url, modifiedAt } = entry;
    const via = record.url;
    if (entry.kind === 'sitemap') return this.#takeNested(record, url, now);
    const { modifiedSince } = this.#crawl.config;
    if (modifiedSince !== undefined && modifiedAt !== undefined && modifiedAt < Date.parse(modifiedSince))
      return this.#intake.skip({ url, via }, 'notModified');
    const depth = record.kind === 'sitemap' ? 1 : record.depth + 1;
    const level = levelOfEntry(entry.priority, modifiedAt, now);
    return this.#intake.take(linkOf({ url, depth, via, level }), now);
  }

  #takeNested(record: UrlRecord, url: string, now: number): boolean {
    const via = record.url;
    const nesting = record.kind === 'sitemap' ? record.depth + 1 : 1;
    if (nesting > MAX_SITEMAP_NESTING) return this.#intake.skip({ url, via }, 'sitemapNesting');
    if (!this.isOwn(url, via)) return this.#intake.skip({ url, via }, 'scope');
    return this.#intake.take(linkOf({ url, depth: nesting, via, kind: 'sitemap' }), now);
  }
}

/** Up to 5 by its priority, and 2 more for a change within a week, 1 within two months. */
function levelOfEntry(priority = 0, modifiedAt: number | undefined, now: number): number {
  const ageMs = modifiedAt === undefined ? Number.POSITIVE_INFINITY : now - modifiedAt;
  const recency = ageMs <= 7 * DAY_MS ? 2 : ageMs <= 60 * DAY_MS ? 1 : 0;
  return Math.round(5 * priority) + recency;
}

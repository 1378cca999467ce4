import { boundedText, type Cause, type RedirectCause } from '../../../core/causes/cause.ts';
import { linkOf } from '../../../core/frontier/message.ts';
import { isSeedRecord } from '../../../core/frontier/rank.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { canonicalize } from '../../../core/url/canonical.ts';
import { redirectTarget } from '../../../core/url/field-reference.ts';
import {
  fetchedUrl,
  type HookRequest,
  isSentAlong,
  redirectedRequest,
  requestUrl,
} from '../../../core/url/request-url.ts';
import { isSameSite } from '../../../core/url/same-site.ts';
import type { TurnCounters } from '../counters.ts';
import type { FetchedPage } from '../fetched-page.ts';
import type { LinkIntake } from '../links/link-intake.ts';
import type { SitemapLinks } from '../links/sitemap-links.ts';
import { headersOf } from '../response-headers.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { CookieRedirects } from './cookie-redirects.ts';

/**
 * A meta refresh after a longer time lets the page be read first: it is a link. Search engines draw the line
 * near here.
 */
const MAX_SOFT_REDIRECT_MS = 5000;
/** The maximal length shown of a Location that is not a URL. */
const MAX_LOCATION_CHARS = 200;

export interface RedirectsOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly intake: LinkIntake;
  readonly sitemapLinks: SitemapLinks;
  readonly cookieRedirects: CookieRedirects;
}

/** Redirects: their targets are links of the same depth. */
export class Redirects {
  readonly #options: RedirectsOptions;

  constructor(options: RedirectsOptions) {
    this.#options = options;
  }

  /**
   * Where a page's meta refresh sends its reader at once, to another URL; undefined for a page that does not.
   */
  softTarget({ url }: UrlRecord, { refresh, refreshMs = 0 }: DocumentFacts): string | undefined {
    const { softRedirects } = this.#options.crawl.config;
    if (!softRedirects || refresh === undefined || refreshMs > MAX_SOFT_REDIRECT_MS) return undefined;
    const target = canonicalize(refresh);
    return target === undefined || target === url ? undefined : target;
  }

  /** Follows a response's Location. Returns where it leads. */
  async followLocation(
    record: UrlRecord,
    { response, request }: Pick<FetchedPage, 'response' | 'request'>,
    now: number,
  ): Promise<Cause> {
    const location = headersOf(response, 'location')[0];
    if (location === undefined) return { code: 'redirectWithoutLocation' };
    const target = redirectTarget(location, fetchedUrl(record.url));
    if (target !== undefined && request) {
      const isSameHost = isSentAlong(record.url, target);
      return this.#followRequest(
        record,
        target,
        redirectedRequest(request, response.httpStatus, isSameHost),
        now,
      );
    }
    if (target !== undefined) {
      const followed = await this.follow(record, target, now);
      if (followed.notFollowed === undefined && this.#options.cookieRedirects.toVia(record, target, now))
        return followed;
      const leadsBack = target === record.url || target === record.via;
      const wantsCookie = leadsBack && headersOf(response, 'set-cookie').length > 0;
      if (!wantsCookie) return followed;
      this.#options.counters.count('hints', 'cookie');
      return { ...followed, wantsCookie };
    }
    this.#options.counters.countSkipped('badUrl');
    return { code: 'redirectToNoUrl', location: location.slice(0, MAX_LOCATION_CHARS) };
  }

  /** Takes the URL `target` in as a link of the same depth. Returns where it leads. */
  async follow(record: UrlRecord, target: string, now: number): Promise<RedirectCause> {
    const { crawl, intake, sitemapLinks } = this.#options;
    const { depth, kind } = record;
    const via = record.url;
    const redirects = record.redirects + 1;
    if (redirects > crawl.config.maxRedirects) {
      intake.skip({ url: target, via }, 'redirects');
      return { ...this.#to(target), notFollowed: 'redirects', redirects };
    }
    // A site that adds a session id, or looks for a cookie by it, answers nothing else without it.
    const named = crawl.nameOf(target);
    const url = named === via ? target : named;
    const role = this.#roleOf(record, url);
    // `http://example.org/` that leads to `https://www.example.org/`, or to its new name: the operator means that site.
    if (role.widensScope && !(await crawl.widenScope(url))) {
      intake.skip({ url, via }, 'scope');
      return { ...this.#to(target), notFollowed: 'scopeFull' };
    }
    if (kind === 'sitemap' && !sitemapLinks.isOwn(url, via)) {
      intake.skip({ url, via }, 'scope');
      return { ...this.#to(target), notFollowed: 'otherSite' };
    }
    intake.take(linkOf({ url, depth, via, redirects, isSeed: role.isSeed, kind }), now);
    return role.isMoved ? { ...this.#to(target), joins: true } : this.#to(target);
  }

  /**
   * Takes in the request that a redirect makes of a request of the project (RFC 9110, section 15.4). `next`: none, since it is
   * not to go there.
   */
  #followRequest(
    record: UrlRecord,
    target: string,
    next: HookRequest | undefined,
    now: number,
  ): RedirectCause {
    const { crawl, intake } = this.#options;
    const redirects = record.redirects + 1;
    const { url: via, depth, level } = record;
    if (next === undefined) {
      intake.skip({ url: target, via }, 'scope');
      return { ...this.#to(target), notFollowed: 'otherHost' };
    }
    if (redirects > crawl.config.maxRedirects) {
      intake.skip({ url: target, via }, 'redirects');
      return { ...this.#to(target), notFollowed: 'redirects', redirects };
    }
    intake.take(linkOf({ url: requestUrl(crawl.nameOf(target), next), depth, via, redirects, level }), now);
    return this.#to(target);
  }

  /** A target longer than any URL of the crawl is not kept whole. */
  #to(target: string): RedirectCause {
    const { maxUrlLength } = this.#options.crawl.config;
    if (target.length <= maxUrlLength) return { code: 'redirect', to: target };
    return { code: 'redirect', to: boundedText(target), notFollowed: 'urlLength' };
  }

  /**
   * Returns the role of a redirect's target in the crawl. A seed's target of the same site, or of a site it
   * has moved to, is a seed.
   */
  #roleOf(record: UrlRecord, url: string) {
    const { config, scope } = this.#options.crawl;
    const isOfSeed = record.depth === 0 && record.kind === undefined;
    const isInScope = scope.check(url, record.depth) === undefined;
    const isSame = isSameSite(url, record.url);
    const isMoved = !isInScope && !isSame && isSeedRecord(record) && isOfSeed;
    const isSeed = isOfSeed && (isSame || (isMoved && scope.check(url, record.depth, true) === undefined));
    return {
      isSeed,
      isMoved: isSeed && isMoved,
      widensScope: isSeed && !isInScope && config.scope !== 'page',
    };
  }
}

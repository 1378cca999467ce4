/** Redirects: their targets are links of the same depth. */

import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import { linkOf } from '../frontier/message.ts';
import { isSeedRecord } from '../frontier/rank.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import { CrawlTooLarge } from '../ports/crawl-registry.ts';
import { canonicalize } from '../url/canonical.ts';
import { isSameSite } from '../url/same-site.ts';
import type { Crawl } from './crawls.ts';
import { countOne, type HostState } from './host-state.ts';
import { headersOf } from './response-headers.ts';
import { MOVED } from './seed-events.ts';
import type { Services } from './services.ts';
import { skipLink, takeLink } from './take-link.ts';
import { isOwnSitemap } from './take-sitemaps.ts';

/** A meta refresh after a longer time lets the page be read first: it is a link. Search engines draw the line near here. */
const MAX_SOFT_REDIRECT_MS = 5000;

/** Where a page's meta refresh sends its reader at once, to another URL; undefined for a page that does not. */
export function softRedirect(crawl: Crawl, { url }: UrlRecord, facts: DocumentFacts): string | undefined {
  const { refresh, refreshMs = 0 } = facts;
  if (!crawl.config.softRedirects || refresh === undefined || refreshMs > MAX_SOFT_REDIRECT_MS)
    return undefined;
  const target = canonicalize(refresh);
  return target === undefined || target === url ? undefined : target;
}

/** Follows a response's Location. Returns where it leads, in words. */
export function followLocation(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  response: FetchedResponse,
): Promise<string> | string {
  const location = headersOf(response, 'location')[0];
  if (location === undefined) return 'a redirect without Location';
  // Fields come as Latin-1; a Location that is not ASCII was meant as UTF-8.
  const target = canonicalize(Buffer.from(location, 'latin1').toString('utf8').trim(), record.url);
  if (target !== undefined) return followTo(services, crawl, state, record, target);
  countOne(state.totals.skipped, 'badUrl');
  return `to ${location.slice(0, 200)}, which is no http(s) URL`;
}

/** Takes the canonical URL `target` in as a link of the same depth. Returns where it leads, in words. */
export async function followTo(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  target: string,
): Promise<string> {
  const redirects = record.redirects + 1;
  if (redirects > crawl.config.maxRedirects) {
    skipLink(services, crawl, state, { url: target, via: record.url }, 'redirects');
    return `to ${target}, not followed: ${redirects} redirects in a row`;
  }
  // A site that adds a session id, or looks for a cookie by it, answers nothing else without it.
  const named = crawl.nameOf(target);
  const url = named === record.url ? target : named;
  const isSeed = record.depth === 0 && record.kind === undefined;
  const isOurs = crawl.scope.check(url, record.depth) === undefined;
  const isSame = isSameSite(url, record.url);
  const isMoved = !isOurs && !isSame && isSeedRecord(record) && isSeed;
  const isWanted =
    isSeed && (isSame || (isMoved && crawl.scope.check(url, record.depth, true) === undefined));
  if (isWanted && !isOurs && crawl.config.scope !== 'page') {
    // `http://example.org/` that leads to `https://www.example.org/`, or to its new name: the operator means that site.
    if (!(await widenScope(services, crawl, url))) {
      skipLink(services, crawl, state, { url, via: record.url }, 'scope');
      return `to ${target}, not followed: the record of the crawl has no room for another URL of its scope`;
    }
  }
  const { depth, kind } = record;
  if (kind === 'sitemap' && !isOwnSitemap(crawl, url, record.url)) {
    skipLink(services, crawl, state, { url, via: record.url }, 'scope');
    return `to ${target}, not followed: a sitemap of another site`;
  }
  const link = linkOf({ url, depth, via: record.url, redirects, isSeed: isWanted, kind });
  takeLink(services, crawl, state, link, services.engine.clock.now());
  return isWanted && isMoved ? `to ${target}${MOVED}` : `to ${target}`;
}

/** Draws the scope around this URL, too. False: a crawl of so many seeds has no room for it. */
async function widenScope(services: Services, crawl: Crawl, url: string): Promise<boolean> {
  try {
    await services.engine.registry.addScopeSeeds(crawl.id, [url]);
  } catch (error) {
    if (error instanceof CrawlTooLarge) return false;
    throw error;
  }
  services.crawls.refresh(crawl.id);
  return true;
}

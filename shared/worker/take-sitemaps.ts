/** Sitemaps: which are read, and what their entries are worth. */
import { type Link, linkOf } from '../frontier/message.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { HtmlLink } from '../parser/link-set.ts';
import { canonicalize } from '../url/canonical.ts';
import { hostKey } from '../url/host-key.ts';
import { isSameSite } from '../url/same-site.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';
import { skipLink, takeLink } from './take-link.ts';

/** Of one robots.txt. */
const MAX_NAMED = 100;
/** An index may name sitemaps, not indexes (the same protocol); some name indexes all the same. */
const MAX_NESTING = 3;

/**
 * Whether a sitemap may be read that `from` (robots.txt, an index, a redirect) leads to: of its site, or at a host of the
 * crawl. One of another site would have hosts asked that the operator has not thought of: it may be named by `sitemapUrls`.
 */
export function isOwnSitemap({ scope }: Pick<Crawl, 'scope'>, url: string, from: string): boolean {
  return isSameSite(url, from) || scope.hasHost(hostKey(url));
}

/**
 * Takes in the sitemaps that an origin's robots.txt names; where it names none, perhaps the well-known one. Not of a host
 * that is asked for sitemaps or parts of pages alone: each might name the next one of its domain, without end.
 */
export function takeNamedSitemaps(
  services: Services,
  crawl: Crawl,
  state: HostState,
  { origin, named }: { readonly origin: string; readonly named: readonly string[] },
): void {
  const { sitemaps, scope, maxDepth } = crawl.config;
  // Their URLs are links of depth 1.
  if (sitemaps === 'off' || scope === 'page' || maxDepth === 0 || !crawl.scope.hasHost(state.host)) return;
  const references = named.length === 0 && sitemaps === 'find' ? ['/sitemap.xml'] : named.slice(0, MAX_NAMED);
  const via = `${origin}/robots.txt`;
  const now = services.engine.clock.now();
  for (const reference of references) {
    const url = canonicalize(reference, via);
    if (url === undefined) skipLink(services, crawl, state, { url: reference, via }, 'badUrl');
    else if (!isOwnSitemap(crawl, url, via)) skipLink(services, crawl, state, { url, via }, 'scope');
    else takeLink(services, crawl, state, linkOf({ url, depth: 0, via, kind: 'sitemap' }), now);
  }
}

/**
 * The link that an entry of a sitemap makes; undefined for one that is not to be followed, which is counted. `record`:
 * the sitemap; one that is a page of the crawl itself (a link led to it) counts as such in depth.
 */
export function sitemapLink(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  { url, kind, priority, modifiedAt }: HtmlLink,
): Link | undefined {
  const via = record.url;
  if (kind === 'sitemap') {
    const nesting = record.kind === 'sitemap' ? record.depth + 1 : 1;
    const isNested = nesting > MAX_NESTING;
    if (!isNested && isOwnSitemap(crawl, url, via))
      return linkOf({ url, depth: nesting, via, kind: 'sitemap' });
    skipLink(services, crawl, state, { url, via }, isNested ? 'sitemapNesting' : 'scope');
    return undefined;
  }
  const { modifiedSince } = crawl.config;
  if (modifiedSince !== undefined && modifiedAt !== undefined && modifiedAt < Date.parse(modifiedSince)) {
    skipLink(services, crawl, state, { url, via }, 'notModified');
    return undefined;
  }
  const depth = record.kind === 'sitemap' ? 1 : record.depth + 1;
  const level = levelOfEntry(priority, modifiedAt, services.engine.clock.now());
  return linkOf({ url, depth, via, level });
}

const DAY_MS = 86_400_000;

/** Up to 5 by its priority, and 2 more for what has changed within a week, 1 within two months. */
function levelOfEntry(priority = 0, modifiedAt: number | undefined, now: number): number {
  const ageMs = modifiedAt === undefined ? Number.POSITIVE_INFINITY : now - modifiedAt;
  const recency = ageMs <= 7 * DAY_MS ? 2 : ageMs <= 60 * DAY_MS ? 1 : 0;
  return Math.round(5 * priority) + recency;
}

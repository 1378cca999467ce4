/** What a page gives the crawl: where it leads, and whether it is worth more like it. */

import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import { linkOf } from '../frontier/message.ts';
import { MAX_LINKS } from '../frontier/template-watch.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import { type HtmlLink, isRequisite } from '../parser/link-set.ts';
import { sizesOf } from '../sizes.ts';
import type { Crawl } from './crawls.ts';
import { countDroppedLinks } from './dropped-links.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';
import { skipLink, takeLink } from './take-link.ts';
import { sitemapLink } from './take-sitemaps.ts';

/** A style of a style of a page, and what that needs: as far from the page as parts of it are sought. */
const MAX_REQUISITE_HOPS = 5;

/** Takes in the links of a page, each as what it is, with a pause after each `linksAtOnce`. */
export async function takePage(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  response: FetchedResponse,
  facts: DocumentFacts,
): Promise<void> {
  const { work } = services;
  const { skipped } = state.totals;
  const { config } = crawl;
  const watched = (part: () => void) => work.run(crawl.id, record.url, 'links', part);
  watched(() => countDroppedLinks(services, crawl, state, record, facts));
  if (facts.fault !== undefined) skipped.sitemapFault = (skipped.sitemapFault ?? 0) + 1;
  const now = services.engine.clock.now();
  const isWatched = record.kind === undefined && isWatching(crawl, state);
  const isNofollow = config.obeyNofollow && facts.robots.nofollow;
  // Of a part of a page that does not belong to the crawl by itself, only its own parts are wanted.
  const isFollowed = record.kind !== 'requisite' || isOwnDocument(crawl, record, facts);
  const newLinks: string[] = [];
  const take = (link: HtmlLink) => {
    const isNew = isPart(config, link)
      ? takeRequisite(services, crawl, state, record, link, now)
      : isFollowed && takeFollowed(services, crawl, state, record, link, isNofollow, now);
    if (isNew && isWatched && newLinks.length < MAX_LINKS) newLinks.push(link.url);
  };
  const { linksAtOnce } = sizesOf(services.engine);
  for (let from = 0; from < facts.links.length; from += linksAtOnce) {
    if (from > 0) await work.pause();
    watched(() => facts.links.slice(from, from + linksAtOnce).forEach(take));
  }
  if (isWatched) {
    // Of what is no HTML, the bytes themselves: two pictures are two.
    const textHash = facts.type === 'html' ? facts.textHash : Buffer.from(response.body.sha1).readUInt32LE(0);
    watched(() =>
      state.traps.count(record.url, { newLinks, textHash, isCopy: isCopy(record.url, facts.canonical) }),
    );
  }
}

/**
 * Whether a requisite is a document that belongs to the crawl by itself: a frame, mostly. Its links are followed, and it
 * counts as a page if the limits allow one more.
 */
export function isOwnDocument(
  { scope }: Crawl,
  { kind, url, depth }: UrlRecord,
  { type }: DocumentFacts,
): boolean {
  const isDocument = type !== 'css' && type !== 'other';
  return kind === 'requisite' && isDocument && scope.check(url, depth) === undefined;
}

/** Whether a page's canonical URL is its own path with another query: its parameters make no other page of it. */
function isCopy(url: string, canonical: string | undefined): boolean {
  if (canonical === undefined || canonical === url) return false;
  const mark = url.indexOf('?', 8);
  if (mark < 0 || !canonical.startsWith(url.slice(0, mark))) return false;
  return canonical.length === mark || canonical.charCodeAt(mark) === QUESTION_MARK;
}

const QUESTION_MARK = 0x3f;

/** Whether the host has so many pages that its templates are watched. */
export function isWatching({ config }: Pick<Crawl, 'config'>, { totals }: HostState): boolean {
  return config.trapAfterPages > 0 && totals.pages >= config.trapAfterPages;
}

/**
 * Whether the link leads to a part of the page, which is fetched with it. Frames are that: browsers show them in the page,
 * and Heritrix and wget fetch them as its parts. A frame that belongs to the crawl becomes a page of it when it is fetched.
 */
function isPart({ requisites }: Crawl['config'], { kind, requisite }: HtmlLink): boolean {
  return isRequisite(kind) || requisite !== undefined || (kind === 'frame' && requisites);
}

function takeRequisite(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  link: HtmlLink,
  now: number,
): boolean {
  const url = crawl.nameOf(link.url);
  const depth = record.depth + 1;
  const via = record.url;
  const hops = record.kind === 'requisite' ? record.redirects + 1 : 0;
  if (hops > MAX_REQUISITE_HOPS) {
    skipLink(services, crawl, state, { url, via }, 'requisiteHops');
    return false;
  }
  const part = linkOf({ url, depth, via, kind: 'requisite', redirects: hops });
  return takeLink(services, crawl, state, part, now);
}

function takeFollowed(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  link: HtmlLink,
  isNofollow: boolean,
  now: number,
): boolean {
  const url = crawl.nameOf(link.url);
  const via = record.url;
  if (isNofollow || (link.nofollow && crawl.config.obeyNofollow)) {
    skipLink(services, crawl, state, { url, via }, 'nofollow');
    return false;
  }
  if (link.kind === 'url' || link.kind === 'sitemap') {
    const taken = sitemapLink(services, crawl, state, record, { ...link, url });
    return taken !== undefined && takeLink(services, crawl, state, taken, now);
  }
  return takeLink(services, crawl, state, linkOf({ url, depth: record.depth + 1, via }), now);
}

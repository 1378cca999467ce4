/** What becomes of a link: merged into its host's ledger, kept for the exchange, or left out and counted. */

import type { Scope } from '../crawl/scope.ts';
import type { LinkSkip, SkipReason } from '../crawl/skip-reason.ts';
import { type Link, linkOf } from '../frontier/message.ts';
import { ancestors } from '../url/ancestors.ts';
import { hostKey } from '../url/host-key.ts';
import type { Crawl } from './crawls.ts';
import { addOutLink, countOne, type HostState } from './host-state.ts';
import type { Services } from './services.ts';
import { admitSitemap } from './sitemap-pace.ts';

/**
 * The first reason against a link whose URL has passed the URL rules. A part of a page (a requisite) and a sitemap need
 * not lie within the scope: only what excludes seeds excludes them.
 */
export function reasonAgainst(scope: Scope, { url, depth, kind, isSeed }: Link): SkipReason | undefined {
  return kind === undefined ? scope.check(url, depth, isSeed) : scope.check(url, 0, true);
}

/**
 * Takes in a link that a page of `state`'s host has, its URL as the crawl knows it ({@link Crawl.nameOf}). True if this
 * host did not know it.
 */
export function takeLink(
  services: Services,
  crawl: Crawl,
  state: HostState,
  link: Link,
  now: number,
): boolean {
  const reason = reasonAgainst(crawl.scope, link);
  if (reason !== undefined) {
    skipLink(services, crawl, state, link, reason);
    return false;
  }
  if (hostKey(link.url) === state.host) return mergeLink(services, crawl, state, link, now);
  addOutLink(state, link);
  return false;
}

/** Merges a link to `state`'s own host, which belongs to the crawl. True if it was new. */
export function mergeLink(
  services: Services,
  crawl: Crawl,
  state: HostState,
  link: Link,
  now: number,
): boolean {
  if (!link.isSeed && link.kind === undefined && state.traps.isClosed(link.url)) {
    skipLink(services, crawl, state, link, 'trap');
    return false;
  }
  const isOtherSitemap = link.kind === 'sitemap' && !link.isSeed && !state.ledger.has(link.url);
  if (isOtherSitemap && !admitSitemap(crawl, state)) {
    skipLink(services, crawl, state, link, 'sitemapsPerHost');
    return false;
  }
  const isNew = state.ledger.merge(link, now);
  if (isNew && crawl.config.ascendPaths && link.kind === undefined) ascend(crawl, state, link, now);
  return isNew;
}

/** The folders above a new link. Above a known one all are known. */
function ascend(crawl: Crawl, state: HostState, { url, depth, via }: Link, now: number): void {
  for (const folder of ancestors(url)) {
    if (state.ledger.has(folder)) return;
    if (crawl.scope.check(folder, depth) === undefined)
      state.ledger.merge(linkOf({ url: folder, depth, via: via ?? url }), now);
  }
}

/** Counts a link that is left out, and notes it where the engine keeps such. */
export function skipLink(
  { engine }: Services,
  { id }: Crawl,
  { totals }: HostState,
  { url, via }: Pick<Link, 'url' | 'via'>,
  reason: LinkSkip,
): void {
  countOne(totals.skipped, reason);
  engine.skips?.note(id, { url, reason, via });
}

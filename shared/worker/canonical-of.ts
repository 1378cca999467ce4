import { linkOf } from '../frontier/message.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import { canonicalize } from '../url/canonical.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';
import { reasonAgainst, takeLink } from './take-link.ts';

/**
 * The URL that a page names as its canonical one, if that is another one of the crawl: it is taken in, and this page is
 * its duplicate. But not of one that is known to be no page, or to name this one in turn: of such a pair one is the page.
 */
export async function canonicalOf(
  services: Services,
  crawl: Crawl,
  state: HostState,
  record: UrlRecord,
  { canonical }: DocumentFacts,
): Promise<string | undefined> {
  if (!crawl.config.obeyCanonical || canonical === undefined || record.kind !== undefined) return undefined;
  const known = canonicalize(canonical);
  const url = known && crawl.nameOf(known);
  if (url === undefined || url === record.url) return undefined;
  const link = linkOf({ url, depth: record.depth, via: record.url });
  if (reasonAgainst(crawl.scope, link) !== undefined) return undefined;
  const outcome = await state.ledger.outcome(url);
  const isPage =
    outcome === undefined ||
    outcome.state === 'waiting' ||
    (outcome.state === 'fetched' && !outcome.names(record.url));
  if (!isPage) return undefined;
  takeLink(services, crawl, state, link, services.engine.clock.now());
  return url;
}

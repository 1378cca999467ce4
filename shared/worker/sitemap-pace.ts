/** How many sitemaps of a host are read, and when: they take turns with its pages. */
import type { UrlRecord } from '../frontier/url-record.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';

/** Other requests between two sitemaps of a host, so that a large index does not keep its pages waiting. */
const REQUESTS_BETWEEN = 10;
/** No further sitemap is read while so many URLs of the host wait: two full sitemaps. */
const MAX_WAITING = 100_000;

/** Whether a sitemap is to come before the pages that wait. If none waits, sitemaps come anyway. */
export function isSitemapNext({ sitemaps, ledger }: Pick<HostState, 'sitemaps' | 'ledger'>): boolean {
  return sitemaps.rest === 0 && ledger.counts.waiting < MAX_WAITING;
}

/** Counts a request that is about to be made. */
export function countTowardsSitemap({ sitemaps }: HostState, { kind }: UrlRecord): void {
  sitemaps.rest = kind === 'sitemap' ? REQUESTS_BETWEEN : Math.max(0, sitemaps.rest - 1);
}

/** Counts a sitemap that a host's ledger does not know. False: the host has had all that it may have. */
export function admitSitemap({ config }: Crawl, { sitemaps }: HostState): boolean {
  if (sitemaps.known >= config.maxSitemapsPerHost) return false;
  sitemaps.known++;
  return true;
}

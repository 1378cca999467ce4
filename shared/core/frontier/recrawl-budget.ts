import type { CrawlConfig } from '../crawl/config.ts';
import type { UrlState } from './url-record.ts';

/** Without a budget of its own, a crawl fetches this share of its known pages again each day. */
const DEFAULT_SHARE_PER_DAY = 0.2;

/** How many of a crawl's URLs may be fetched again. */
export const knownPages = (urls: Partial<Record<UrlState, number>> | undefined): number =>
  (urls?.fetched ?? 0) + (urls?.redirect ?? 0);

/** Fetches of known pages per day that the crawl may make. `urls`: its URLs by state. */
export const budgetPerDay = (
  { recrawlPerDay }: Pick<CrawlConfig, 'recrawlPerDay'>,
  urls: Partial<Record<UrlState, number>> | undefined,
): number => recrawlPerDay ?? Math.max(1, DEFAULT_SHARE_PER_DAY * knownPages(urls));

import type { CrawlConfig } from '../crawl/config.ts';

/** Whether the crawl keeps cookies that hosts set, for some hosts at least. */
export const keepsCookies = ({
  hostCookies,
  overrides,
}: Pick<CrawlConfig, 'hostCookies' | 'overrides'>): boolean =>
  hostCookies === 'keep' || overrides.some((override) => override.hostCookies === 'keep');

/** The description in warcinfo of a crawl that keeps cookies. */
export const REMOVED_HEADERS =
  'Values of Authorization, Cookie and, of hosts whose cookies are kept, Set-Cookie are replaced by [removed]';

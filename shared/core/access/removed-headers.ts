import type { CrawlConfig } from '../crawl/config.ts';

/** Replaces a value that is kept out of the archive. */
export const REMOVED = '[removed]';

/** The description in warcinfo of a crawl that keeps cookies, requests pages by accounts, or may be given cookies, at some hosts at least. */
export const removedHeaders = (
  { hostCookies, overrides }: Pick<CrawlConfig, 'hostCookies' | 'overrides'>,
  keepsCookies = false,
): string | undefined =>
  keepsCookies || hostCookies === 'keep' || overrides.some((override) => override.hostCookies === 'keep')
    ? `Values of Authorization, Cookie and, of hosts whose cookies are kept or that have accounts, Set-Cookie are replaced by ${REMOVED}`
    : undefined;

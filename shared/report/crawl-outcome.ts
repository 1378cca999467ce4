/** Whether a crawl that has ended came to what it was begun for. */
import type { CrawlSummary } from './summary.ts';

/**
 * No seed, nor what the seeds redirected to, was answered by a 2xx status. A crawl that an earlier version
 * began did not count its seeds: there it is that no page was fetched.
 */
export function isWithoutSeed({ pages, seeds }: Pick<CrawlSummary, 'pages' | 'seeds'>): boolean {
  if (pages === 0) return true;
  const isCounted = Object.values(seeds).some((count) => count > 0);
  return isCounted && (seeds.fetched ?? 0) === 0;
}

/** At every page for which the project's hooks were called one of them failed. */
export function areHooksBroken({ hooks }: Pick<CrawlSummary, 'hooks'>): boolean {
  const { pages = 0, failed = 0 } = hooks;
  return pages > 0 && failed >= pages;
}

/**
 * The end of a crawl that has met its limit of pages, and fetches requisites: no further page is begun, and
 * those that were fetched become whole. Then the crawl is called limited.
 */
import type { HostTotals } from '../frontier/head.ts';
import type { CrawlRegistry } from '../ports/crawl-registry.ts';
import type { MetLimit } from './budget.ts';
import type { Crawl } from './crawls.ts';

/**
 * A crawl with a limit of pages fetches as many requisites for each of them at most: style sheets may name
 * ever more. The HTTP Archive's pages have 70 requests in the median, and some hundreds at the 99th
 * percentile.
 */
export const MAX_REQUISITES_PER_PAGE = 1000;

/** Whether no further page is begun, but requisites of those that were fetched still are. */
export function isDraining({ status, budget }: Pick<Crawl, 'status' | 'budget'>): boolean {
  return status === 'running' && budget.metLimit()?.allowsRequisites === true;
}

/**
 * What ends the crawl now that it has met `met`; undefined: nothing does, and requisites are still fetched.
 */
export async function endOf(
  registry: CrawlRegistry,
  crawl: Crawl,
  met: MetLimit | undefined,
): Promise<MetLimit | undefined> {
  if (met && !met.allowsRequisites) return met;
  return (
    (await tooMany(registry, crawl)) ?? (met && (await registry.isQuiet(crawl.id, true)) ? met : undefined)
  );
}

/**
 * Whether a crawl was called limited too early: this host, of these totals, has requisites that it would have
 * awaited.
 */
export async function isCutShort(
  registry: CrawlRegistry,
  crawl: Pick<Crawl, 'id' | 'config' | 'budget' | 'status'>,
  { requisites }: HostTotals,
): Promise<boolean> {
  const isDrained = crawl.status === 'limited' && crawl.budget.metLimit()?.allowsRequisites === true;
  if (!isDrained || (requisites?.awaited ?? 0) === 0) return false;
  return (await tooMany(registry, crawl)) === undefined;
}

/** The limit of requisites, if it is met. */
async function tooMany(
  registry: CrawlRegistry,
  { id, config, budget }: Pick<Crawl, 'id' | 'config' | 'budget'>,
): Promise<MetLimit | undefined> {
  if (!config.requisites || config.maxPages === undefined) return undefined;
  const { requisites } = registry.isShared ? budget.used() : await registry.totals(id);
  if ((requisites?.fetched ?? 0) < MAX_REQUISITES_PER_PAGE * config.maxPages) return undefined;
  return {
    status: 'limited',
    reason: `${MAX_REQUISITES_PER_PAGE} requisites for each of ${config.maxPages} pages`,
  };
}

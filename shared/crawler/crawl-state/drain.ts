/**
 * The end of a crawl that has reached its limit of pages, and fetches requisites: no further page is begun,
 * and those that were fetched become whole. Then the crawl is called limited.
 */

import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { HostTotals } from '../../core/frontier/host-totals.ts';
import type { CrawlRegistry } from '../ports/crawl-registry.ts';
import type { Engine } from '../ports/engine.ts';
import type { MetLimit } from './budget.ts';
import type { Crawl } from './crawls.ts';

/**
 * A crawl with a limit of pages fetches as many requisites for each of them at most: style sheets may name
 * ever more. The HTTP Archive's pages have 70 requests in the median, and some hundreds at the 99th
 * percentile.
 */
const MAX_REQUISITES_PER_PAGE = 1000;

/** Hosts looked at before a crawl ends at its limit of pages: those that are due first. */
const MAX_HOSTS = 50;

/** Whether no further page is begun, but requisites of those that were fetched still are. */
export function isDraining({ status, budget }: Pick<Crawl, 'status' | 'budget'>): boolean {
  return status === 'running' && budget.metLimit()?.allowsRequisites === true;
}

/**
 * Returns the limit that ends the crawl now that it has met `met`; undefined if none does, since requisites
 * are still fetched.
 */
export async function endOf(
  engine: Pick<Engine, 'registry' | 'ledgers' | 'clock'>,
  crawl: Crawl,
  met: MetLimit | undefined,
): Promise<MetLimit | undefined> {
  const { registry } = engine;
  if (met && !met.allowsRequisites) return met;
  if (met?.allowsRecrawl) return undefined;
  const end = await tooMany(registry, crawl);
  if (end || !met || !(await registry.isQuiet(crawl.id, true))) return end;
  return registry.isShared && (await isAnyAwaited(engine, crawl.id)) ? undefined : met;
}

/**
 * Whether the head of a host says that its requisites are awaited. The counters of several processes do not
 * distinguish it from a host whose process has died, or is slow, between the head and its count; and how long
 * ago the last count was is not known where a clock is wrong.
 */
async function isAnyAwaited(
  { ledgers, clock }: Pick<Engine, 'ledgers' | 'clock'>,
  crawl: CrawlId,
): Promise<boolean> {
  const now = clock.now();
  // Including URLs that are due later.
  for (const { host } of await ledgers.dueHosts(crawl, now, MAX_HOSTS, now)) {
    const head = await ledgers.loadHead(crawl, host);
    if ((head?.totals.requisites?.awaited ?? 0) > 0) return true;
  }
  return false;
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
    reason: {
      code: 'requisites',
      text: `${MAX_REQUISITES_PER_PAGE} requisites for each of ${config.maxPages} pages`,
    },
  };
}

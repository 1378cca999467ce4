import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlRecord, CrawlRegistry, CrawlTotals } from '../../crawler/ports/crawl-registry.ts';
import { findFailedSeeds } from '../report/failed-seeds.ts';
import type { CrawlSummary } from '../report/summary.ts';
import { summaryOf } from '../report/summary-of.ts';
import { isTroubled, type KnownHost, troubledHosts } from '../report/troubled-hosts.ts';
import type { ControlEngine } from './control-engine.ts';
import { siteCounts } from './site-list.ts';

/** WARC files named. */
const MAX_FILES = 1000;
/** Hosts set aside or failing that are named ... */
const MAX_TROUBLED = 100;
/** ... in a crawl of at most this many hosts, since each host's head is read. */
const MAX_SCANNED_HOSTS = 2000;
const PAGE = 500;
/** Pages may be short where an engine keeps many crawls together: each read is bounded. */
const MAX_PAGES = 8;

/** Returns the summary of the crawl, by a few reads. */
export async function summarizeCrawl(
  engine: ControlEngine,
  crawl: CrawlId,
  record: CrawlRecord,
): Promise<CrawlSummary> {
  const totals = await engine.registry.totals(crawl);
  const [files, hosts, failedSeeds, sites] = await Promise.all([
    engine.warcFiles?.(crawl) ?? [],
    findTroubled(engine, crawl, totals),
    findFailedSeeds(engine.ledgers, crawl, record, totals),
    siteCounts(engine, crawl, record),
  ]);
  const { total = 0, isExact = true, byItem = {} } = (totals.usage && engine.costOf?.(totals.usage)) ?? {};
  return summaryOf(
    crawl,
    record,
    { ...totals, cost: totals.cost ?? total },
    {
      costByItem: byItem,
      ...(!isExact && { costIsEstimated: true }),
      ...troubledHosts(hosts),
      failedSeeds,
      // They are in the logs of the workers alone.
      hookErrors: [],
      warcFiles: files.slice(0, MAX_FILES),
      sites,
    },
  );
}

/** Returns the hosts of the crawl that were given up or fail, as far as they are named. */
async function findTroubled(
  { ledgers }: { readonly ledgers: Pick<ControlEngine['ledgers'], 'hostPage'> },
  crawl: CrawlId,
  { hosts }: Pick<CrawlTotals, 'hosts'>,
): Promise<KnownHost[]> {
  const found: KnownHost[] = [];
  if (hosts === 0 || hosts > MAX_SCANNED_HOSTS) return found;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_TROUBLED; page++) {
    const { hosts: read, cursor: next } = await ledgers.hostPage(crawl, cursor, PAGE);
    for (const known of read) if (isTroubled(known.head) && found.length < MAX_TROUBLED) found.push(known);
    if (next === undefined) break;
    cursor = next;
  }
  return found;
}

/** Returns the summary as events represent it: without names of files, and without the reasons of failed seeds. */
export async function endedCrawl(
  engine: {
    readonly registry: Pick<CrawlRegistry, 'totals'>;
    readonly ledgers: Pick<ControlEngine['ledgers'], 'hostPage'>;
  },
  crawl: CrawlId,
  record: CrawlRecord,
): Promise<CrawlSummary> {
  const totals = await engine.registry.totals(crawl);
  return summaryOf(crawl, record, totals, {
    costByItem: {},
    ...troubledHosts(await findTroubled(engine, crawl, totals)),
    failedSeeds: [],
    hookErrors: [],
    warcFiles: [],
  });
}

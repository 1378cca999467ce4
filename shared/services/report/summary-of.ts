import { reasonIn } from '../../core/causes/status-reason.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { countUrls } from '../../core/frontier/url-record.ts';
import type { CrawlRecord, CrawlTotals } from '../../crawler/ports/crawl-registry.ts';
import { lossesOf } from './crawl-outcome.ts';
import { type CrawlSummary, pageRate } from './summary.ts';

/** The fields that are neither in a crawl's record nor in its totals. */
export type SummaryExtras = Pick<
  CrawlSummary,
  'costByItem' | 'costIsEstimated' | 'setAside' | 'failing' | 'warcFiles' | 'failedSeeds' | 'hookErrors'
> & {
  /** Pages whose hooks failed after their calls had ended. Default: 0. */
  readonly lateHookFailures?: number;
  /** Default: the crawl has no list of them. */
  readonly sites?: CrawlSummary['sites'] | undefined;
};

export function summaryOf(
  crawl: CrawlId,
  record: Pick<CrawlRecord, 'status' | 'why' | 'begunBy' | 'firstPass'>,
  totals: CrawlTotals,
  extras: SummaryExtras,
): CrawlSummary {
  const seconds = Math.round(totals.activeMs / 10) / 100;
  return {
    pages: totals.pages,
    urls: countUrls(totals.urls),
    hosts: totals.hosts,
    bytes: totals.bytes,
    seconds,
    byStatus: totals.urls,
    skipped: totals.skipped,
    errors: totals.errors,
    warcFiles: extras.warcFiles,
    state: record.status,
    crawl,
    rate: pageRate(totals.pages, seconds),
    cost: totals.cost ?? 0,
    costByItem: extras.costByItem,
    ...(extras.costIsEstimated && { costIsEstimated: true }),
    reason: record.why?.text,
    setAside: extras.setAside,
    httpStatus: totals.httpStatus,
    failing: extras.failing,
    seeds: totals.seeds ?? {},
    failedSeeds: extras.failedSeeds,
    hints: totals.hints ?? {},
    hooks: hooksOf(totals, extras.lateHookFailures ?? 0),
    hookErrors: extras.hookErrors,
    requisites: requisitesOf(totals),
    reasonCode: reasonIn(record)?.code,
    cache: totals.cache ?? {},
    recrawl: totals.recrawl ?? {},
    firstPassAt: record.firstPass && new Date(record.firstPass.at).toISOString(),
    overBudget: whereUrls(totals.overBudget),
    full: whereUrls(totals.full),
    exact: totals.isExact ?? true,
    begunBy: record.begunBy,
    losses: lossesOf(totals),
    sites: extras.sites ?? {},
    refusals: present(totals.refused),
    render: totals.render ?? {},
    accounts: totals.accounts ?? {},
  };
}

/** A page may be counted twice, by a turn and as a late failure: no more pages fail than there are. */
function hooksOf({ hooks = {} }: CrawlTotals, late: number): CrawlSummary['hooks'] {
  const { pages = 0, failed = 0 } = hooks;
  return late === 0 ? hooks : { ...hooks, failed: Math.max(failed, Math.min(pages, failed + late)) };
}

/** Empty if no URLs are counted: hosts keep counts of zero. */
function whereUrls({ urls = 0, hosts = 0 }: Readonly<Record<string, number>> = {}): Record<string, number> {
  return urls > 0 ? { urls, hosts } : {};
}

/** Without zeros, which hosts keep that refuse no more. */
const present = (counts: Readonly<Record<string, number>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

function requisitesOf({ requisites }: CrawlTotals): CrawlSummary['requisites'] {
  return requisites ? { fetched: requisites.fetched ?? 0, waiting: requisites.waiting ?? 0 } : {};
}

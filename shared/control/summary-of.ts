import { countUrls } from '../frontier/url-record.ts';
import type { CrawlId, CrawlRecord, CrawlTotals } from '../ports.ts';
import { type CrawlSummary, pageRate } from './summary.ts';

/** What a crawl's record and totals do not tell. */
export type SummaryExtras = Pick<
  CrawlSummary,
  'costByItem' | 'setAside' | 'failing' | 'warcFiles' | 'failedSeeds' | 'hookErrors'
>;

export function summaryOf(
  crawl: CrawlId,
  { status, reason }: Pick<CrawlRecord, 'status' | 'reason'>,
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
    state: status,
    crawl,
    rate: pageRate(totals.pages, seconds),
    cost: totals.cost ?? 0,
    costByItem: extras.costByItem,
    reason,
    setAside: extras.setAside,
    httpStatus: totals.httpStatus,
    failing: extras.failing,
    seeds: totals.seeds ?? {},
    failedSeeds: extras.failedSeeds,
    hints: totals.hints ?? {},
    hooks: totals.hooks ?? {},
    hookErrors: extras.hookErrors,
  };
}

import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { quotaTemplateOf } from '../../shared/core/frontier/template-counts.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type HostFacts, isPage } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

/**
 * No URL template of a host has more pages than its quota (`maxPagesPerTemplate`): in the ledger exactly, and by the web's
 * log no more URLs that were answered as pages, and one for each request that was lost with its turn. A page is left
 * out for the quota only if its template has had all its pages.
 */
export function templateQuota(visited: readonly HostVisits[], robots: RobotsLog): readonly Violation[] {
  const findings = createFindings('templateQuota');
  for (const visits of visited) {
    const { crawl, host } = visits;
    const { maxPagesPerTemplate: most } = crawl.config;
    checkLeftOut(findings, crawl, host);
    // A page that had failed may be one when it is fetched again.
    if (most === undefined || isRecrawling(crawl.config)) continue;
    for (const [template, pages] of byTemplate(host.records.filter(isPage)))
      if (pages.length > most)
        findings.add(
          `${crawl.id}: ${host.host} has ${pages.length} pages of ${template}, expected at most ${most}`,
          {
            host: host.host,
          },
        );
    checkRequests(findings, visits, most, robots);
  }
  return findings.list;
}

function checkRequests(
  findings: Findings,
  { crawl, host, requests, lost }: HostVisits,
  most: number,
  robots: RobotsLog,
): void {
  if (host.heads.length === 0) return;
  const answered = new Set(
    requests
      .filter((request) => !robots.isOfRobots(request) && finalStateOf(request) !== 'redirect')
      .filter((request) => finalStateOf(request) !== undefined)
      .map(({ url }) => url),
  );
  const asked = host.records.filter(({ url, state }) => answered.has(url) && !NO_PAGES.has(state));
  const allowed = most + Math.max(0, lost);
  for (const [template, pages] of byTemplate(asked))
    if (pages.length > allowed)
      findings.add(
        `${crawl.id}: ${pages.length} pages of ${template} were requested of ${host.host}, expected at most ${most} and ${allowed - most} of discarded turns`,
        { host: host.host },
      );
}

/** A page may redirect by its markup, or harm its worker. */
const NO_PAGES: ReadonlySet<string> = new Set<UrlRecord['state']>(['redirect', 'failed']);

function checkLeftOut(findings: Findings, { id, config }: CrawlFacts, { host, records }: HostFacts): void {
  const { maxPagesPerTemplate: least = Number.POSITIVE_INFINITY } = config;
  const cause = ({ result }: UrlRecord) => result?.cause?.code === 'pagesPerTemplate';
  if (!records.some(cause)) return;
  // A page that counted may be a seed's since.
  const pages = byTemplate(records.filter(isPage).map((record) => ({ ...record, depth: 1 })));
  for (const record of records.filter(cause)) {
    const had = pages.get(quotaTemplateOf(record) ?? '')?.length ?? 0;
    if (had < least)
      findings.add(
        `${id}: ${record.url} was left out after ${had} pages of its template, expected ${least}`,
        {
          host,
        },
      );
  }
}

function byTemplate(records: readonly UrlRecord[]): Map<string, UrlRecord[]> {
  const counted = records.flatMap((record) => {
    const template = quotaTemplateOf(record);
    return template === undefined ? [] : [{ template, record }];
  });
  return new Map(
    Map.groupBy(counted, ({ template }) => template)
      .entries()
      .map(([template, some]) => [template, some.map(({ record }) => record)]),
  );
}

/** Whether links to the URL are left out, as its template has had all its pages. */
export const isOverQuota = ({ config }: CrawlFacts, host: HostFacts | undefined, url: string): boolean => {
  const template = quotaTemplateOf({ url, depth: 1 });
  if (config.maxPagesPerTemplate === undefined || template === undefined || host === undefined) return false;
  return (byTemplate(host.records.filter(isPage)).get(template)?.length ?? 0) >= config.maxPagesPerTemplate;
};

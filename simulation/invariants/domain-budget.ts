import { isRecrawling } from '../../shared/crawl/config.ts';
import { domainLimitsOf, maxHostsPerDomain } from '../../shared/crawl/domain-limits.ts';
import { periodAt, periodEnd } from '../../shared/frontier/domain-state.ts';
import { hostKey } from '../../shared/url/host-key.ts';
import { domainOf } from '../../shared/url/registrable-domain.ts';
import { MAX_SKEW_MS } from '../models/cloud.ts';
import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'web' | 'strikes'>;

/** This many times its budget a domain may have, for clocks and for requests that had to wait at the end of a period. */
const SLACK = 1.1;

/**
 * No registrable domain has more requests for pages in a period than 1.1 times its budget, and one for each request
 * that its hosts may have in flight, whatever workers die and whatever messages come again. No more of its hosts are
 * visited than allowed, seeds' hosts aside.
 */
export function domainBudget({ crawls, web, strikes }: UsedFacts, robots: RobotsLog): readonly Violation[] {
  const findings = createFindings('domainBudget');
  for (const crawl of crawls) {
    const log = web.log.filter((request) => isBy(request, crawl) && !robots.isOfRobots(request));
    checkPages(findings, crawl, {
      log,
      isClockWrong: strikes.clockStepped > 0,
      skewMs: strikes.clockSkew > 0 ? MAX_SKEW_MS : 0,
    });
    checkHosts(findings, crawl);
  }
  return findings.list;
}

interface Requests {
  readonly log: Facts['web']['log'];
  readonly isClockWrong: boolean;
  /** By this much clocks may differ from the world's. */
  readonly skewMs: number;
}

function checkPages(findings: Findings, crawl: CrawlFacts, { log, isClockWrong, skewMs }: Requests): void {
  const { id, config, known } = crawl;
  // Requests for pages that are fetched again do not count.
  if (isRecrawling(config)) return;
  const pages = log.filter(({ url, failure }) => known.get(url)?.kind !== 'requisite' && failure !== 'stale');
  for (const [domain, requests] of Map.groupBy(pages, ({ host }) => domainOf(host))) {
    const { budget, everyMs } = domainLimitsOf(config, domain);
    if (budget === undefined) continue;
    const hosts = new Set(requests.map(({ host }) => host)).size;
    const most = Math.floor(SLACK * budget) + hosts * config.perHost;
    for (const [period, all] of Map.groupBy(requests, ({ startedAt }) =>
      periodAt(domain, startedAt, everyMs),
    )) {
      const end = periodEnd(domain, period, everyMs);
      // By its process's clock, one near the begin or the end may be of another period.
      const some = all.filter(({ startedAt: at }) => at >= end - everyMs + skewMs && at < end - skewMs);
      const [first] = some;
      if (first && some.length > most)
        findings.add(
          `${id}: ${domain} had ${some.length} requests for pages in period ${period}, from ${since(first.startedAt)} on; expected at most ${most} with a budget of ${budget}`,
          { at: first.startedAt, excuse: isClockWrong ? 'wrongClock' : undefined },
        );
    }
  }
}

function checkHosts(findings: Findings, { id, config, hosts, seeds, laterSeeds }: CrawlFacts): void {
  const maxHosts = maxHostsPerDomain(config);
  if (maxHosts === undefined) return;
  const seeded = new Set([...seeds, ...laterSeeds].map(hostKey));
  const visited = [...hosts.values()].filter(({ records }) => records.length > 0);
  for (const [domain, some] of Map.groupBy(visited, ({ host }) => domainOf(host))) {
    const found = some.filter(({ host }) => !seeded.has(host)).length;
    if (found > maxHosts)
      findings.add(
        `${id}: ${found} hosts of ${domain} were opened that are no seeds', expected at most ${maxHosts}`,
      );
  }
}

/**
 * Whether links to the host are skipped by design: its domain has no room for it. Once it is full, a seed opens its own
 * host, but links that came before are gone.
 */
export function mayBeRefused({ config, domains, hosts }: CrawlFacts, host: string): boolean {
  const maxHosts = maxHostsPerDomain(config);
  const records = hosts.get(host)?.records ?? [];
  if (maxHosts === undefined || (records.length > 0 && records.every(({ depth }) => depth > 0))) return false;
  return (domains.get(domainOf(host))?.opened ?? 0) >= maxHosts;
}

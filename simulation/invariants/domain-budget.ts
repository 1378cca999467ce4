import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { domainLimitsOf, linkBudget, maxHostsPerDomain } from '../../shared/core/crawl/domain-limits.ts';
import { periodAt, periodEnd } from '../../shared/core/frontier/domain-state.ts';
import {
  countLinkers,
  linkerHash,
  mergeSketches,
  NO_LINKERS,
  sketchOf,
} from '../../shared/core/frontier/linker-sketch.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { domainOf } from '../../shared/core/url/registrable-domain.ts';
import { isOwnRequest } from '../../shared/core/url/request-url.ts';
import { MAX_SKEW_MS } from '../models/cloud.ts';
import type { Violation } from '../worlds/spec.ts';
import { originalOf } from './canonical-copies.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'web' | 'strikes'>;

/** Turns of a host that may use what an earlier one has left in the head, before the quarantine takes it out. */
const REPEATED = 2;
/** This many times its budget a domain may have, for clocks and for requests that had to wait at the end of a period. */
const SLACK = 1.1;

/**
 * No registrable domain has more requests for pages in a period than 1.1 times its budget, and one for each request
 * that its hosts may have in flight, whatever workers die and whatever messages come again; two more for each host if turns
 * were discarded. No more of its hosts are visited than allowed, seeds' hosts aside.
 */
export function domainBudget({ crawls, web, strikes }: UsedFacts, robots: RobotsLog): readonly Violation[] {
  const findings = createFindings('domainBudget');
  for (const crawl of crawls) {
    const log = web.log.filter((request) => isBy(request, crawl) && !robots.isOfRobots(request));
    const linkers = linkersIn(log, web);
    checkLinkers(findings, crawl, linkers);
    checkPages(findings, crawl, {
      log,
      linkers,
      web,
      repeated: mayHaveLostTurns({ strikes }) ? REPEATED : 0,
      isClockWrong: strikes.clockStepped > 0,
      skewMs: strikes.clockSkew > 0 ? MAX_SKEW_MS : 0,
    });
    checkHosts(findings, crawl);
  }
  return findings.list;
}

interface Requests {
  readonly log: Facts['web']['log'];
  readonly linkers: Linkers;
  readonly web: Facts['web'];
  /** Requests of each host that may have been made again. */
  readonly repeated: number;
  readonly isClockWrong: boolean;
  /** By this much clocks may differ from the world's. */
  readonly skewMs: number;
}

function checkPages(
  findings: Findings,
  crawl: CrawlFacts,
  { log, linkers, web, repeated, isClockWrong, skewMs }: Requests,
): void {
  const { id, config, known } = crawl;
  // Requests for pages that are fetched again do not count.
  if (isRecrawling(config)) return;
  const fetched = new Set<string>();
  const pages = log.filter((request) => {
    const { url, failure } = request;
    // Nor is a page that is fetched once more, as it is no copy after all.
    const isRefetch = fetched.has(url) && originalOf(url, crawl, web) !== undefined;
    if (finalStateOf(request) === 'fetched') fetched.add(url);
    return known.get(url)?.kind !== 'requisite' && failure !== 'stale' && !isRefetch;
  });
  for (const [domain, requests] of Map.groupBy(pages, ({ host }) => domainOf(host))) {
    const { budget: base, growsByLinks, everyMs } = domainLimitsOf(config, domain);
    if (base === undefined) continue;
    // To the median domain at least one links.
    const budget = growsByLinks ? Math.round(base * Math.sqrt(linkers.get(domain)?.size ?? 1)) : base;
    const hosts = new Set(requests.map(({ host }) => host)).size;
    const most = Math.floor(SLACK * budget) + hosts * (config.perHost + repeated);
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

/** The registrable domains of the pages that were requested and link to each, itself left out. */
type Linkers = ReadonlyMap<string, ReadonlySet<string>>;

function linkersIn(log: Facts['web']['log'], web: Facts['web']): Linkers {
  const linkers = new Map<string, Set<string>>();
  for (const url of new Set(log.map(({ url }) => url))) {
    const from = domainOf(hostKey(url));
    const canonical = web.canonicalOf(url) ?? [];
    for (const link of [...web.linksOf(url)].concat(canonical)) {
      const to = domainOf(hostKey(link));
      if (to === from) continue;
      const known = linkers.get(to) ?? new Set();
      linkers.set(to, known.add(from));
    }
  }
  return linkers;
}

/** A domain's head knows each domain by whose page a URL of it was found, and none that does not link to it. */
function checkLinkers(
  findings: Findings,
  { id, config, domains, known }: CrawlFacts,
  linkers: Linkers,
): void {
  if (linkBudget(config.domainBudget) === undefined) return;
  const sketchOfDomain = (domain: string) => domains.get(domain)?.head.domain?.linkers ?? NO_LINKERS;
  for (const domain of domains.keys()) {
    const [counted, most] = [countLinkers(sketchOfDomain(domain)), linkers.get(domain)?.size ?? 0];
    if (counted > most)
      findings.add(`${id}: ${counted} domains are said to link to ${domain}, expected at most ${most}`);
  }
  // A part of a page may be linked to later, as a page.
  if (config.requisites) return;
  for (const { url, via, redirects, kind, depth } of known.values()) {
    const [to, from] = [domainOf(hostKey(url)), via === undefined ? '' : domainOf(hostKey(via))];
    if (from === '' || from === to || redirects > 0 || kind !== undefined || depth === 0) continue;
    if (isOwnRequest(url)) continue;
    const sketch = sketchOfDomain(to);
    if (mergeSketches(sketch, sketchOf([linkerHash(from)])) !== sketch)
      findings.add(`${id}: ${url} was found on ${via}, but ${to} does not know that ${from} links to it`);
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

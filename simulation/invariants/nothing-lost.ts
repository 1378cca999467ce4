import { nearDuplicateIn } from '../../shared/core/causes/cause.ts';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { renderTemplateOf } from '../../shared/core/render/template-needs.ts';
import { isRoute } from '../../shared/core/url/hash-route.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { fetchedUrl, isOwnRequest } from '../../shared/core/url/request-url.ts';
import { isUsageFile } from '../web/usage.ts';
import { simLanguage } from '../worlds/sim-hooks.ts';
import type { Violation } from '../worlds/spec.ts';
import { originalOf } from './canonical-copies.ts';
import { mayBeRefused } from './domain-budget.ts';
import {
  askedUrl,
  type CrawlFacts,
  type Facts,
  type HostFacts,
  isBy,
  isFullHost,
  isPage,
  mayHaveLostTurns,
} from './facts.ts';
import { createFindings, type Findings } from './findings.ts';
import { isTooOld, type SitemapSource, sitemapsOf } from './named-sitemaps.ts';
import type { RobotsLog } from './robots-answers.ts';
import { scopeOf } from './scope.ts';
import { isProbe } from './soft-404.ts';
import { isOverQuota } from './template-quota.ts';
import { isClosed, mayBeOfTrap } from './traps-end.ts';
import type { HostVisits } from './visits.ts';

/**
 * Known are all seeds, all links of fetched pages and all targets of redirects that the crawl's scope and
 * limits certainly accept, and all sitemaps that served robots.txt and indexes name; and nothing that is neither. What a message still carries counts as known: whether
 * it may be there is the chain's invariant to say. Links to hosts that are full, or to groups of URLs that
 * have closed because they add nothing new, are dropped by design. A feed that pages name as their alternate is known
 * only to crawls that follow feeds.
 */
export function nothingLost(
  facts: Pick<Facts, 'crawls' | 'web' | 'messages' | 'strikes'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('nothingLost');
  const reachable = reachableUrls(facts);
  for (const crawl of facts.crawls) {
    checkKnown(findings, crawl, facts);
    checkSitemaps(findings, crawl, facts, sitemapsOf(crawl, facts.web, robots));
    const allowed = sitemapsOf(crawl, facts.web, robots, crawl.scopeSeeds);
    checkNothingElse(findings, crawl, reachable, allowed);
    checkFeeds(findings, crawl, facts.web);
    checkOldEntries(findings, crawl, facts.web);
  }
  checkAsked(findings, facts, visited);
  return findings.list;
}

function checkKnown(
  findings: Findings,
  crawl: CrawlFacts,
  { web, messages }: Pick<Facts, 'web' | 'messages'>,
): void {
  const { id, config, known, hosts } = crawl;
  const pending = new Set(messages.flatMap((message) => (message.crawl === id ? message.urls : [])));
  const scope = scopeOf(config, crawl.seeds);
  const isUnknown = (url: string) => !known.has(url) && !pending.has(url);
  const isMissing = (url: string) => isUnknown(url) && !leavesOut(crawl, hosts.get(hostKey(url)), url, web);
  for (const seed of [...crawl.seeds, ...crawl.laterSeeds])
    if (scope.acceptsSeed(seed) && isMissing(seed))
      findings.add(`${id}: the seed ${seed} is not known`, { host: hostKey(seed) });

  const whole = wholeDigests(web.log);
  for (const record of known.values()) {
    if (record.state === 'redirect') {
      const target = web.redirectOf(record.url);
      const isFollowed = record.redirects + 1 <= config.maxRedirects;
      // Where one of a sitemap may lead is judged with sitemaps.
      const isAccepted = (url: string) =>
        record.kind !== 'sitemap' &&
        (isOwnRequest(url) || isFirstSeed(record)
          ? scope.acceptsSeed(fetchedUrl(url))
          : scope.accepts(url, record.depth));
      if (target !== undefined && isFollowed && isAccepted(target) && isMissing(target))
        findings.add(
          `${id}: ${record.url} redirects to ${target}, which is not known (depth ${record.depth}, ${record.result?.cause?.code})`,
          { host: hostKey(target) },
        );
    }
    if (isOk(record) && !isWhole(record, whole) && mayTryAgain(record, config))
      findings.add(
        `${id}: ${record.url} is fetched after ${record.attempts} of ${config.maxAttempts} tries, though its body broke off`,
        { host: hostKey(record.url) },
      );
    if (record.state !== 'fetched' || !isOk(record) || !isWhole(record, whole)) continue;
    for (const part of config.requisites ? web.requisitesOf(record.url) : [])
      if (scope.acceptsSeed(part) && isUnknown(part) && !mayBeRefused(crawl, hostKey(part)))
        findings.add(
          `${id}: ${record.url} (fetched, depth ${record.depth}) has the requisite ${part}, which is not known`,
          { host: hostKey(part) },
        );
    for (const name of areHooksCalled(record, crawl) ? web.requestsOf(record.url) : [])
      if (scope.acceptsSeed(fetchedUrl(name)) && isUnknown(name) && !leavesOutRequest(crawl, name))
        findings.add(`${id}: the hook of ${record.url} has requested ${name}, which is not known`, {
          host: hostKey(name),
        });
    const original = record.kind === undefined ? originalOf(record.url, crawl, web) : undefined;
    if (original !== undefined && scope.accepts(original, record.depth) && isMissing(original))
      findings.add(`${id}: ${record.url} (fetched) names ${original} as canonical, which is not known`, {
        host: hostKey(original),
      });
    // Their links are left out by design, or may not have been seen.
    if (isSkippedCopy(record) || !web.isShown(record.url)) continue;
    const links = web.linksOf(record.url);
    // Which of too many links are kept is not for us to say.
    if (links.length > config.maxLinksPerPage) continue;
    // With several requests at once a page may rise while it is fetched: its links then came from deeper than
    // its record says.
    const isDepthCertain = config.perHost === 1 || config.maxDepth === undefined;
    if (!isDepthCertain) continue;
    const own = hasScopeOfItsOwn(record, crawl) ? scopeOf(config, [...crawl.seeds, record.url]) : scope;
    // Its sitemaps are judged with others.
    if (web.isIndex(record.url)) continue;
    const depth = record.kind === 'sitemap' ? 1 : record.depth + 1;
    for (const link of links)
      if (own.accepts(link, depth) && isMissing(link) && !isLeftOut(crawl, record.url, link, web))
        findings.add(
          `${id}: ${record.url} (fetched, depth ${record.depth}) links to ${link}, which is not known`,
          { host: hostKey(link) },
        );
  }
}

/** Whether a fetched page would be fetched again if its body had broken off. */
const mayTryAgain = ({ state, attempts }: UrlRecord, config: CrawlFacts['config']): boolean =>
  state === 'fetched' && attempts < config.maxAttempts && !isRecrawling(config);

/** Sitemaps that served files name must be known, and as sitemaps. */
function checkSitemaps(
  findings: Findings,
  crawl: CrawlFacts,
  { messages }: Pick<Facts, 'messages'>,
  sources: ReadonlyMap<string, readonly SitemapSource[]>,
): void {
  const { id, known } = crawl;
  const pending = new Set(messages.flatMap((message) => (message.crawl === id ? message.urls : [])));
  for (const [url, some] of sources) {
    const from = some.find(({ isRead }) => isRead)?.from;
    const host = hostKey(url);
    if (from !== undefined && !known.has(url) && !pending.has(url) && !leavesOutRequest(crawl, url))
      findings.add(`${id}: ${from} leads to the sitemap ${url}, which is not known`, { host });
  }
}

/**
 * Whether links to the URL are dropped by design: the host is full or its domain has no room for it, the URL's template
 * has had all its pages, or the group that it is of has closed.
 */
function leavesOut(crawl: CrawlFacts, host: HostFacts | undefined, url: string, web: Facts['web']): boolean {
  if (isFullHost(crawl, host) || mayBeRefused(crawl, hostKey(url))) return true;
  if (isOverQuota(crawl, host, url) || isLikeShell(crawl, url)) return true;
  return host !== undefined && isClosed(crawl, host.head, url) && mayBeOfTrap(url, host, web);
}

/** Two of the three trials of such routes show nothing but their shell: further ones are left out. */
function isLikeShell({ known }: CrawlFacts, url: string): boolean {
  if (!isRoute(url)) return false;
  const template = renderTemplateOf(url);
  const copies = [...known.values()].filter(
    (record) =>
      isRoute(record.url) &&
      renderTemplateOf(record.url) === template &&
      nearDuplicateIn(record.result?.cause),
  );
  return copies.length >= 2;
}

/** Whether the project's hook is called for a page that came whole: not for one in a language that is not wanted, or whose use is forbidden. */
const areHooksCalled = (record: UrlRecord, { config }: CrawlFacts): boolean =>
  isPage(record) &&
  !isOwnRequest(record.url) &&
  !isSkippedCopy(record) &&
  // Whether it is a copy is judged elsewhere (`canonicalCopies`).
  record.result?.duplicateOf === undefined &&
  // Whether it is kept back for a good reason is judged elsewhere (`purposeKept`).
  record.result?.cause?.code !== 'usageForbidden' &&
  !(config.languages && simLanguage(record.url) === 'en');

const isSkippedCopy = ({ result }: UrlRecord): boolean => nearDuplicateIn(result?.cause)?.isSkipped === true;

/** Whether a project's request to the host is dropped by design. */
const leavesOutRequest = (crawl: CrawlFacts, name: string): boolean =>
  isFullHost(crawl, crawl.hosts.get(hostKey(name))) || mayBeRefused(crawl, hostKey(name));

/** A seed from the beginning on: a redirect of it is followed wherever it leads. */
const isFirstSeed = ({ depth, via, kind }: UrlRecord): boolean =>
  depth === 0 && via === undefined && kind === undefined;

/**
 * The scope was widened by the URL before it was fetched: it was added as a seed, or a seed redirects to it.
 */
function hasScopeOfItsOwn({ url, depth, via }: UrlRecord, { laterSeeds, known }: CrawlFacts): boolean {
  if (laterSeeds.includes(url)) return true;
  const from = via === undefined ? undefined : known.get(via);
  return depth === 0 && from?.state === 'redirect' && isFirstSeed(from);
}

/** The digests of the bodies that came whole, by URL. Of others, the links beyond the cut were never seen. */
function wholeDigests(log: Facts['web']['log']): Map<string, Set<string>> {
  const whole = new Map<string, Set<string>>();
  for (const { url, sha1, isCut } of log) {
    if (sha1 === undefined || isCut) continue;
    const digests = whole.get(url);
    if (digests) digests.add(sha1);
    else whole.set(url, new Set([sha1]));
  }
  return whole;
}

function isWhole({ url, result }: UrlRecord, whole: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  return whole.get(askedUrl(url))?.has(Buffer.from(result?.digest ?? []).toString('hex')) ?? false;
}

const isOk = ({ result: { digest, httpStatus = 0 } = { fetchedAt: 0 } }: UrlRecord): boolean =>
  digest !== undefined && httpStatus >= 200 && httpStatus < 300;

/** Returns the URLs that the web has shown to a process that made these requests. */
function reachableUrls({ web }: Pick<Facts, 'web'>): Set<string> {
  const reachable = new Set<string>();
  const asked = new Set(web.log.flatMap(({ url, isRobots }) => (isRobots ? [] : url)));
  for (const url of asked) {
    const links = web.linksOf(url);
    const requests = [url, ...links.filter(isRoute)].flatMap((page) => web.requestsOf(page));
    for (const link of [...links, ...web.requisitesOf(url), ...requests]) reachable.add(link);
    for (const other of [web.redirectOf(url), web.canonicalOf(url)])
      if (other !== undefined) reachable.add(other);
  }
  return reachable;
}

function checkNothingElse(
  findings: Findings,
  crawl: CrawlFacts,
  reachable: ReadonlySet<string>,
  sitemaps: ReadonlyMap<string, readonly SitemapSource[]>,
): void {
  const { id, config, known } = crawl;
  const seeds = new Set([...crawl.seeds, ...crawl.laterSeeds]);
  const scope = scopeOf(config, crawl.scopeSeeds);
  for (const { url, kind, depth, via } of known.values()) {
    const host = hostKey(url);
    const from = `depth ${depth}, from ${via ?? 'nowhere'}`;
    const isOutside = () =>
      kind === 'sitemap'
        ? !sitemaps.has(url)
        : kind === 'requisite'
          ? !config.requisites
          : depth > 0 && !scope.accepts(url, depth);
    if (!seeds.has(url) && !reachable.has(url) && !sitemaps.has(url))
      findings.add(`${id}: ${url} is known (${from}), but is no seed and on no page that was requested`, {
        host,
      });
    else if (isOwnRequest(url) ? !scope.acceptsSeed(fetchedUrl(url)) : isOutside())
      findings.add(`${id}: ${url} is known (${from}), but is not within the crawl's scope and limits`, {
        host,
      });
  }
}

/** Whether the link is left out by design, wherever it leads to. */
const isLeftOut = (crawl: CrawlFacts, from: string, link: string, web: Facts['web']): boolean =>
  isLeftOutFeed(crawl, link, web) || isTooOld(crawl, from, link, web);

/** A feed that is named as an alternate alone, in a crawl that leaves feeds out. */
const isLeftOutFeed = ({ config }: CrawlFacts, url: string, web: Facts['web']): boolean =>
  !config.feeds && web.isAlternateFeed(url);

function checkFeeds(findings: Findings, crawl: CrawlFacts, web: Facts['web']): void {
  const seeds = new Set([...crawl.seeds, ...crawl.laterSeeds]);
  for (const { url } of crawl.known.values())
    if (isLeftOutFeed(crawl, url, web) && !seeds.has(url))
      findings.add(`${crawl.id}: ${url} is known, and is a feed, which the crawl leaves out`, {
        host: hostKey(url),
      });
}

/** Nothing is found by an entry of a sitemap that is too old for the crawl. */
function checkOldEntries(findings: Findings, crawl: CrawlFacts, web: Facts['web']): void {
  for (const { url, via } of crawl.known.values())
    if (via !== undefined && isTooOld(crawl, via, url, web))
      findings.add(`${crawl.id}: ${url} was found in ${via}, by which it was modified too long ago`, {
        host: hostKey(url),
      });
}

/**
 * Nothing is requested that no ledger knows in the end. Not judged of what robots.txt redirects to; and where
 * turns may be discarded, only of hosts of which none was: it may have found a URL on a page that answered
 * otherwise when it was asked again.
 */
function checkAsked(
  findings: Findings,
  facts: Pick<Facts, 'crawls' | 'web' | 'messages' | 'strikes'>,
  visited: readonly HostVisits[],
): void {
  const { crawls, web, messages } = facts;
  if (!crawls.every(({ status }) => status === 'finished') || messages.length > 0) return;
  const robotsTargets = new Set(
    web.log.flatMap(({ url, isRobots }) => (isRobots && web.redirectOf(url)) || []),
  );
  const isCertain = !mayHaveLostTurns(facts);
  const whole = new Set(
    visited.flatMap(({ host, requests, lost }) => (lost === 0 && host.heads.length > 0 ? requests : [])),
  );
  for (const request of web.log) {
    const { url, host, isRobots, startedAt } = request;
    if (
      isRobots ||
      isUsageFile(url) ||
      isProbe(url) ||
      robotsTargets.has(url) ||
      !(isCertain || whole.has(request))
    )
      continue;
    const makers = crawls.filter((crawl) => isBy(request, crawl));
    if (!(makers.length > 0 ? makers : crawls).some(({ known }) => known.has(url)))
      findings.add(`${url} was requested, and no ledger knows it`, { host, at: startedAt });
  }
}

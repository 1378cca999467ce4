/** Explains the next decision about a URL: each rule that applies, with its result. Pure. */
import { isoTime } from '../../core/base/iso-time.ts';
import { causeText, optionalText, trapText } from '../../core/causes/cause-text.ts';
import type { CrawlConfig, HostConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { createHostConfigs } from '../../core/crawl/host-config.ts';
import { allowedFrom, hoursText } from '../../core/crawl/host-hours.ts';
import { createScope, type Scope, type ScopeVerdict } from '../../core/crawl/scope.ts';
import type { Sites } from '../../core/crawl/sites.ts';
import { hostRate } from '../../core/frontier/byte-rate.ts';
import type { Head, HostWait } from '../../core/frontier/head.ts';
import { rankOf } from '../../core/frontier/rank.ts';
import { createTemplateCounts, quotaTemplateOf } from '../../core/frontier/template-counts.ts';
import { closedGroups, createTrapWatch } from '../../core/frontier/trap-watch.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { robotsUrl } from '../../core/robots/policy.ts';
import type { RobotsRules } from '../../core/robots/robots-rules.ts';
import { isAllowed, pathAndQuery, usageAt } from '../../core/robots/rules.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import { canonicalRoute } from '../../core/url/hash-route.ts';
import { type HostKey, hostKey, origin } from '../../core/url/host-key.ts';
import { fetchedUrl } from '../../core/url/request-url.ts';
import { templateOf } from '../../core/url/template-of.ts';
import type { UrlKind } from '../../core/url/url-kind.ts';
import { appliedUrlRules, createUrlRules } from '../../core/url/url-rules.ts';
import { forbiddenUse } from '../../core/usage/purpose.ts';
import { explainDomain } from './explain-domain.ts';
import { verdictOf } from './explain-verdict.ts';
import type { Explanation, HostLine, HostWord, HoursWord, RobotsWord, TemplateWord } from './explanation.ts';
import { renderingWord } from './rendering-words.ts';
import type { CrawlSummary } from './summary.ts';
import { nextFetchOf, urlDetail, waitText } from './url-detail.ts';

/** The known facts about the crawl and the URL's host. */
export interface ExplainFacts {
  /** As given. */
  readonly url: string;
  readonly config: CrawlConfig;
  /** Absent: no crawl is read, and the URL is treated as the only seed of a crawl. */
  readonly crawl?: {
    readonly id: CrawlId;
    readonly state: CrawlSummary['state'];
    readonly scopeSeeds: readonly string[];
    readonly sites?: Sites | undefined;
  };
  /** The head of the URL's host, with the stored robots rules of the URL's origin. */
  readonly head?: Head;
  /** The head of the registrable domain of the URL's host. */
  readonly domainHead?: Head;
  /** How many domains link to the crawl's median domain. */
  readonly medianLinkers?: number | undefined;
  readonly robots?: RobotsRules;
  /** Statements of files beside robots.txt about the use of content. */
  readonly usageFiles?: readonly RobotsRules[];
  readonly record?: UrlRecord;
  /** Whether the crawl knows another URL of the host. Absent: the crawl knows no URL of it. */
  readonly isKnown?: (url: string) => boolean;
  readonly line?: HostLine;
  readonly now: number;
}

export function explainUrl(facts: ExplainFacts): Explanation {
  const { url, crawl } = facts;
  const named = crawl && { crawl: crawl.id, state: crawl.state };
  const plain = pageIn(facts.config, url);
  const explained =
    plain === undefined
      ? { url, urlRules: [], settings: {}, crawl: named }
      : { ...explain(facts, plain), crawl: named };
  return { ...explained, ...verdictOf(explained, facts.now) };
}

/** The canonical form of a URL in a crawl, or as it is where it has none. */
export function nameIn(config: Pick<CrawlConfig, 'urlRules' | 'render'>, url: string): string {
  return createUrlRules(config.urlRules)(pageIn(config, url) ?? url);
}

/** Crawls that render know a route behind `#` as a page of its own. */
const pageIn = ({ render }: Pick<CrawlConfig, 'render'>, url: string): string | undefined =>
  (render === 'never' ? undefined : canonicalRoute(url)) ?? canonicalize(url);

function explain(facts: ExplainFacts, plain: string): Omit<Explanation, 'wouldBeFetched' | 'verdict'> {
  const { url, config, crawl, head, domainHead, medianLinkers, record, line, now } = facts;
  const canonical = nameIn(config, plain);
  const host = hostKey(canonical);
  const scopeSeeds = crawl?.scopeSeeds ?? [canonical];
  const sites = crawl?.sites;
  const isGiven = scopeSeeds.includes(canonical) || sites?.of(host)?.url === canonical;
  const isSeed = record ? record.depth === 0 && record.via === undefined : isGiven;
  const as = isSeed ? 'seed' : (record?.kind ?? 'link');
  const depth = record?.depth ?? (isSeed ? 0 : 1);
  return {
    url,
    canonical,
    urlRules: appliedUrlRules(config.urlRules, plain),
    host,
    as,
    depth,
    scope: scopeOf(createScope(config, scopeSeeds, sites), canonical, { as, depth }),
    template: quotaWord(facts, canonical, depth) ?? templateWord(facts, canonical, depth),
    rendering: record?.kind === undefined ? renderingWord(canonical, configOf(facts, host), head) : undefined,
    robots: robotsWord(facts, canonical),
    known: record && urlDetail(record),
    rank: record ? rankOf(record.depth, record.level, record.kind) : rankOf(depth, 0),
    line,
    settings: settingsOf(facts, host),
    hostState: head && hostWord(head, configOf(facts, host)),
    hours: hoursWord(facts, host),
    domain: explainDomain({ config, host, head, domainHead, isSeed, medianLinkers, now }),
  };
}

/** A part of a page and a sitemap need not lie within the scope: only the rules that exclude seeds exclude them. */
function scopeOf(
  scope: Scope,
  url: string,
  { as, depth }: { readonly as: 'seed' | 'link' | UrlKind; readonly depth: number },
): ScopeVerdict {
  if (as === 'link') return scope.explain(url, depth);
  const word = scope.explain(url, as === 'seed' ? depth : 0, true);
  if (word.reason !== undefined || as === 'seed') return word;
  return { rule: as === 'sitemap' ? 'it is a sitemap' : 'it is a part of a page that belongs to the crawl' };
}

/** The settings of a host, with those of its site. */
const configOf = ({ config, crawl }: Pick<ExplainFacts, 'config' | 'crawl'>, host: HostKey): HostConfig =>
  createHostConfigs(config, crawl?.sites)(host);

/** The verdict on a template that has had all its pages. */
function quotaWord(facts: ExplainFacts, url: string, depth: number): TemplateWord | undefined {
  const { head, record } = facts;
  const { maxPagesPerTemplate: max } = configOf(facts, hostKey(url));
  const template = max === undefined ? undefined : quotaTemplateOf({ url, depth, kind: record?.kind });
  if (max === undefined || template === undefined) return undefined;
  const pages = createTemplateCounts(head?.templatePages).of(template);
  return pages < max ? undefined : { template, isClosed: true, isFull: true, pages };
}

/** Seeds and page requisites are fetched even if similar pages brought nothing new. */
function templateWord(
  { head, record, config, isKnown = () => false }: ExplainFacts,
  url: string,
  depth: number,
): TemplateWord | undefined {
  const isWatched = head?.templates ?? head?.combinations ?? head?.folders;
  if (!head || !isWatched || depth === 0 || record?.kind !== undefined) return undefined;
  const trap = createTrapWatch(head, { minNew: config.trapMinNew, isKnown }).closedBy(url);
  const template = trap?.group ?? templateOf(url);
  const closed = closedGroups(head).find(({ group }) => group === template);
  const open = head.templates?.find((one) => one.template === template);
  return {
    template,
    isClosed: trap !== undefined,
    why: trap && trapText(trap),
    pages: (closed ?? open)?.pages,
  };
}

function robotsWord(facts: ExplainFacts, url: string): RobotsWord {
  const { config, head, robots, usageFiles = [], now } = facts;
  const at = robotsUrl(url) as string;
  const from = origin(url);
  if (configOf(facts, hostKey(url)).robots === 'ignore') return { says: 'ignored', url: at };
  const closed = head?.closedOrigins?.find((one) => one.origin === from && one.until > now);
  if (closed)
    return { says: 'closed', url: at, until: isoTime(closed.until), cause: causeText(closed.cause) };
  const kept = head?.robots.find((one) => one.origin === from && one.expiresAt > now);
  if (!kept || (kept.kind === 'rules' && !robots)) return { says: 'unknown', url: at };
  const until = isoTime(kept.expiresAt);
  const path = pathAndQuery(fetchedUrl(url));
  const rules = kept.kind === 'allowAll' || !robots ? [] : [robots];
  const { allowed, rule } = rules[0] ? isAllowed(rules[0], path) : { allowed: true };
  const stated = allowed ? [...rules, ...usageFiles].flatMap((one) => usageAt(one, path)) : [];
  // A page may say otherwise than tdmrep.json.
  const deciding = (['robots.txt', 'license'] as const).map((by) => {
    const use = forbiddenUse(
      config.purpose,
      stated.filter(({ source }) => source === by),
    );
    return use === undefined ? undefined : { forbiddenUse: use, forbiddenBy: by };
  });
  const forbidden = deciding.find((one) => one !== undefined);
  const usage = stated.map(({ signal, value }) => `${signal}: ${value}`);
  return {
    says: allowed && forbidden === undefined ? 'allowed' : 'denied',
    url: at,
    ...forbidden,
    rule: rule && `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}`,
    line: rule?.line,
    ...(usage.length > 0 && { usage }),
    until,
  };
}

/** If requests to the host are not allowed when its turn comes: when they are, and why. */
function hoursWord(facts: ExplainFacts, host: string): HoursWord | undefined {
  const { head, record, now } = facts;
  const own = configOf(facts, host);
  const at = Math.max(now, head?.clock.nextFetchAt ?? 0, record?.dueAt ?? 0);
  const from = allowedFrom(own, at);
  return from > at ? { allowed: hoursText(own), from: isoTime(from) } : undefined;
}

/** The option by which the host waits, or how it refuses. */
function waitReason(
  wait: Exclude<HostWait, { readonly for: 'hours' }>,
  { refusal }: Pick<Head, 'refusal'>,
  config: Pick<CrawlConfig, 'maxBytesPerSecond' | 'maxBytesPerSecondPerHost'>,
): string {
  if (wait.for === 'refusal') return refusal ? causeText(refusal.cause) : '';
  if (wait.for === 'address') return '--ip-delay';
  if (wait.for === 'account') return 'strand accounts';
  const isOfCrawl = wait.for === 'crawlBytes' || config.maxBytesPerSecond === hostRate(config);
  return isOfCrawl ? '--limit-rate' : '--limit-rate-per-host';
}

function hostWord(head: Head, config: CrawlConfig): HostWord {
  const { clock, setAside, totals, wait } = head;
  const { maxPagesPerHost = Infinity } = config;
  const nextAt = wait?.for === 'refusal' ? nextFetchOf(head) : clock.nextFetchAt;
  return {
    pages: totals.pages,
    nextFetchAt: nextAt > 0 ? isoTime(nextAt) : undefined,
    // Its hours have a line of their own.
    ...(wait &&
      wait.for !== 'hours' && { waitsFor: `${waitText(wait)} (${waitReason(wait, head, config)})` }),
    failures: clock.failures,
    cause: clock.failures > 0 ? optionalText(clock.cause) : undefined,
    setAside: optionalText(setAside?.cause),
    isFull: totals.pages >= maxPagesPerHost,
  };
}

function settingsOf(facts: ExplainFacts, host: string): Readonly<Record<string, unknown>> {
  const own = configOf(facts, host);
  if (own === facts.config) return {};
  const plain: Readonly<Record<string, unknown>> = facts.config;
  return Object.fromEntries(Object.entries(own).filter(([key, value]) => value !== plain[key]));
}

import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { levelOf, MAX_LEVEL } from '../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { isOwnRequest, pageUrl } from '../../shared/core/url/request-url.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { hasNewRecord, mayBeFreed, originalOf } from './canonical-copies.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { createFindings } from './findings.ts';
import { isTooOld, sitemapsOf } from './named-sitemaps.ts';
import type { RobotsLog } from './robots-answers.ts';
import { scopeOf } from './scope.ts';
import type { HostVisits } from './visits.ts';

/** A source that leads to a URL: the operator, a link or a redirect, with the depth that it gives the URL. */
interface Source {
  readonly from?: UrlRecord;
  readonly depth: number;
  readonly redirects: number;
  readonly level: number;
  /** `level` is the highest that it may have: of an entry whose time of change counts. */
  readonly isMost?: boolean;
  /** The page may not have shown the link: scripts fill it. */
  readonly isPerhaps?: boolean;
  /** `depth` is the least that it may have given: the page was fetched once more, and may have risen before. */
  readonly isLeast?: boolean;
}

/** An entry of a sitemap without a priority, by its `lastmod` (`turn/links/sitemap-links.ts`). */
const MAX_DATED_LEVEL = 2;
/** The priority 1 of a sitemap is worth this level. */
const PRIORITY_LEVELS = 5;

/** The level of an entry without a time of change. */
export const levelOfPriority = (priority = 0): number => Math.round(PRIORITY_LEVELS * priority);

/**
 * Depth, level and redirects of a URL are those of a seed, link or redirect of the web that the crawl has
 * met; and the depth is no more, the level no less than that of each link of the same host which was surely
 * met before the URL was first requested: one that was requested rises no more where it has moved to a run.
 * How many pages a level represents is the core's to say (`rank.ts`, with tests of its own).
 *
 * With several requests at once a page may rise while it is fetched: such crawls are left out. Where a turn
 * was discarded, its links may have left it, with the depth that the page had then.
 */
export function depthTrue(
  { web }: Pick<Facts, 'web'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('depthTrue');
  for (const [crawl, hosts] of Map.groupBy(visited, (visits) => visits.crawl)) {
    if (crawl.config.perHost > 1) continue;
    const sources = sourcesIn(crawl, web, robots);
    const scope = scopeOf(crawl.config, crawl.seeds);
    const excuse = hosts.some(({ lost }) => lost > 0) ? ('lostTurn' as const) : undefined;
    for (const { host, requests } of hosts) {
      const byUrl = Map.groupBy(
        requests.filter((request) => !robots.isOfRobots(request)),
        ({ url }) => url,
      );
      const { trapAfterPages } = crawl.config;
      const isWatched = trapAfterPages > 0 && host.head.totals.pages >= trapAfterPages;
      // Links that the scope leaves out, or that lead into a trap, are not met.
      const isMet = (from: UrlRecord, to: UrlRecord, depth: number) =>
        !isWatched && !isOwnRequest(to.url) && scope.accepts(to.url, depth) && isMetBefore(from, to, byUrl);
      for (const record of host.records) {
        // An image, a style or a font has no links: nothing follows from its depth.
        if (record.kind === 'requisite') continue;
        const some = sources.get(record.url) ?? [];
        if (hasNewRecord(record, crawl, web)) continue;
        for (const problem of problemsOf(record, some, isMet))
          findings.add(`${crawl.id}: ${record.url} has ${problem}`, { host: host.host, excuse });
      }
    }
  }
  return findings.list;
}

function sourcesIn(crawl: CrawlFacts, web: Facts['web'], robots: RobotsLog): Map<string, Source[]> {
  const { known, seeds, laterSeeds, scopeSeeds } = crawl;
  const sources = new Map<string, Source[]>();
  const add = (url: string, source: Source) => {
    if (!known.has(url)) return;
    const some = sources.get(url);
    if (some) some.push(source);
    else sources.set(url, [source]);
  };
  for (const url of [...seeds, ...laterSeeds, ...crawl.config.sitemapUrls])
    add(url, { depth: 0, redirects: 0, level: MAX_LEVEL });
  for (const [url, some] of sitemapsOf(crawl, web, robots, scopeSeeds))
    for (const { from, depth, redirects } of some) add(url, { depth, redirects, level: levelOf(url, from) });
  for (const from of known.values()) {
    const { url, state, depth } = from;
    // A page that is gone was there when the crawl recrawls.
    const original = originalOf(url, crawl, web);
    const isLeast = original !== undefined && mayBeFreed(from, crawl, web);
    if (original !== undefined)
      add(original, { from, depth, redirects: 0, level: levelOf(original, url), isLeast });
    // Nor is one that was fetched once more what it was.
    const wasFetched = original !== undefined || (state === 'gone' && isRecrawling(crawl.config));
    if (state === 'fetched' || wasFetched) {
      const isPerhaps = !web.isShown(url);
      for (const link of web.isIndex(url) ? [] : web.linksOf(url)) {
        if (isTooOld(crawl, url, link, web)) continue;
        const isMost = web.isDated(url);
        const listed = isMost ? MAX_DATED_LEVEL : levelOfPriority(web.priorityIn(url, link));
        const level = Math.max(listed, levelOf(link, pageUrl(url)));
        const linkDepth = from.kind === 'sitemap' ? 1 : depth + 1;
        add(link, { from, depth: linkDepth, redirects: 0, level, isMost, isLeast, isPerhaps });
      }
      // Their levels are the hook's to say.
      for (const name of isOwnRequest(url) ? [] : web.requestsOf(url))
        add(name, { from, depth: depth + 1, redirects: 0, level: MAX_LEVEL });
    }
    const target = state === 'redirect' ? web.redirectOf(url) : undefined;
    if (target === undefined) continue;
    const redirects = from.redirects + 1;
    // The target of a seed counts as a seed, where it is of the crawl.
    const isKept = depth === 0 || isOwnRequest(target);
    add(target, { from, depth, redirects, level: isKept ? MAX_LEVEL : levelOf(target, url) });
  }
  return sources;
}

function* problemsOf(
  record: UrlRecord,
  sources: readonly Source[],
  isMet: (from: UrlRecord, to: UrlRecord, depth: number) => boolean,
): Generator<string> {
  // A URL from nowhere is another invariant's.
  if (sources.length === 0) return;
  const { url, depth, level, redirects } = record;
  if (!sources.some((source) => source.depth === depth || (source.isLeast && source.depth < depth)))
    yield `depth ${depth}, its sources give it ${valuesOf(sources, 'depth')}`;
  if (!sources.some((source) => source.redirects === redirects))
    yield `${redirects} redirects, its sources give it ${valuesOf(sources, 'redirects')}`;
  if (sources.every((source) => source.level < level))
    yield `level ${level}, its sources give it ${valuesOf(sources, 'level')}`;
  for (const { from, ...source } of sources) {
    if (from?.state !== 'fetched' || source.isPerhaps || !isMet(from, record, source.depth)) continue;
    if (depth > source.depth && !source.isLeast)
      yield `depth ${depth}, ${from.url} (depth ${from.depth}) linked to ${url} before`;
    // A URL that was taken to be fetched does not rise any more: only the rank of what waits counts.
    if (record.state === 'waiting' && !source.isMost && level < source.level)
      yield `level ${level}, the link of ${from.url} alone gives it ${source.level}`;
  }
}

const valuesOf = (sources: readonly Source[], key: 'depth' | 'redirects' | 'level'): string =>
  [...new Set(sources.map((source) => source[key]))].join(' or ');

/**
 * Whether the page of the same host was requested once, came whole, and before the URL was first requested.
 */
function isMetBefore(
  from: UrlRecord,
  { url, state }: UrlRecord,
  byUrl: ReadonlyMap<string, readonly WebRequest[]>,
): boolean {
  if (hostKey(from.url) !== hostKey(url) || from.url === url) return false;
  const [page, again] = byUrl.get(from.url) ?? [];
  if (!page || again || page.isCut) return false;
  const first = byUrl.get(url)?.[0];
  return first ? page.endedAt < first.startedAt : state === 'waiting';
}

import { levelOf, rankOf } from '../../shared/core/frontier/rank.ts';
import { hostKey, origin } from '../../shared/core/url/host-key.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { hasNewRecord } from './canonical-copies.ts';
import { levelOfPriority } from './depth-true.ts';
import type { Facts } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import { isTooOld } from './named-sitemaps.ts';
import type { RobotsLog } from './robots-answers.ts';
import { type SimpleScope, scopeOf } from './scope.ts';
import type { HostVisits } from './visits.ts';

/** The least that a crawl knew of a URL: it was no deeper, and linked from no fewer pages. */
interface Known {
  readonly depth: number;
  readonly level: number;
}

/**
 * A host's pages are fetched in the order of their ranks: while a URL waits that was never tried, no page of
 * a later rank is requested. Judged by links from pages of the same host, whose depths follow from the seeds.
 *
 * Only where no turn of the host was discarded, robots.txt was always answered, and no link was left out:
 * else a URL may have been put off, or not have been known yet. Excused in worlds where a clock was set: it may have put off
 * a URL for hours. The rank of the page that was requested is
 * the one it has in the end, which is never later than it was then.
 */
export function bestFirst(
  facts: Pick<Facts, 'web' | 'strikes'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('bestFirst');
  for (const visits of visited) if (isJudged(visits, robots)) checkHost(findings, facts, visits, robots);
  return findings.list;
}

function isJudged({ crawl, host, requests, lost }: HostVisits, robots: RobotsLog): boolean {
  const { perHost, maxPagesPerHost, maxPagesPerTemplate, trapAfterPages } = crawl.config;
  // Links of a watched host may be dropped, and groups open again.
  const isWatched = trapAfterPages > 0 && host.head.totals.pages >= trapAfterPages;
  return (
    perHost === 1 &&
    maxPagesPerHost === undefined &&
    maxPagesPerTemplate === undefined &&
    !isWatched &&
    lost === 0 &&
    host.heads.length > 0 &&
    [...new Set(requests.map(({ url }) => origin(url)))].every((from) =>
      robots.answersOf(from).every(({ kind }) => kind !== 'nothing'),
    )
  );
}

function checkHost(
  findings: Findings,
  { web, strikes }: Pick<Facts, 'web' | 'strikes'>,
  { crawl, host, requests }: HostVisits,
  robots: RobotsLog,
): void {
  const scope = scopeOf(crawl.config, crawl.seeds);
  const pages = requests.filter((request) => !robots.isOfRobots(request));
  const firsts = new Map<string, WebRequest>();
  for (const page of pages) if (!firsts.has(page.url)) firsts.set(page.url, page);
  /** The URLs that wait for their first try. */
  const waiting = new Map<string, Known>();
  const depths = new Map<string, number>();
  for (const page of pages) {
    const record = crawl.known.get(page.url);
    const found = waiting.get(page.url);
    waiting.delete(page.url);
    // One with a new record had another rank when it was requested first.
    const isRanked = record?.kind === undefined && record && !hasNewRecord(record, crawl, web);
    if (isRanked && firsts.get(page.url) === page) {
      const rank = rankOf(record.depth, record.level);
      for (const [url, { depth, level }] of waiting)
        if (rankOf(depth, level) < rank && origin(url) === origin(page.url)) {
          findings.add(
            `${crawl.id}: ${page.url} (rank ${rank}) was requested ${since(page.startedAt)}, before ${url} (rank ${rankOf(depth, level)}), which was known and is requested ${since((firsts.get(url) as WebRequest).startedAt)}`,
            {
              host: host.host,
              at: page.startedAt,
              excuse: strikes.clockStepped > 0 ? 'wrongClock' : undefined,
            },
          );
          break;
        }
    }
    // A page that a sitemap of robots.txt lists counts as if the root linked to it.
    const ownDepth =
      crawl.seeds.includes(page.url) || record?.kind === 'sitemap'
        ? 0
        : (depths.get(page.url) ?? found?.depth);
    if (ownDepth === undefined) continue;
    // A link to the page may have come before the seed: then it keeps that depth.
    const depth = record?.kind === 'sitemap' ? 0 : Math.max(ownDepth, record?.depth ?? 0);
    depths.set(page.url, depth);
    for (const [url, known] of linksOf(page, depth, { web, scope, crawl })) {
      // Only a URL that is requested later has surely waited.
      if (hostKey(url) !== host.host || (firsts.get(url)?.startedAt ?? 0) <= page.endedAt) continue;
      if (crawl.known.get(url)?.kind !== undefined) continue;
      const before = waiting.get(url);
      waiting.set(url, {
        depth: Math.min(known.depth, before?.depth ?? known.depth),
        level: Math.max(known.level, before?.level ?? 0),
      });
    }
  }
}

/** The links that were surely taken in from the page. */
function linksOf(
  { url, sha1, isCut, httpStatus = 0 }: WebRequest,
  depth: number,
  { web, scope, crawl }: Pick<Facts, 'web'> & { readonly scope: SimpleScope } & Pick<HostVisits, 'crawl'>,
): (readonly [string, Known])[] {
  const isWhole = sha1 !== undefined && !isCut && httpStatus >= 200 && httpStatus < 300;
  if (!isWhole || crawl.known.get(url)?.state !== 'fetched' || !web.isShown(url)) return [];
  const links = web.linksOf(url);
  if (links.length > crawl.config.maxLinksPerPage) return [];
  return links
    .filter((link) => scope.accepts(link, depth + 1) && !isTooOld(crawl, url, link, web))
    .map((link) => {
      const level = Math.max(levelOf(link, url), levelOfPriority(web.priorityIn(url, link)));
      return [link, { depth: depth + 1, level }] as const;
    });
}

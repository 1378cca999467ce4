import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import { closedGroups, createTrapWatch } from '../../shared/core/frontier/trap-watch.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import type { CrawlFacts, Facts, HostFacts } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import type { HostVisits } from './visits.ts';

type Web = Pick<Facts['web'], 'isTrap' | 'log' | 'canonicalOf'>;

/**
 * A page is left out as one of a trap only if it is one by the web's own plan; and no page of a trap is
 * requested any more when a stored head has closed its group. A host that has served one body under two
 * addresses may lose others of these templates: the crawler cannot know better. Requests are not checked where
 * a turn of the host was thrown away: it may have begun before that head.
 */
export function trapsEnd(
  { web }: { readonly web: Web },
  visited: readonly HostVisits[],
): readonly Violation[] {
  const findings = createFindings('trapsEnd');
  for (const visits of visited) {
    const { crawl, host } = visits;
    for (const { url, result } of host.records)
      if (result?.cause?.code === 'trap' && !mayBeOfTrap(url, host, web))
        findings.add(`${crawl.id}: ${url} was left out as a page of a trap, and is none`, {
          host: host.host,
        });
    if (visits.lost === 0) checkRequests(findings, visits, web);
  }
  return findings.list;
}

/** Whether the crawler may take the URL for one of a trap. */
export const mayBeOfTrap = (url: string, { host }: HostFacts, web: Web): boolean =>
  web.isTrap(url) || hasTwins(web.log.filter((request) => request.host === host && !web.isTrap(request.url)));

/** Whether two pages had the same body. */
function hasTwins(log: readonly WebRequest[]): boolean {
  const urls = new Map<string, string>();
  for (const { url, sha1, isRobots, httpStatus = 0 } of log) {
    if (sha1 === undefined || isRobots || httpStatus >= 300) continue;
    const other = urls.get(sha1);
    if (other !== undefined && other !== url) return true;
    urls.set(sha1, url);
  }
  return false;
}

function checkRequests(findings: Findings, { crawl, host, requests }: HostVisits, web: Web): void {
  if (!host.heads.some(({ head }) => closedGroups(head).length > 0)) return;
  const before = new Set<string>();
  for (const { url, startedAt } of requests) {
    // A page that was fetched is fetched again; and once more if it is no copy after all.
    const mayCome = isRecrawling(crawl.config) || web.canonicalOf(url) !== undefined;
    if (mayCome && before.has(url)) continue;
    before.add(url);
    const change = host.heads.findLast(({ at }) => at < startedAt);
    const record = crawl.known.get(url);
    // A seed and a part of a page are fetched all the same.
    if (!change || !record || record.depth === 0 || record.kind !== undefined) continue;
    if (isClosed(crawl, change.head, url))
      findings.add(
        `${crawl.id}: ${url} was requested ${since(startedAt)}, though the head of ${since(change.at)} had closed its group as a trap`,
        { host: host.host, at: startedAt },
      );
  }
}

/** Whether links to the URL are left out by that head. */
export function isClosed({ config, known }: CrawlFacts, head: Head, url: string): boolean {
  if (closedGroups(head).length === 0) return false;
  const isKnown = (other: string) => known.has(other);
  return createTrapWatch(head, { minNew: config.trapMinNew, isKnown }).isClosed(url);
}

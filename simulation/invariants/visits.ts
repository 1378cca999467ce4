/**
 * The web's log as the visits of each crawl to each host: which requests a stored head counts, and which were
 * lost.
 */
import type { WebRequest } from '../worlds/spec.ts';
import { withoutMembers } from './accounts-kept.ts';
import { type CrawlFacts, type Facts, type HostFacts, isBy } from './facts.ts';
import type { HeadChange } from './history-probe.ts';

/** The requests between two heads of a host. A turn reads the one head and replaces it by the other. */
export interface Visit {
  readonly before: HeadChange | undefined;
  readonly after: HeadChange;
  /** Those that ended between the two, by their end. */
  readonly requests: readonly WebRequest[];
  /** Whether the new head counts them all: no turn was discarded meanwhile. */
  readonly isExact: boolean;
}

/** All that a crawl has asked of a host. */
export interface HostVisits {
  readonly crawl: CrawlFacts;
  readonly host: HostFacts;
  /** By their start: its pages, its robots.txt, and what robots.txt of other hosts redirect to. */
  readonly requests: readonly WebRequest[];
  readonly visits: readonly Visit[];
  /**
   * Requests that no head counts, as their turns were discarded. Negative: more are counted than were made.
   */
  readonly lost: number;
}

/** Returns the visits of every host that has a head. */
export function readVisits({ crawls, web }: Pick<Facts, 'crawls' | 'web'>): HostVisits[] {
  const byHost = Map.groupBy(web.log, ({ host }) => host);
  const partsByHost = Map.groupBy(
    web.parts.filter(({ isOther }) => !isOther),
    ({ host }) => host,
  );
  return crawls.flatMap((crawl) =>
    Array.from(crawl.hosts.values(), (host) => {
      const own = (byHost.get(host.host) ?? []).filter((request) => isBy(request, crawl));
      const requests = own.toSorted((a, b) => a.startedAt - b.startedAt);
      // Nothing can be judged without the stored heads.
      // A head counts them, too.
      const parts = (partsByHost.get(host.host) ?? []).filter((request) => isBy(request, crawl));
      const made = requests.length + parts.length;
      const lost = host.heads.length === 0 ? 0 : made - host.head.totals.requests;
      return { crawl, host, requests, visits: visitsOf(host, requests, parts), lost };
    }),
  );
}

/** Returns the visits without requests of logins, and without answers that were not their URLs'. */
export function visitsOfPages({ requests, visits, ...host }: HostVisits): HostVisits {
  return {
    ...host,
    requests: withoutMembers(requests),
    visits: visits.map((visit) => ({ ...visit, requests: withoutMembers(visit.requests) })),
  };
}

function visitsOf(
  { heads }: HostFacts,
  requests: readonly WebRequest[],
  parts: readonly WebRequest[],
): Visit[] {
  const byEnd = requests.toSorted((a, b) => a.endedAt - b.endedAt);
  let next = 0;
  return heads.map((after, i) => {
    const before = heads[i - 1];
    const from = next;
    while (next < byEnd.length && (byEnd[next] as WebRequest).endedAt <= after.at) next++;
    const ofParts = parts.filter(({ endedAt }) => endedAt > (before?.at ?? 0) && endedAt <= after.at).length;
    const counted = after.head.totals.requests - (before?.head.totals.requests ?? 0);
    return {
      before,
      after,
      requests: byEnd.slice(from, next),
      isExact: next - from + ofParts === counted,
    };
  });
}

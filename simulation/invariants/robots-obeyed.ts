import { hostKey, origin } from '../../shared/core/url/host-key.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, since } from './findings.ts';
import { heedsUse } from './purpose-kept.ts';
import type { RobotsAnswer, RobotsLog } from './robots-answers.ts';
import { MAX_ROBOTS_AGE_MS, MIN_ROBOTS_AGE_MS, STALE_MS } from './robots-terms.ts';
import type { HostVisits } from './visits.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'strikes' | 'leaseMs'>;

/** The largest difference between two clocks, each being 5 s off at most (`models/cloud.ts`). */
const MAX_SKEW_MS = 10_000;

/**
 * Before a page of an origin is requested, its robots.txt has been answered; and at least one version that
 * was served and can still count allows the page: the last one, where no turn of the host was discarded and
 * the host itself served it. A version counts as long as its `Cache-Control` and `robotsMaxAgeMs` say, from
 * five minutes to 24 hours (RFC 9309, section 2.4), and ten minutes more from each time that robots.txt could
 * not be fetched since (`turn/robots/robots-keeper.ts`); a turn goes by what it found, so as long as the lease on
 * top of that.
 *
 * And nothing is called denied by robots.txt that every version served allows.
 */
export function robotsObeyed(
  facts: UsedFacts,
  robots: RobotsLog,
  visited: readonly HostVisits[],
): readonly Violation[] {
  const findings = createFindings('robotsObeyed');
  /** Hosts of which a turn was lost. */
  const lost = new Set(
    visited.flatMap(({ crawl, host, lost }) => (lost > 0 ? `${crawl.id} ${host.host}` : [])),
  );
  const mayHaveLost = (host: string, crawls: readonly CrawlFacts[]) =>
    mayHaveLostTurns(facts) &&
    crawls.some((crawl) => lost.has(`${crawl.id} ${host}`) || !crawl.hosts.get(host)?.heads.length);
  for (const request of facts.web.log) {
    if (robots.isOfRobots(request)) continue;
    const crawls = askingCrawls(facts, request);
    if (crawls.some(({ config }) => config.robots === 'ignore')) continue;
    const isCertain = crawls.length === 1 && !mayHaveLost(request.host, crawls);
    const problem = problemOf(request, { crawls, isCertain }, facts, robots);
    if (problem !== undefined)
      findings.add(
        `${request.url} was requested by ${request.process} ${since(request.startedAt)}, ${problem}`,
        {
          host: request.host,
          at: request.startedAt,
        },
      );
  }
  for (const crawl of facts.crawls)
    for (const { host, records } of crawl.hosts.values())
      for (const { url, state, result } of records) {
        if (state !== 'deniedByRobots') continue;
        const answers = robots.answersOf(origin(url));
        if (
          answers.every((answer) => answer.kind === 'nothing' || allows(answer, url, facts, heedsUse(crawl)))
        )
          findings.add(
            `${crawl.id}: ${url} counts as denied (${result?.cause?.code}), but no robots.txt served denies it`,
            {
              host,
            },
          );
      }
  return findings.list;
}

/** The one that the request names; else those that know the URL; else those that know its host; else any. */
function askingCrawls({ crawls: all }: UsedFacts, request: WebRequest): readonly CrawlFacts[] {
  const { url, host } = request;
  const crawls = all.filter((crawl) => isBy(request, crawl));
  const knowing = crawls.filter(({ known }) => known.has(url));
  if (knowing.length > 0) return knowing;
  const ofHost = crawls.filter(({ hosts }) => hosts.has(host));
  return ofHost.length > 0 ? ofHost : crawls;
}

/** The crawls that may have made a request. `isCertain`: it was the one, and its turn was not lost. */
interface Askers {
  readonly crawls: readonly CrawlFacts[];
  readonly isCertain: boolean;
}

function problemOf(
  { url, startedAt, contact }: WebRequest,
  { crawls, isCertain }: Askers,
  facts: UsedFacts,
  robots: RobotsLog,
): string | undefined {
  const before = robots
    .answersOf(origin(url))
    .filter(({ at, request }) => at <= startedAt && request.contact === contact);
  const heard = before.filter(({ kind }) => kind !== 'nothing');
  const last = heard.at(-1);
  if (!last)
    return `before robots.txt of ${origin(url)} was answered (${before.length} tries came to nothing)`;

  const maxAgeMs = Math.min(
    MAX_ROBOTS_AGE_MS,
    Math.max(...crawls.map(({ config }) => config.robotsMaxAgeMs)),
  );
  const ageOf = ({ request: { maxAgeSeconds = Number.POSITIVE_INFINITY } }: RobotsAnswer) =>
    Math.max(MIN_ROBOTS_AGE_MS, Math.min(maxAgeMs, 1000 * maxAgeSeconds));
  // A process decides by its own clock whether robots.txt can still be used.
  const slackMs =
    facts.strikes.clockStepped > 0
      ? Number.POSITIVE_INFINITY
      : facts.leaseMs + (facts.strikes.clockSkew > 0 ? MAX_SKEW_MS : 0);
  const endOf = (answer: RobotsAnswer) =>
    Math.max(
      (answer.servedAt ?? answer.at) + ageOf(answer),
      // For a redirect to another host: from its response until that host has answered.
      ...before
        .filter(({ kind, at }) => kind === 'nothing' && at > (answer.servedAt ?? answer.at))
        .map(({ at }) => at + STALE_MS),
    );
  // An answer of another host is read when the known rules have expired, and those may be used for longer.
  const isSeen = last.request.host === hostKey(url);
  const counting = (isCertain && isSeen ? [last] : heard).filter(
    (answer) => startedAt <= endOf(answer) + slackMs,
  );
  if (counting.length === 0)
    return `but its robots.txt, answered ${since(last.at)}, could be used until ${since(endOf(last))} only`;
  const hasPurpose = crawls.every(heedsUse);
  if (counting.some((answer) => allows(answer, url, facts, hasPurpose))) return undefined;
  const versions = counting.map(({ version, at }) => `version ${version}, served until ${since(at)}`);
  return `but robots.txt forbids it: ${versions.join('; ')}`;
}

const allows = (
  { kind, version }: RobotsAnswer,
  url: string,
  { web }: UsedFacts,
  hasPurpose: boolean,
): boolean =>
  kind === 'none' ||
  version === undefined ||
  (web.allows(url, version) && !(hasPurpose && web.forbidsUse(url, version)));

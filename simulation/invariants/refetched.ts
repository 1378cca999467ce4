import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { isRefetch, type UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { mostFreed } from './canonical-copies.ts';
import { type CrawlFacts, type Facts, type HostFacts, mayHaveLostTurns } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

/** A page is fetched after this part of its interval (`recrawl/fetch-interval.ts`), by clocks that differ. */
const NEARLY = 0.97;
/** Whatever the price, an interval has ten minutes, and the first one half of that (`recrawl/fetch-interval.ts`). */
const LEAST_BY_PRICE_MS = 300_000;
const CLOCKS_MS = 10_000;
/** A process with a wrong clock fetches each page of a host too early this often at most. */
const EARLY_ROUNDS = 2;
/** Due times are whole seconds. */
const ROUNDING_MS = 1000;
const DAY_MS = 86_400_000;
/**
 * From a page's due time to its request: the index rounds it up by five minutes, the waker looks each minute, and a
 * worker starts; a host whose message was lost while faults struck may be found a quarter of an hour later.
 */
const LATE_MS = 1_800_000;

/**
 * In crawls that fetch pages again: between two requests for a page, the first of which was answered in full, there is
 * its interval, or the least one where the price decides. With a fixed interval no page has been due for long when the
 * crawl is stopped.
 *
 * Where a turn was discarded, its requests are made again: no more of them than those that no head counts.
 */
export function refetched(
  facts: Pick<Facts, 'strikes' | 'web'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('refetched');
  for (const visits of visited) {
    const { config } = visits.crawl;
    // Schedules are judged by their moments (`onSchedule`).
    if (!isRecrawling(config) || config.recrawlSchedule !== undefined) continue;
    const { recrawlEveryMs: everyMs } = config;
    const intervalMs = everyMs ?? LEAST_BY_PRICE_MS;
    checkEarly(findings, visits, { robots, intervalMs, facts });
    if (everyMs !== undefined) checkDueTimes(findings, visits, everyMs, facts.strikes.clockStepped === 0);
  }
  return findings.list;
}

interface EarlyOptions {
  readonly robots: RobotsLog;
  readonly intervalMs: number;
  readonly facts: Pick<Facts, 'strikes' | 'web'>;
}

function checkEarly(
  findings: Findings,
  { crawl, host, requests, lost }: HostVisits,
  { robots, intervalMs, facts }: EarlyOptions,
): void {
  const byUrl = Map.groupBy(
    requests.filter((request) => !robots.isOfRobots(request)),
    ({ url }) => url,
  );
  const early = [...byUrl].flatMap(([url, ofUrl]) =>
    earlyOnes(ofUrl, NEARLY * intervalMs - CLOCKS_MS).slice(mostFreed(url, crawl, facts.web)),
  );
  if (early.length <= (mayHaveLostTurns(facts) ? Math.max(0, lost) : 0)) return;
  const isExcused = early.length <= facts.strikes.clockStepped * EARLY_ROUNDS * byUrl.size;
  for (const [first, second] of early)
    findings.add(
      `${crawl.id}: ${second.url} was answered with ${first.httpStatus} ${since(first.startedAt)} and requested again ${seconds(second.startedAt - first.startedAt)} later, expected ${seconds(intervalMs)}; ${lost} requests were lost with their turns`,
      { host: host.host, at: second.startedAt, excuse: isExcused ? 'wrongClock' : undefined },
    );
}

/** Returns the pairs of requests that are too close together. */
function earlyOnes(ofUrl: readonly WebRequest[], leastMs: number): (readonly [WebRequest, WebRequest])[] {
  return ofUrl.flatMap((first, i) => {
    const second = ofUrl[i + 1];
    const isEarly =
      second && finalStateOf(first) === 'fetched' && second.startedAt - first.startedAt < leastMs;
    return isEarly ? [[first, second] as const] : [];
  });
}

function checkDueTimes(
  findings: Findings,
  { crawl, host }: HostVisits,
  everyMs: number,
  isClockRight: boolean,
): void {
  const stoppedAt = stopOf(crawl);
  if (stoppedAt === undefined || isTroubled(host)) return;
  // A host that is slower than the interval is never through.
  const roundMs = 3 * host.records.length * crawl.config.delayMs;
  const lateMs = isClockRight ? LATE_MS + roundMs : Number.POSITIVE_INFINITY;
  for (const record of host.records) {
    const problem = isPlanned(record) ? problemOf(record, { everyMs, lateMs, stoppedAt }) : undefined;
    if (problem !== undefined)
      findings.add(`${crawl.id}: ${record.url} ${problem}`, { host: host.host, at: stoppedAt });
  }
}

const stopOf = ({ statuses }: CrawlFacts): number | undefined =>
  statuses.findLast(({ status }) => status === 'stopped')?.at;

/** Whether its pages wait for longer than their interval, and rightly so. */
const isTroubled = ({ head }: HostFacts): boolean => head.setAside !== undefined || head.clock.failures > 0;

const isPlanned = (record: UrlRecord): boolean =>
  isRefetch(record) && record.state === 'fetched' && record.attempts === 0;

interface Times {
  readonly everyMs: number;
  /** How late a page may be. */
  readonly lateMs: number;
  readonly stoppedAt: number;
}

function problemOf({ dueAt, result }: UrlRecord, { everyMs, lateMs, stoppedAt }: Times): string | undefined {
  const fetchedAt = result?.fetchedAt ?? 0;
  const fetched = `was fetched ${since(fetchedAt)}`;
  // robots.txt forbids it now: it is looked at again in a day.
  if (dueAt - fetchedAt > DAY_MS / 2) return undefined;
  const moreMs = dueAt - fetchedAt - everyMs;
  // A request that failed is made again some time later.
  if (moreMs < -ROUNDING_MS || moreMs > lateMs)
    return `${fetched}, and is due ${seconds(dueAt - fetchedAt)} later, expected ${seconds(everyMs)}`;
  return stoppedAt - dueAt > lateMs ? `${fetched}, and was due ${since(dueAt)}` : undefined;
}

import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';
import { type LimitChange, phasesOf } from './history-probe.ts';
import type { RobotsLog } from './robots-answers.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'crawlCount' | 'web' | 'strikes'>;

/**
 * A process reads what the whole crawl has used every 5 s, at its next look after that, every 2 s
 * (`crawl-state/crawls.ts`); a head is counted within 5 s after its commit; and a second for calls.
 */
const HEARD_MS = 13_000;
/** A request may wait for those of another crawl to the same host: for two delays, Crawl-delay included. */
const OTHER_CRAWL_MS = 120_000;

/**
 * No page is requested later than 13 seconds after a crawl has reached a limit of bytes, of time or of money
 * by what is committed, though its status is not set yet. So a limit is passed by no more than what its hosts
 * give in that time, and what their turns had not committed. Where turns may be discarded, counters may be
 * wrong, too: not judged there, nor time where a clock was set.
 */
export function pastLimits(facts: UsedFacts, robots: RobotsLog): readonly Violation[] {
  const findings = createFindings('limitsKept');
  if (mayHaveLostTurns(facts)) return [];
  for (const crawl of facts.crawls) {
    const lagMs = HEARD_MS + (facts.crawlCount > 1 ? OTHER_CRAWL_MS : 0);
    const pages = facts.web.log.filter((request) => isBy(request, crawl) && !robots.isOfRobots(request));
    for (const [i, change] of crawl.statuses.entries()) {
      if (change.status !== 'running') continue;
      for (const phase of phasesOf(change, crawl.statuses[i + 1]?.at ?? Number.POSITIVE_INFINITY)) {
        const { at: metAt, what } = metAfter(crawl, phase, facts);
        for (const { url, host, startedAt, process } of pages)
          if (startedAt > metAt + lagMs && startedAt < phase.until)
            findings.add(
              `${crawl.id} had met ${what} ${since(metAt)}, and ${process} requested ${url} ${seconds(startedAt - metAt)} later; expected none after ${seconds(lagMs)}`,
              { host, at: startedAt },
            );
      }
    }
  }
  return findings.list;
}

/** When the crawl met the first of its limits, running since then. */
function metAfter(crawl: CrawlFacts, { at: from, limits }: LimitChange, { strikes }: UsedFacts) {
  const { maxBytes = Infinity, maxTimeMs = Infinity, maxCost = Infinity } = limits;
  const times = [...crawl.hosts.values()]
    .flatMap(({ heads }) => heads.map(({ at }) => at))
    .sort((a, b) => a - b);
  const bytesAt = maxBytes < Infinity ? times.find((at) => bytesAtTime(crawl, at) >= maxBytes) : undefined;
  const costAt = crawl.costs.find(({ cost }) => cost >= maxCost)?.at;
  const timeAt = strikes.clockStepped > 0 ? Infinity : from + maxTimeMs - activeMsBefore(crawl, from);
  const all = [
    { at: bytesAt ?? Infinity, what: 'maxBytes' },
    { at: costAt ?? Infinity, what: 'maxCost' },
    { at: timeAt, what: 'maxTimeMs' },
  ].map(({ at, what }) => ({ at: Math.max(at, from), what }));
  return all.reduce((first, one) => (one.at < first.at ? one : first));
}

const bytesAtTime = ({ hosts }: CrawlFacts, at: number): number =>
  Array.from(
    hosts.values(),
    ({ heads }) => heads.findLast((one) => one.at <= at)?.head.totals.bytes ?? 0,
  ).reduce((a, b) => a + b, 0);

/** How long its status had been `running` before. */
function activeMsBefore({ statuses }: CrawlFacts, from: number): number {
  let sum = 0;
  for (const [i, { at, status }] of statuses.entries())
    if (status === 'running' && at < from) sum += Math.min(from, statuses[i + 1]?.at ?? from) - at;
  return sum;
}

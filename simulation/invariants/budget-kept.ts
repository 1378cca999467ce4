import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

const DAY_MS = 86_400_000;
/** The share of the budget by which it may be exceeded. */
const SHARE = 0.05;
/** Due times are spread by chance: the standard deviations of a number of fetches by which it may be larger. */
const SPREAD = 3;
/** Pages that have come due before the price was known. */
const FEW = 5;

/**
 * With a budget, no more known pages are fetched again in a day after the first pass than 1.05 times the budget, and what
 * chance adds. Of a shorter time its part of the budget. Requests of discarded turns are made again.
 */
export function budgetKept(
  { strikes }: Pick<Facts, 'strikes'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('budgetKept');
  for (const [crawl, visits] of Map.groupBy(visited, ({ crawl }) => crawl)) {
    const { config, firstPassAt } = crawl;
    const { recrawlPerDay } = config;
    if (!isRecrawling(config) || recrawlPerDay === undefined || firstPassAt === undefined) continue;
    // By a wrong clock all pages of a host are due.
    if (strikes.clockStepped > 0) continue;
    const lost = visits.reduce((sum, { lost: ofHost }) => sum + Math.max(0, ofHost), 0);
    const again = visits.flatMap(({ requests }) => refetches(requests, robots));
    for (const { from, until } of daysOf(crawl, firstPassAt)) {
      const count = again.filter(({ startedAt }) => startedAt >= from && startedAt < until).length;
      const budget = (recrawlPerDay * (until - from)) / DAY_MS;
      const most = (1 + SHARE) * budget + SPREAD * Math.sqrt(budget) + FEW + lost;
      if (count > most)
        findings.add(
          `${crawl.id}: ${count} pages were fetched again from ${since(from)} to ${since(until)}, expected ${Math.round(budget)} and ${Math.floor(most)} at most`,
          { at: from },
        );
    }
  }
  return findings.list;
}

/** The requests for pages that were fetched before. */
function refetches(requests: readonly WebRequest[], robots: RobotsLog): WebRequest[] {
  const known = new Set<string>();
  return requests.filter((request) => {
    if (robots.isOfRobots(request)) return false;
    const isRefetch = known.has(request.url);
    if (finalStateOf(request) === 'fetched') known.add(request.url);
    return isRefetch;
  });
}

function daysOf({ statuses }: CrawlFacts, firstPassAt: number): { from: number; until: number }[] {
  const endedAt = statuses.findLast(({ status }) => status === 'stopped')?.at ?? firstPassAt;
  const days: { from: number; until: number }[] = [];
  for (let from = firstPassAt; from < endedAt; from += DAY_MS)
    days.push({ from, until: Math.min(endedAt, from + DAY_MS) });
  return days;
}

import type { Violation } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'web' | 'strikes'>;

/** A worker learns of a status within two seconds (docs/aws.md, "Operate") ... */
export const HEARD_MS = 2000;
/**
 * ... and what it asks the services between that and its request takes less than this, where none of them
 * fails.
 */
export const CALLS_MS = 1000;
/** Where processes stand still, and calls fail and are tried again. A freeze is 3 minutes at most. */
export const FAULTS_MS = 180_000 + 60_000;

/**
 * While a crawl is paused, stopped or limited nothing of it is requested, but for what was in flight: from
 * two seconds after the status was stored on. A process that froze, or waited for a service that failed,
 * between its last look at the status and its request is excused, for four minutes at most.
 */
export function notRunning({ crawls, web, strikes }: UsedFacts): readonly Violation[] {
  const findings = createFindings('notRunning');
  const isSlow = mayHaveLostTurns({ strikes });
  for (const crawl of crawls)
    for (const { from, until, status } of restsOf(crawl))
      for (const request of web.log) {
        const lateMs = request.startedAt - from;
        if (lateMs <= HEARD_MS + CALLS_MS || request.startedAt >= until || !isBy(request, crawl)) continue;
        findings.add(
          `${crawl.id} was ${status} ${since(from)}, and ${request.process} requested ${request.url} ${seconds(lateMs)} later; expected none after ${seconds(HEARD_MS)}`,
          {
            host: request.host,
            at: request.startedAt,
            excuse: isSlow && lateMs <= FAULTS_MS ? 'lateHearing' : undefined,
          },
        );
      }
  return findings.list;
}

/** When the crawl did not run. */
function restsOf({ statuses }: CrawlFacts) {
  return statuses.flatMap(({ at, status }, i) =>
    status === 'running' || status === 'finished'
      ? []
      : [{ from: at, until: statuses[i + 1]?.at ?? Number.POSITIVE_INFINITY, status }],
  );
}

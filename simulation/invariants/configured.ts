import type { Violation } from '../worlds/spec.ts';
import { createFindings, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import { isProbe } from './soft-404.ts';
import type { HostVisits } from './visits.ts';

/** A worker learns of a change within two seconds (docs/aws.md, "Operate"), and a second is for calls. */
const HEARD_MS = 3000;

/**
 * An operator's change of the configuration holds for each turn that begins three seconds after it was
 * stored, or later: a turn asks for no more pages than `turnMaxPages` says then, besides one that does not exist (`soft404`). Where a turn was discarded,
 * its requests are not the next one's: only visits whose head counts all of them are judged.
 */
export function configured(visited: readonly HostVisits[], robots: RobotsLog): readonly Violation[] {
  const findings = createFindings('configured');
  for (const { crawl, host, visits, lost } of visited) {
    if (lost !== 0) continue;
    for (const { before, requests, isExact } of visits) {
      if (!before || !isExact) continue;
      // The turn began between the two heads: which changes it knew by its end is unknown.
      const known = crawl.changes.filter(({ at }) => at + HEARD_MS <= before.at).at(-1);
      const endedAt = requests.at(-1)?.endedAt ?? before.at;
      const later = crawl.changes.filter(({ at }) => at + HEARD_MS > before.at && at <= endedAt);
      const most = Math.max(
        known?.turnMaxPages ?? crawl.config.turnMaxPages,
        ...later.map((one) => one.turnMaxPages),
      );
      const pages = new Set(
        requests.flatMap((request) =>
          robots.isOfRobots(request) || isProbe(request.url) ? [] : request.url,
        ),
      );
      // Requests side by side are counted when they begin.
      if (pages.size > most + crawl.config.perHost - 1)
        findings.add(
          `${crawl.id}: a turn asked ${host.host} for ${pages.size} pages from ${since(requests[0]?.startedAt ?? before.at)} on; expected at most ${most} (turnMaxPages)`,
          { host: host.host, at: endedAt },
        );
    }
  }
  return findings.list;
}

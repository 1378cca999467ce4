import type { ExcuseName, Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import { leastRestMs, type Step, stepsOf } from './host-clock.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

/** The largest difference between two clocks, each being 5 s off at most (`models/cloud.ts`). */
const MAX_SKEW_MS = 10_000;

/**
 * After a slow answer a host rests a multiple of the time that it took, where the crawl is adaptive; after a
 * failure as long as its back-off says, doubled with each failure in a row, or as its `Retry-After` asks.
 * Judged between two requests of one crawl. A rest that was forgotten with the turn that had learned it is
 * excused, also if that turn froze beyond its lease and was committed only after the next one had begun. That
 * is known if the next one had asked by then, or if it was discarded because its head was replaced meanwhile.
 * Excused is also a rest that a process ended whose clock had been set forward: of other processes' requests
 * it knows by the clock alone. So their failures' rests may also be shorter by what two clocks differ by.
 */
export function rested(
  { strikes, leaseMs }: Pick<Facts, 'strikes' | 'leaseMs'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const excuse = strikes.clockStepped > 0 ? 'wrongClock' : undefined;
  const skewMs = strikes.clockSkew > 0 ? MAX_SKEW_MS : 0;
  const mayLose = mayHaveLostTurns({ strikes });
  const findings = createFindings('rested');
  for (const visits of visited)
    if (visits.crawl.config.perHost === 1)
      checkHost(findings, visits, robots, { excuse, skewMs, mayLose, leaseMs });
  return findings.list;
}

interface RestTerms {
  readonly excuse: ExcuseName | undefined;
  readonly skewMs: number;
  readonly mayLose: boolean;
  readonly leaseMs: number;
}

function checkHost(
  findings: Findings,
  visits: HostVisits,
  robots: RobotsLog,
  { excuse, skewMs, mayLose, leaseMs }: RestTerms,
): void {
  const { host } = visits.host;
  const next = new Map<WebRequest, WebRequest>();
  for (const [i, request] of visits.requests.entries()) {
    const after = visits.requests[i + 1];
    if (after) next.set(request, after);
  }
  const discarded = new Set(visits.visits.flatMap((visit) => (visit.isExact ? [] : visit.requests)));
  for (const visit of visits.visits)
    for (const step of stepsOf(visit, visits, robots)) {
      const { request } = step;
      const after = next.get(request);
      if (!after || request.host !== host || after.host !== host) continue;
      const gapMs = after.startedAt - request.endedAt;
      const { ms, why } = restAfter(step, visits);
      // Its head was stored when another process asked already, or had begun a turn that was discarded for that. A
      // turn asks within its lease.
      const unheardUntil = visit.after.at + (discarded.has(after) ? leaseMs : 0);
      const isUnheard = mayLose && after.process !== request.process && after.startedAt < unheardUntil;
      const slackMs = why === 'adaptive' || after.process === request.process ? 0 : skewMs;
      if (gapMs < Math.floor(ms) - slackMs)
        findings.add(
          `${visits.crawl.id}: ${after.url} (${after.process}, ${since(after.startedAt)}) began ${seconds(gapMs)} after the end of ${request.url} (${request.process}, ${since(request.endedAt)}); expected at least ${seconds(ms)} (${why})`,
          { host, at: after.startedAt, excuse: visit.isExact && !isUnheard ? excuse : 'lostTurn' },
        );
    }
}

function restAfter(step: Step, { crawl }: HostVisits): { readonly ms: number; readonly why: string } {
  const { adaptive, adaptiveFactor, maxAdaptiveDelayMs } = crawl.config;
  const { startedAt, endedAt, retryAfterMs } = step.request;
  const adaptiveMs = adaptive ? Math.min(adaptiveFactor * (endedAt - startedAt), maxAdaptiveDelayMs) : 0;
  const failureMs = leastRestMs(step, crawl);
  if (failureMs <= adaptiveMs) return { ms: adaptiveMs, why: 'adaptive' };
  return { ms: failureMs, why: failureMs === retryAfterMs ? 'Retry-After' : 'back-off' };
}

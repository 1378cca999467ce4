import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import { origin } from '../../shared/core/url/host-key.ts';
import { momentAfter, scheduleOf, type WorldSchedule } from '../worlds/schedules.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { mostFreed } from './canonical-copies.ts';
import { type CrawlFacts, type Facts, mayHaveHidden, mayHaveLostTurns, wakerLagMs } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

/** By so much clocks may differ from the world's. */
const CLOCKS_MS = 10_000;
/** A process with a wrong clock fetches each page of a host too early this often at most. */
const EARLY_ROUNDS = 2;
/** From a moment to the request: the index rounds up by five minutes, the waker looks each minute, and a worker starts. */
const LATE_MS = 480_000;
/** The same if a message or a worker may have been lost (`refetched.ts`). */
const HIDDEN_MS = 1_800_000;

/**
 * In crawls with a schedule: a page that was fetched is fetched again at the next moment of the schedule, not before it, and
 * not much later; so once at each moment, and it is not due before.
 *
 * That a moment was met is judged where the crawl was running, and the host answered all its requests: others rest.
 */
export function onSchedule(
  facts: Pick<Facts, 'strikes' | 'web'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('onSchedule');
  for (const visits of visited) {
    const schedule = scheduleOf(visits.crawl.config);
    if (!schedule) continue;
    const ofPages = visits.requests.filter((request) => !robots.isOfRobots(request));
    const byUrl = [...Map.groupBy(ofPages, ({ url }) => url).values()];
    const judged = { facts, visits, schedule, byUrl, robots };
    checkEarly(findings, judged);
    if (facts.strikes.clockStepped > 0) continue;
    checkLate(findings, judged);
    checkDueTimes(findings, judged);
  }
  return findings.list;
}

interface Judged {
  readonly facts: Pick<Facts, 'strikes' | 'web'>;
  readonly visits: HostVisits;
  readonly schedule: WorldSchedule;
  /** The requests for each page, in order. */
  readonly byUrl: readonly (readonly WebRequest[])[];
  readonly robots: RobotsLog;
}

function checkEarly(findings: Findings, { facts, visits, schedule, byUrl }: Judged): void {
  const { crawl, host, lost } = visits;
  const early = byUrl.flatMap((ofUrl) => {
    const pairs = ofUrl.flatMap((first, i) => {
      const second = ofUrl[i + 1];
      if (!second || finalStateOf(first) !== 'fetched') return [];
      const moment = momentAfter(schedule, first.startedAt - CLOCKS_MS);
      return second.startedAt < moment - CLOCKS_MS ? [{ first, second, moment }] : [];
    });
    return pairs.slice(mostFreed(ofUrl[0]?.url ?? '', crawl, facts.web));
  });
  if (early.length <= (mayHaveLostTurns(facts) ? Math.max(0, lost) : 0)) return;
  const isExcused = early.length <= facts.strikes.clockStepped * EARLY_ROUNDS * byUrl.length;
  for (const { first, second, moment } of early)
    findings.add(
      `${crawl.id}: ${second.url} was fetched ${since(first.startedAt)} and again ${since(second.startedAt)}, before the moment ${since(moment)}; ${lost} requests were lost with their turns`,
      { host: host.host, at: second.startedAt, excuse: isExcused ? 'wrongClock' : undefined },
    );
}

function checkLate(findings: Findings, judged: Judged): void {
  const { facts, visits, schedule, byUrl } = judged;
  const { crawl, host } = visits;
  if (hasOtherPace(crawl.config)) return;
  const roundMs = 3 * host.records.length * crawl.config.delayMs;
  const lateMs = roundMs + (mayHaveHidden(facts) ? HIDDEN_MS + wakerLagMs(facts) : LATE_MS);
  for (const ofUrl of byUrl)
    for (const [i, first] of ofUrl.entries()) {
      if (finalStateOf(first) !== 'fetched') continue;
      const moment = momentAfter(schedule, first.startedAt + CLOCKS_MS);
      const next = ofUrl[i + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
      const until = moment + lateMs;
      if (next <= until || !isQuiet(judged, first, until)) continue;
      const later = next === Number.POSITIVE_INFINITY ? 'never' : `${seconds(next - moment)} after it`;
      findings.add(
        `${crawl.id}: ${first.url} was fetched ${since(first.startedAt)}, and again ${later}: expected it at ${since(moment)}, ${seconds(lateMs)} later at most`,
        { host: host.host, at: until },
      );
    }
}

/** Settings by which a host may rightly wait for longer than its delay. */
const hasOtherPace = (config: CrawlConfig): boolean => config.adaptive || config.overrides.length > 0;

/** Whether the crawl ran from the request until then, the host answered well all the time, and nothing forbade the page. */
function isQuiet({ facts, visits, robots }: Judged, first: WebRequest, until: number): boolean {
  const { crawl, requests } = visits;
  const answers = robots.answersOf(origin(first.url));
  return (
    isRunning(crawl, first.startedAt, until) &&
    requests.every(
      (one) =>
        one.endedAt < first.startedAt ||
        one.startedAt > until ||
        (one.failure === undefined && !one.isCut && (one.httpStatus ?? 500) < 429),
    ) &&
    answers.every(
      ({ kind, version }) =>
        kind === 'none' ||
        (kind === 'rules' && version !== undefined && facts.web.allows(first.url, version)),
    )
  );
}

function isRunning({ statuses }: CrawlFacts, from: number, until: number): boolean {
  const before = statuses.findLast(({ at }) => at <= from);
  const meanwhile = statuses.filter(({ at }) => at > from && at <= until);
  return [before, ...meanwhile].every((change) => change?.status === 'running');
}

function checkDueTimes(findings: Findings, { visits, schedule }: Judged): void {
  const { crawl, host } = visits;
  for (const { url, state, attempts, dueAt, result } of host.records) {
    if (state !== 'fetched' || attempts > 0 || dueAt === 0) continue;
    const fetchedAt = result?.fetchedAt ?? 0;
    const moment = momentAfter(schedule, fetchedAt);
    // One that was due then and could not be asked for is so a little later, or at a later moment.
    if (dueAt < moment)
      findings.add(
        `${crawl.id}: ${url} was fetched ${since(fetchedAt)}, and is due ${since(dueAt)}, expected ${since(moment)}`,
        { host: host.host, at: fetchedAt },
      );
  }
}

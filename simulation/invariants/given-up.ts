import { type CauseCode, isRefusal } from '../../shared/core/causes/cause.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import type { Violation } from '../worlds/spec.ts';
import { type Facts, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import { type Step, stepsOf } from './host-clock.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits, Visit } from './visits.ts';

/**
 * Tries after which a crawl ends of which no host has ever answered, unless `keepTrying` (README,
 * "Politeness").
 */
const FIRST_TRIES = 2;
/** Looks for the rules of another host that cost no failure (`turn/robots/moved-robots.ts`). */
const PATIENT_LOOKS = 6;
const OF_DEATHS: ReadonlySet<CauseCode> = new Set<CauseCode>([
  'workerDied',
  'robotsBlockedThread',
  'pagesBlockedThread',
]);
/**
 * A head is counted by writes of its own, after it. Where a world has small ones, there are many, one after the other, and
 * those of other heads come before.
 */
const COUNTED_MS = 3000;
/**
 * The wake-up of a resumed crawl may wait with a host that rests, for so long (docs/aws.md, "Times"), and a
 * lease.
 */
const WAKE_MS = 900_000 + 660_000;
/**
 * The message that wakes all hosts goes through them page by page: it waits for routers that die, and for
 * copies of it.
 */
const WAKE_ALL_MS = 2_400_000;

type UsedFacts = Pick<Facts, 'web' | 'strikes'>;

/**
 * A host is given up when it has failed `maxHostFailures` times in a row by the web's own log, or twice while
 * no host of the crawl has answered; then at once, and nothing of it is requested until the crawl is resumed.
 * And its head counts the failures that the web has seen.
 */
export function givenUp(
  facts: UsedFacts,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('givenUp');
  for (const visits of visited)
    for (const visit of visits.visits)
      checkVisit(findings, facts, { ...visits, robots, steps: stepsOf(visit, visits, robots) }, visit);
  return findings.list;
}

interface Visited extends Pick<HostVisits, 'crawl' | 'host'> {
  /** By the web's answers. */
  readonly steps: readonly Step[];
  readonly robots: RobotsLog;
}

function checkVisit(
  findings: Findings,
  facts: UsedFacts,
  { crawl, host, steps, robots }: Visited,
  { before, after, isExact, requests }: Visit,
): void {
  const excuse = isExact ? undefined : ('lostTurn' as const);
  const { version, clock, setAside, totals } = after.head;
  const where = { host: host.host, at: after.at, excuse };
  const subject = `${crawl.id}: the head of ${host.host}, version ${version} (${since(after.at)}),`;

  const possible = steps.at(-1)?.failures;
  if (possible && !possible.includes(clock.failures) && !mayHaveLookedLate(before?.head, after.head))
    findings.add(
      `${subject} counts ${clock.failures} failures in a row, by the web's answers it is ${possible.join(' or ')}`,
      where,
    );
  const [first] = requests;
  if (
    first &&
    before?.head.setAside &&
    !wasResumed(crawl.statuses, before.at - wakeMsOf(facts), first.startedAt)
  )
    findings.add(`${subject} was given up, and ${first.url} was requested ${since(first.startedAt)}`, where);

  if (crawl.config.robots === 'ignore') return;
  const last = requests.at(-1);
  if (!last) return;
  const isHopeless = clock.failures >= crawl.config.maxHostFailures;
  const isUnheard = crawl.hosts.size > 0 && !hasAnswered(crawl.hosts.values(), last.startedAt - COUNTED_MS);
  const mayEndEarly = !crawl.config.keepTrying && clock.failures >= FIRST_TRIES && isUnheard;
  if (
    setAside &&
    !before?.head.setAside &&
    !isHopeless &&
    !mayEndEarly &&
    // Judged with the refusals (`refusalsKept`).
    !(isRefusal(setAside.cause) && after.head.refusal) &&
    // And with the accounts (`accountsKept`).
    setAside.cause.code !== 'accountsLocked' &&
    !OF_DEATHS.has(setAside.cause.code)
  )
    findings.add(
      `${subject} gives the host up after ${clock.failures} failures in a row, expected ${crawl.config.maxHostFailures}`,
      // Whether a host has answered is read from the counters.
      { ...where, excuse: excuse ?? (mayHaveLostTurns(facts) ? 'earlyEnd' : undefined) },
    );
  const isTried =
    (steps.at(-1)?.effect.weight ?? 0) > 0 && clock.failures > (before?.head.clock.failures ?? 0);
  const mustEndEarly =
    mayEndEarly &&
    totals.requests >= FIRST_TRIES &&
    !facts.web.log.some(({ httpStatus, startedAt }) => httpStatus !== undefined && startedAt <= after.at);
  // Rules that were known before are used a little longer, so the next page decides.
  const asked = robots.askedFor(last);
  const isKnown = asked !== undefined && after.head.robots.some((one) => one.origin === asked);
  if (!setAside && isTried && !isKnown && (isHopeless || mustEndEarly))
    findings.add(`${subject} does not give the host up after ${clock.failures} failures in a row`, where);
}

/**
 * Whether the visit may have looked in vain for the rules of another host, to which this one's robots.txt
 * redirects: from the seventh time on each look is a failure, without a request.
 */
function mayHaveLookedLate(before: Head | undefined, { movedRobots = [] }: Head): boolean {
  const waited = [...(before?.movedRobots ?? []), ...movedRobots];
  return waited.some(({ tries }) => tries >= PATIENT_LOOKS);
}

/** Whether a head stored before then shows a response to the crawl. */
function hasAnswered(hosts: Iterable<HostVisits['host']>, until: number): boolean {
  for (const { heads } of hosts)
    for (const { at, head } of heads)
      if (at < until && Object.keys(head.totals.httpStatus).length > 0) return true;
  return false;
}

/** How long after the crawl was resumed a host may hear of it. */
export function wakeMsOf(facts: Pick<Facts, 'strikes'>): number {
  const isSlow = mayHaveLostTurns(facts) || facts.strikes.messageTwice > 0;
  return WAKE_MS + (isSlow ? WAKE_ALL_MS : 0);
}

export const wasResumed = (statuses: HostVisits['crawl']['statuses'], from: number, until: number): boolean =>
  statuses.some(({ at, status }) => status === 'running' && at >= from && at <= until);

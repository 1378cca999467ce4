import type { CauseCode } from '../../shared/core/causes/cause.ts';
import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { isRoute } from '../../shared/core/url/hash-route.ts';
import { origin } from '../../shared/core/url/host-key.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { mayBeFreed } from './canonical-copies.ts';
import { askedUrl, type Facts, mayHaveLostTurns } from './facts.ts';
import { finalStateOf, stateOf } from './final-state.ts';
import { createFindings, type Findings, since } from './findings.ts';
import { wasRefused } from './refusals-kept.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

type UsedFacts = Pick<Facts, 'strikes' | 'web'>;

/** Whether the cause of a URL or host says that it kills workers or blocks their threads. */
const OF_DEATHS: ReadonlySet<CauseCode> = new Set<CauseCode>(['workerDied', 'threadBlocked']);

/**
 * The outcome of a URL is justified by the web's responses, after as many tries as the crawl makes: no final
 * state without an answer that makes it so, none called failed after fewer tries than `maxAttempts`, and none
 * asked again after its final answer.
 *
 * Where a turn was discarded, its requests are made again: no more of them than those that no head counts. A page that is
 * fetched once more, as it is no copy after all, has its tries from then on.
 */
export function triesKept(
  facts: UsedFacts,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('triesKept');
  for (const visits of visited) checkHost(findings, visits, robots, facts);
  return findings.list;
}

function checkHost(findings: Findings, visits: HostVisits, robots: RobotsLog, facts: UsedFacts): void {
  const { crawl, host, requests, lost } = visits;
  const byUrl = Map.groupBy(
    requests.filter((request) => !robots.isOfRobots(request) && request.failure !== 'aborted'),
    ({ url }) => url,
  );
  const origins = new Set(requests.map(({ url }) => origin(url)));
  // It may not have been found out whether an account is signed in; then the page is requested again.
  const isMember = facts.web.memberHosts.includes(host.host);
  const doubts = isMember ? requests.filter(({ showsSign }) => !showsSign).length : 0;
  let surplus = -doubts;
  const routeAttempts = new Map<string, number>();
  for (const { url, attempts } of host.records) {
    const shell = askedUrl(url);
    if (shell !== url) routeAttempts.set(shell, (routeAttempts.get(shell) ?? 0) + attempts);
  }
  for (const record of host.records) {
    const all = byUrl.get(askedUrl(record.url)) ?? [];
    const tries = mayBeFreed(record, crawl, facts.web)
      ? sinceFreed(record, all, crawl.config.maxAttempts)
      : all;
    // Where an origin's robots.txt cannot be fetched while the other one's can, its URLs use up tries without
    // a request.
    const closings = isRoute(record.url)
      ? Number.POSITIVE_INFINITY // A shell is requested once for several of its routes.
      : origins.size > 1
        ? robots.answersOf(origin(record.url)).filter(({ kind }) => kind === 'nothing').length
        : 0;
    // Such tries are judged in `refusalsKept`.
    if (wasRefused(record, tries)) continue;
    const isOfLast = !isRecrawling(crawl.config);
    const problem = isOfLast
      ? problemOf(record, tries, closings, crawl.config.maxAttempts)
      : againProblemOf(record, tries);
    if (problem !== undefined)
      findings.add(
        `${crawl.id}: ${record.url} is ${record.state} after ${record.attempts} tries, ${problem}`,
        {
          host: host.host,
        },
      );
    const ofRoutes = routeAttempts.get(record.url) ?? 0;
    if (isOfLast && !isRoute(record.url)) surplus += Math.max(0, tries.length - record.attempts - ofRoutes);
  }
  if (surplus > 0 && host.heads.length > 0 && (surplus > lost || !mayHaveLostTurns(facts)))
    findings.add(
      `${crawl.id}: URLs of ${host.host} were requested ${surplus} times more than they have tries, and ${lost} requests were lost with their turns`,
      { host: host.host },
    );
}

/**
 * The tries after the answer by which the page was a copy, if it was one; before them, such answers that were lost with their
 * turns. That is the answer which explains most.
 */
function sinceFreed(
  { state, attempts }: UrlRecord,
  tries: readonly WebRequest[],
  maxAttempts: number,
): readonly WebRequest[] {
  // A body that breaks off at the last try stands as it came.
  const isAnswer = (request: WebRequest, i: number) =>
    finalStateOf(request) === 'fetched' ||
    (i >= maxAttempts - 1 && request.isCut === true && stateOf(request.httpStatus) === 'fetched');
  const lost: WebRequest[] = [];
  let found = tries;
  for (const [i, request] of tries.entries()) {
    if (!isAnswer(request, i)) continue;
    const later = tries.slice(i + 1);
    // A page that was answered in a turn that was discarded has failed since.
    const wasFreed = later.length >= attempts && (later.length > 0 || state !== 'fetched');
    if (wasFreed && lost.length + later.length < found.length) found = [...lost, ...later];
    lost.push(request);
  }
  return found;
}

/** Returns the problem of the record, if there is one. */
function problemOf(
  record: UrlRecord,
  tries: readonly WebRequest[],
  closings: number,
  maxAttempts: number,
): string | undefined {
  const { attempts, result } = record;
  const state = answeredState(record);
  if (attempts > maxAttempts) return `expected ${maxAttempts} at most`;
  if (attempts > tries.length + closings)
    return `and was requested ${tries.length} times (${closings} answers of its robots.txt may count, too)`;
  const isDeath = result?.cause !== undefined && OF_DEATHS.has(result.cause.code);
  switch (state) {
    case 'waiting':
      return attempts >= maxAttempts ? `expected an end after ${maxAttempts}` : undefined;
    case 'deniedByRobots':
    case 'skipped':
      return undefined;
    case 'failed': {
      const isFinal = tries.some((request) => finalStateOf(request) === 'failed');
      return isFinal || isDeath || attempts === maxAttempts ? undefined : lastAnswer(tries);
    }
    default: {
      // A body that breaks off at the last try stands as it came.
      const isKept = (request: WebRequest) =>
        attempts === maxAttempts && request.isCut === true && stateOf(request.httpStatus) === state;
      return tries.some((request) => finalStateOf(request) === state || isKept(request))
        ? undefined
        : lastAnswer(tries);
    }
  }
}

/** The state that the answer alone gives: whether a page that was sent is none is judged elsewhere (`soft404`). */
const answeredState = ({ state, result }: UrlRecord): UrlRecord['state'] =>
  state === 'gone' && result?.cause?.code === 'softNotFound' ? 'fetched' : state;

/** The same where attempts are those of the last visit alone, and a failure leaves the state as it was. */
function againProblemOf(record: UrlRecord, tries: readonly WebRequest[]): string | undefined {
  const state = answeredState(record);
  if (state !== 'fetched' && state !== 'redirect' && state !== 'gone') return undefined;
  return tries.some(({ httpStatus }) => stateOf(httpStatus) === state) ? undefined : lastAnswer(tries);
}

function lastAnswer(tries: readonly WebRequest[]): string {
  const last = tries.at(-1);
  if (!last) return 'and was never requested';
  return `and the web's last answer, ${since(last.endedAt)}, was ${last.httpStatus ?? last.failure}${last.isCut ? ', cut' : ''}`;
}

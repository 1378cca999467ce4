import { isRefusal, REFUSAL_KINDS } from '../../shared/core/causes/cause.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { origin } from '../../shared/core/url/host-key.ts';
import { isUsageFile } from '../web/usage.ts';
import type { ExcuseName, Violation, WebRequest } from '../worlds/spec.ts';
import { type Facts, mayHaveLostTurns } from './facts.ts';
import { stateOf } from './final-state.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import { wakeMsOf, wasResumed } from './given-up.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits, Visit } from './visits.ts';
import { toHex } from './warc.ts';

type UsedFacts = Pick<Facts, 'strikes' | 'refusedHosts'>;

const HOUR_MS = 3_600_000;
/** After each refusal but the last one, which sets the host aside. */
const RESTS_MS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];
const TRIES = RESTS_MS.length + 1;
/** Clocks differ by this. */
const SKEW_MS = 10_000;
/** A turn reads whether the crawl has fetched a page from counters, which are written after the heads. */
const COUNTED_MS = 3000;

/**
 * A host that refuses the crawler from its first answer on is asked four times: it rests for 1, 4 and 24 hours, and is then
 * given up. If it has given pages, it rests as its head says. A refusal is never a page, and the URLs that
 * were refused wait or have that cause. Each head counts its host among those that refuse as long as it does.
 *
 * An operator who resumes the crawl has each host asked once.
 */
export function refusalsKept(
  facts: UsedFacts,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('refusalsKept');
  for (const visits of visited) {
    if (!visits.requests.some(isShown) && !visits.host.heads.some(({ head }) => head.refusal)) continue;
    checkRecords(findings, visits);
    checkTries(findings, facts, visits, robots);
    checkReports(findings, facts, visits);
    for (const visit of visits.visits) {
      checkRest(findings, facts, visits, visit);
      checkSetAside(findings, facts, visits, visit);
      checkCounts(findings, visits, visit);
    }
  }
  return findings.list;
}

/** The response says so by more than its status. */
const isShown = ({ refusal }: WebRequest): boolean => refusal !== undefined && !refusal.isPlain;

function checkRecords(findings: Findings, { crawl, host, requests, lost }: HostVisits): void {
  const byUrl = Map.groupBy(requests, ({ url }) => url);
  const refused = new Set(requests.flatMap(({ refusal, bytes, sha1 }) => (refusal && bytes ? sha1 : [])));
  for (const { url, state, result } of host.records) {
    const found = (what: string) =>
      findings.add(`${crawl.id}: ${url} is ${state}, ${what}`, { host: host.host });
    const digest = toHex(result?.digest ?? new Uint8Array());
    if (state === 'fetched' && refused.has(digest)) found('and its content is a refusal');
    const tries = (byUrl.get(url) ?? []).filter(({ failure }) => failure !== 'aborted');
    const shown = tries.filter(isShown);
    const kinds = shown.map(({ refusal }) => refusal?.kind);
    if (isRefusal(result?.cause) && !kinds.includes(result.cause.code))
      found(`as ${result.cause.code}, and the web has answered ${answersOf(tries)}`);
    if (state !== 'failed' || shown.length === 0) continue;
    if (shown.length === tries.length && !isRefusal(result?.cause))
      found(`though it was refused, by the cause ${result?.cause?.code}`);
    if (isRefusal(result?.cause) && shown.length < 2 && lost === 0)
      found('and was refused once: it was not tried again');
  }
}

const answersOf = (requests: readonly WebRequest[]): string =>
  requests
    .map(({ httpStatus, refusal }) => `${httpStatus}${refusal ? ` (${refusal.kind})` : ''}`)
    .join(', ') || 'nothing';

/** By the web's log alone, until the host gives a page: each refusal is one of the host. */
function checkTries(
  findings: Findings,
  facts: UsedFacts,
  { crawl, host, requests, lost }: HostVisits,
  robots: RobotsLog,
): void {
  // If one of two origins is open, a refusal of the other one's robots.txt is not the host's.
  if (new Set(requests.map(({ url }) => origin(url))).size > 1) return;
  const excuse = excuseOf(facts, lost);
  let last: WebRequest | undefined;
  let tries = 0;
  for (const request of requests) {
    if (isUsageFile(request.url) || request.failure !== undefined) continue;
    if (isPage(request, robots)) return;
    if (last && request.startedAt <= last.endedAt) continue;
    const isResumed =
      last && wasResumed(resumesOf(crawl), last.startedAt - wakeMsOf(facts), request.startedAt);
    if (isResumed) {
      tries = Math.max(0, tries - 1);
      last = undefined;
    }
    const restMs = last ? (RESTS_MS[tries - 1] ?? Number.POSITIVE_INFINITY) : 0;
    const gapMs = request.startedAt - (last?.endedAt ?? 0);
    if (last && gapMs < restMs - SKEW_MS)
      findings.add(
        `${crawl.id}: ${request.url} was requested ${since(request.startedAt)}, ${seconds(gapMs)} after ${tries} refusals, the last one of ${last.url}; expected ${restMs < Number.POSITIVE_INFINITY ? `${seconds(restMs)} at least` : 'no request'}`,
        { host: host.host, at: request.startedAt, excuse },
      );
    if (!isShown(request)) continue;
    tries = Math.min(tries + 1, TRIES);
    last = request;
  }
}

const isPage = (request: WebRequest, robots: RobotsLog): boolean =>
  !robots.isOfRobots(request) && request.refusal === undefined && stateOf(request.httpStatus) === 'fetched';

/** The crawl's beginning is no resume. */
const resumesOf = ({ statuses }: HostVisits['crawl']) => statuses.slice(1);

const excuseOf = ({ strikes }: Pick<Facts, 'strikes'>, lost: number): ExcuseName | undefined =>
  lost !== 0 ? 'lostTurn' : strikes.clockStepped > 0 ? 'wrongClock' : undefined;

function checkRest(
  findings: Findings,
  facts: UsedFacts,
  { crawl, host }: HostVisits,
  { before, requests, isExact }: Visit,
): void {
  const restUntil = before?.head.refusal?.restUntil;
  if (!before || restUntil === undefined) return;
  const early = requests.find(({ startedAt }) => startedAt > before.at && startedAt < restUntil - SKEW_MS);
  if (!early || wasResumed(resumesOf(crawl), before.at - wakeMsOf(facts), early.startedAt)) return;
  findings.add(
    `${crawl.id}: ${early.url} was requested ${since(early.startedAt)}, though its host, which has refused the crawler, rests until ${since(restUntil)}`,
    { host: host.host, at: early.startedAt, excuse: excuseOf(facts, isExact ? 0 : 1) },
  );
}

/** A host is given up for its refusals after the last rest, or as long as no page of the crawl was there. */
function checkSetAside(
  findings: Findings,
  facts: UsedFacts,
  { crawl, host }: HostVisits,
  { before, after, isExact }: Visit,
): void {
  const cause = after.head.setAside?.cause;
  if (before?.head.setAside || !isRefusal(cause) || !after.head.refusal) return;
  const rests = after.head.refusal?.rests ?? 0;
  const isUnheard = !crawl.config.keepTrying && !hasFetched(crawl.hosts.values(), after.at - COUNTED_MS);
  if (rests === RESTS_MS.length || isUnheard) return;
  findings.add(
    `${crawl.id}: ${host.host} was given up as ${cause.code} ${since(after.at)}, after ${rests} rests; expected ${RESTS_MS.length}`,
    {
      host: host.host,
      at: after.at,
      // Whether the crawl has fetched a page is read from the counters.
      excuse: mayHaveLostTurns(facts) || !isExact ? 'earlyEnd' : undefined,
    },
  );
}

function hasFetched(hosts: Iterable<HostVisits['host']>, until: number): boolean {
  for (const { heads } of hosts)
    for (const { at, head } of heads) if (at < until && head.ledger.counts.fetched > 0) return true;
  return false;
}

/** The operator's receiver has heard when the host was given up, or rests; and of nothing else. */
function checkReports(findings: Findings, facts: UsedFacts, { crawl, host }: HostVisits): void {
  const reports = facts.refusedHosts.filter((one) => one.crawl === crawl.id && one.host === host.host);
  const textOf = (refusal: string, at: number | undefined) =>
    `${refusal}, ${at === undefined ? 'given up' : `rests until ${new Date(at).toISOString()}`}`;
  const stored = host.heads.flatMap(({ head: { refusal, setAside } }) =>
    refusal ? textOf(refusal.cause.code, setAside ? undefined : refusal.restUntil) : [],
  );
  const reported = new Set(
    reports.map(({ refusal, nextTryAt }) =>
      textOf(refusal, nextTryAt === undefined ? undefined : Date.parse(nextTryAt)),
    ),
  );
  for (const report of reported)
    if (!stored.includes(report) && !mayHaveLostTurns(facts))
      findings.add(`${crawl.id}: ${host.host} was reported as ${report}, which no head of it says`, {
        host: host.host,
      });
  const { refusal, setAside } = host.head;
  const last = refusal && setAside && isRefusal(setAside.cause) && textOf(refusal.cause.code, undefined);
  if (last && !reported.has(last) && crawl.unsentChanges.length === 0)
    findings.add(`${crawl.id}: ${host.host} is ${last}, and the operator's receiver has not heard of it`, {
      host: host.host,
      excuse: facts.strikes.messageLost > 0 ? 'lostTurn' : undefined,
    });
}

function checkCounts(findings: Findings, { crawl, host }: HostVisits, { after }: Visit): void {
  const { head } = after;
  const kind = kindOf(head);
  const { refused = {} } = head.totals as { readonly refused?: Readonly<Record<string, number>> };
  const expected = { hosts: kind ? 1 : 0, urls: kind ? head.ledger.counts.waiting : 0 };
  const isRight =
    (refused.hosts ?? 0) === expected.hosts &&
    (refused.urls ?? 0) === expected.urls &&
    REFUSAL_KINDS.every((one) => (refused[one] ?? 0) === (one === kind ? 1 : 0));
  if (!isRight)
    findings.add(
      `${crawl.id}: the head of ${host.host}, version ${head.version}, counts ${JSON.stringify(refused)}, expected ${expected.urls} URLs of ${expected.hosts} hosts${kind ? ` as ${kind}` : ''}`,
      { host: host.host, at: after.at },
    );
}

/** How the host refuses the crawler, by its head. */
function kindOf({ setAside, refusal }: Head): string | undefined {
  if (setAside) return isRefusal(setAside.cause) ? setAside.cause.code : undefined;
  return refusal && refusal.rests > 0 ? refusal.cause.code : undefined;
}

/** Whether the URL's tries are not its attempts: those before a refusal do not count. */
export const wasRefused = ({ result }: Pick<UrlRecord, 'result'>, tries: readonly WebRequest[]): boolean =>
  isRefusal(result?.cause) || tries.some(isShown);

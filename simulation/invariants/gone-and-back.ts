import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import { originalOf } from './canonical-copies.ts';
import { type CrawlFacts, type Facts, mayHaveLostTurns } from './facts.ts';
import { finalStateOf } from './final-state.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import type { RobotsLog } from './robots-answers.ts';
import type { HostVisits } from './visits.ts';

const DAY_MS = 86_400_000;
/** Days until a page that is not there is asked for again, by how often in a row it was not (docs/recrawl.md). */
const MISSING_DAYS: readonly number[] = [7, 14, 28, 56];
const GONE_DAYS: readonly number[] = [7, 60];
const CLOCKS_MS = 10_000;
/** A schedule's moment may come so much sooner (`turn/recrawl/recrawl-plan.ts`). */
const SOONER = 0.9;
/** Due times are whole seconds. */
const ROUNDING_MS = 1000;
/** From a due time to the request: as for pages that are there (`refetched.ts`). */
const LATE_MS = 1_800_000;
/** If fewer pages of which there are copies answer 404, the host is not in doubt; if as many do in a row, it is. */
const LEAST_MISSING = 5;
const ALL_MISSING = 8;

/**
 * In crawls that fetch pages again: a page is gone if the last answer that says something of it was 404 or 410, and there
 * if it was another one, whatever failed since; one that is gone is asked for again after a week, neither before nor much
 * later; and each time that one with a copy was gone is reported to the change feed. If all pages of a host answer 404 at
 * once, the copies stay.
 *
 * Where a turn was discarded, its answers are unknown to the crawl.
 */
export function goneAndBack(
  facts: Pick<Facts, 'strikes' | 'pageChanges' | 'web'>,
  visited: readonly HostVisits[],
  robots: RobotsLog,
): readonly Violation[] {
  const findings = createFindings('goneAndBack');
  const received = new Set(facts.pageChanges.map(({ id }) => id));
  for (const visits of visited) {
    if (!isRecrawling(visits.crawl.config)) continue;
    const stories = storiesOf(visits, robots, facts.web);
    checkEarly(findings, visits, stories, facts);
    checkDueTimes(findings, visits, facts.strikes.clockStepped > 0);
    const isCertain = visits.lost === 0 || !mayHaveLostTurns(facts);
    if (visits.host.heads.length === 0 || !isCertain) continue;
    checkStates(findings, visits, stories);
    checkCounts(findings, visits, stories);
    if (visits.crawl.config.changeFeed) checkReports(findings, visits, stories, { received, web: facts.web });
  }
  return findings.list;
}

/** Answers to the requests for one page that say whether it is there, in order. */
interface Story {
  readonly answers: readonly Answer[];
  /** An answer came that broke off, after all of these. */
  readonly isCutSince: boolean;
}

interface Answer {
  readonly state: 'fetched' | 'redirect' | 'gone';
  readonly request: WebRequest;
  /** 404, of a page that has a copy: whether that may, or must, be taken for a mishap of the host. */
  readonly doubt?: 'none' | 'maybe' | 'certain';
}

function storiesOf(
  { crawl, requests }: HostVisits,
  robots: RobotsLog,
  web: Pick<Facts['web'], 'canonicalOf'>,
): Map<string, Story> {
  const stories = new Map<string, Story>();
  let missing = 0;
  let inRow = 0;
  const byEnd = requests
    .filter((request) => !robots.isOfRobots(request) && request.failure === undefined)
    .toSorted((a, b) => a.endedAt - b.endedAt);
  for (const request of byEnd) {
    const { answers } = stories.get(request.url) ?? { answers: [] };
    const last = answers.at(-1);
    const state = finalStateOf(request);
    if (state === 'fetched' || state === 'redirect') {
      if (last?.state === 'fetched') inRow = 0;
      stories.set(request.url, add(answers, { state, request }));
    } else if (state === 'gone') {
      const mayBeNew = originalOf(request.url, crawl, web) !== undefined;
      const copy = request.httpStatus === 404 ? copyOf(last, mayBeNew) : 'none';
      if (copy !== 'none') missing++;
      if (copy === 'certain') inRow++;
      const isCertain = copy === 'certain' && inRow >= ALL_MISSING;
      const doubt = copy === 'none' || missing < LEAST_MISSING ? 'none' : isCertain ? 'certain' : 'maybe';
      stories.set(request.url, add(answers, { state, request, doubt }));
    } else if (request.isCut) stories.set(request.url, { answers, isCutSince: true });
  }
  return stories;
}

/**
 * Whether the crawl has a copy of the page that was answered so at last. One that names a canonical URL may have begun as a new
 * page since: it is fetched once more if that is none.
 */
function copyOf(last: Answer | undefined, mayBeNew: boolean): NonNullable<Answer['doubt']> {
  if (last?.state === 'fetched') return mayBeNew ? 'maybe' : 'certain';
  return last?.state === 'gone' ? (last.doubt ?? 'none') : 'none';
}

const add = (answers: readonly Answer[], one: Answer): Story => ({
  answers: [...answers, one],
  isCutSince: false,
});

/** A page that is gone is not asked for before its time. */
function checkEarly(
  findings: Findings,
  { crawl, host, lost }: HostVisits,
  stories: ReadonlyMap<string, Story>,
  facts: Pick<Facts, 'strikes'>,
): void {
  const early = [...stories.values()].flatMap((story) => earlyIn(story, crawl));
  if (early.length <= (mayHaveLostTurns(facts) ? Math.max(0, lost) : 0)) return;
  const excuse = early.length <= facts.strikes.clockStepped * stories.size ? 'wrongClock' : undefined;
  for (const { one, next, days } of early)
    findings.add(
      `${crawl.id}: ${next.request.url} was answered with ${one.request.httpStatus} ${since(one.request.startedAt)} and requested again ${seconds(afterMs(one, next))} later, expected ${days} days; ${lost} requests were lost with their turns`,
      { host: host.host, at: next.request.startedAt, excuse },
    );
}

interface Known {
  readonly one: Answer;
  /** How often in a row it was not there, with this one. */
  readonly misses: number;
  readonly before: Known | undefined;
}

interface Early {
  readonly one: Answer;
  readonly next: Answer;
  readonly days: number;
}

/** The requests that come too early. Those after them are judged as if the crawl did not know the answer before. */
function earlyIn({ answers }: Story, crawl: CrawlFacts): readonly Early[] {
  const early: Early[] = [];
  let last: Known | undefined;
  for (const next of answers) {
    while (last) {
      const days = daysUntilAgain(last);
      if (days === undefined || afterMs(last.one, next) >= soonest(crawl) * days * DAY_MS - CLOCKS_MS) break;
      early.push({ one: last.one, next, days });
      last = last.before;
    }
    last = { one: next, misses: next.state === 'gone' ? (last?.misses ?? 0) + 1 : 0, before: last };
  }
  return early;
}

const daysUntilAgain = ({ one: { state, doubt, request }, misses }: Known): number | undefined =>
  state === 'gone' && doubt === 'none' ? daysOf(request.httpStatus, misses) : undefined;

const daysOf = (httpStatus: number | undefined, misses: number): number | undefined =>
  (httpStatus === 410 ? GONE_DAYS : MISSING_DAYS)[misses - 1];

const afterMs = (one: Answer, next: Answer): number => next.request.startedAt - one.request.startedAt;

/** The part of these days after which it is asked for: at the moment of a schedule that is about that far ahead. */
const soonest = ({ config }: CrawlFacts): number => (config.recrawlSchedule === undefined ? 1 : SOONER);

/** One that is gone has the due time that follows, and is asked for when it comes. */
function checkDueTimes(findings: Findings, { crawl, host }: HostVisits, isClockWrong: boolean): void {
  const { head, records } = host;
  const stoppedAt = stopOf(crawl);
  if (stoppedAt === undefined || isClockWrong || head.setAside !== undefined || head.clock.failures > 0)
    return;
  const roundMs = 3 * records.length * crawl.config.delayMs;
  for (const record of records) {
    const problem = isGoneForNow(record)
      ? dueProblemOf(record, { stoppedAt, lateMs: LATE_MS + roundMs, soonest: soonest(crawl) })
      : undefined;
    if (problem !== undefined)
      findings.add(`${crawl.id}: ${record.url} ${problem}`, { host: host.host, at: stoppedAt });
  }
}

const stopOf = ({ statuses }: CrawlFacts): number | undefined =>
  statuses.findLast(({ status }) => status === 'stopped')?.at;

const isGoneForNow = (record: UrlRecord): boolean =>
  record.state === 'gone' && record.recrawl !== undefined && record.attempts === 0;

interface Times {
  readonly stoppedAt: number;
  readonly lateMs: number;
  readonly soonest: number;
}

function dueProblemOf({ result, recrawl, dueAt }: UrlRecord, { stoppedAt, lateMs, soonest: part }: Times) {
  const { fetchedAt = 0, httpStatus } = result ?? {};
  const days = daysOf(httpStatus, recrawl?.misses ?? 0);
  if (days === undefined) return undefined;
  const ms = days * DAY_MS;
  const was = `was not there ${since(fetchedAt)}`;
  // One that was due and could not be asked for, or forbidden, is due a day after that.
  const isFirstTime = stoppedAt - fetchedAt < part * ms;
  if (dueAt - fetchedAt < part * ms || (isFirstTime && dueAt - fetchedAt > ms + ROUNDING_MS))
    return `${was}, and is due ${seconds(dueAt - fetchedAt)} later, expected ${days} days`;
  return stoppedAt - dueAt > lateMs ? `${was}, and was due ${since(dueAt)}` : undefined;
}

/** The state is what the last answer says that says something. */
function checkStates(
  findings: Findings,
  { crawl, host }: HostVisits,
  stories: ReadonlyMap<string, Story>,
): void {
  for (const record of host.records) {
    const { answers = [], isCutSince } = stories.get(record.url) ?? {};
    const last = answers.at(-1);
    if (!last || isCutSince || !isJudged(record)) continue;
    if (allowedStates(last, answers).has(record.state)) continue;
    findings.add(
      `${crawl.id}: ${record.url} is ${record.state}, and the web's last answer, ${since(last.request.endedAt)}, was ${last.request.httpStatus}`,
      { host: host.host, at: last.request.endedAt },
    );
  }
}

/** Not: a page that answers well and is none (`soft404`), one that robots.txt forbids now, one that waits for another try. */
const isJudged = ({ state, result }: UrlRecord): boolean =>
  (state === 'fetched' || state === 'gone' || state === 'redirect') && result?.cause?.code !== 'softNotFound';

function allowedStates(last: Answer, answers: readonly Answer[]): Set<UrlRecord['state']> {
  const { state, doubt = 'none' } = last;
  if (state !== 'gone' || doubt === 'none') return new Set([state]);
  // The copy's, or that of an answer before which was believed or not.
  const wasGone = answers.some((one) => one.doubt === 'none' || one.doubt === 'maybe');
  return doubt === 'certain' && !wasGone ? new Set(['fetched']) : new Set(['fetched', 'gone']);
}

/** No head counts a page as gone that is so only as all of the host seems to be. */
function checkCounts(
  findings: Findings,
  { crawl, host: { host, heads, records } }: HostVisits,
  stories: ReadonlyMap<string, Story>,
): void {
  const isGone = ({ state, doubt }: Answer) => state === 'gone' && doubt !== 'certain';
  const answered = [...stories.values()].filter(
    ({ answers, isCutSince }) => isCutSince || answers.some(isGone),
  ).length;
  const most = answered + records.filter((record) => !isJudged(record)).length;
  const wrong = heads.find(({ head }) => head.ledger.counts.gone > most);
  if (wrong)
    findings.add(
      `${crawl.id}: the head of ${host} counts ${wrong.head.ledger.counts.gone} URLs as gone ${since(wrong.at)}, by the web's answers ${most} can be at most`,
      { host, at: wrong.at },
    );
}

/** Each time that a page with a copy was gone was received as a change, or is kept for that. */
function checkReports(
  findings: Findings,
  { crawl, host }: HostVisits,
  stories: ReadonlyMap<string, Story>,
  { received, web }: { readonly received: ReadonlySet<string>; readonly web: Facts['web'] },
): void {
  const ids = [...new Set([...received, ...crawl.unsentChanges])];
  for (const { url, kind } of host.records) {
    // A copy that is fetched once more begins as a new page.
    if (kind !== undefined || originalOf(url, crawl, web) !== undefined) continue;
    const { answers = [] } = stories.get(url) ?? {};
    const gone = countOf(answers, 'fetched', 'gone');
    const reported = ids.filter((id) => id.endsWith(` gone ${url}`)).length;
    const back = countOf(answers, 'gone', 'fetched');
    const seenBack = ids.filter((id) => id.endsWith(` back ${url}`)).length;
    const found = (what: string, times: number, known: number) =>
      findings.add(
        `${crawl.id}: ${url} was ${what} ${times} times, and ${known} such changes were reported`,
        {
          host: host.host,
        },
      );
    if (reported < gone) found('gone', gone, reported);
    if (seenBack < back) found('back', back, seenBack);
  }
}

/** How often the one state followed the other, both beyond doubt. */
const countOf = (answers: readonly Answer[], from: Answer['state'], to: Answer['state']): number =>
  answers.filter((one, i) => {
    const before = answers[i - 1];
    const isClear = before && [before, one].every(({ doubt = 'none' }) => doubt === 'none');
    return isClear && before.state === from && one.state === to;
  }).length;

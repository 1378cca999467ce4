/** Accounts at sites, by the web's log. */
import type { MembersPlan } from '../web/member-plan.ts';
import type { ExcuseName, Violation, WebRequest } from '../worlds/spec.ts';
import { type CrawlFacts, type Facts, isBy, mayHaveLostTurns } from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import { toHex } from './warc.ts';

type UsedFacts = Pick<Facts, 'web' | 'crawls' | 'strikes' | 'members'>;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Clocks differ by this. */
const SKEW_MS = 10_000;
/** For as long a login has the account for itself, at least. */
const LEASE_MS = 60_000;
/** A worker's visit may be as short as three of these. */
const LONG_DELAY_MS = 5000;
/** Refused passwords in a row, after which an account is locked. */
const MAX_REFUSED = 3;

/** A login as the site sees it. */
interface Login {
  readonly id: string;
  readonly requests: readonly WebRequest[];
  readonly startedAt: number;
  readonly lastAt: number;
  /** The request with the password, if it was sent. */
  readonly sent: WebRequest | undefined;
}

/**
 * By an account one worker at a time signs in, and sends the password no more often in an hour than its limit says. After a
 * password that was refused the account rests, for twice as long after each further one in a row; after the third it is not used
 * any more. A host is given up for its accounts when all of them are.
 *
 * What a turn has learned of a login may be lost with it; then only the lease keeps others away, and no three passwords are sent
 * within a minute.
 */
export function accountsKept(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('accountsKept');
  const { members } = facts;
  if (!members) return findings.list;
  for (const crawl of facts.crawls) {
    const log = facts.web.log.filter((request) => isBy(request, crawl));
    for (const { name } of members.accounts) {
      const used: UsedAccount = { name, crawl: crawl.id, strikes: facts.strikes, members };
      const logins = loginsOf(log, name);
      checkOneAtATime(findings, used, logins);
      checkHours(findings, used, logins);
      checkRests(findings, used, logins);
    }
    const mayAllBeLocked = areAllRefused(log, members) || isLoginLong(crawl.config);
    const mayBe = facts.web.memberHosts.filter((host) => mayAllBeLocked || isSlow(log, host, crawl.config));
    checkGivenUp(findings, crawl, mayBe);
  }
  return findings.list;
}

/** An account as a crawl uses it. */
interface UsedAccount extends Pick<Facts, 'strikes'> {
  readonly name: string;
  readonly crawl: string;
  readonly members: MembersPlan;
}

function loginsOf(log: readonly WebRequest[], account: string): Login[] {
  const own = log.filter(({ member }) => member?.login?.startsWith(`${account}.`));
  const logins = Array.from(
    Map.groupBy(own, ({ member }) => member?.login as string),
    ([id, requests]) => {
      const times = requests.map(({ startedAt }) => startedAt);
      const sent = requests.find(({ member }) => member?.isSent);
      return { id, requests, startedAt: Math.min(...times), lastAt: Math.max(...times), sent };
    },
  );
  return logins.sort((a, b) => a.startedAt - b.startedAt);
}

function checkOneAtATime(
  findings: Findings,
  { strikes, crawl }: UsedAccount,
  logins: readonly Login[],
): void {
  let before: Login | undefined;
  for (const login of logins) {
    if (before && before.lastAt > login.startedAt) {
      const isAfterLease = login.startedAt - before.startedAt >= LEASE_MS - SKEW_MS;
      findings.add(
        `${crawl}: the login ${login.id} (${processOf(login)}) began ${since(login.startedAt)}, while ${before.id} (${processOf(before)}) was made, from ${since(before.startedAt)} to ${since(before.lastAt)}`,
        { at: login.startedAt, excuse: ofClock(strikes, isAfterLease) },
      );
    }
    if (!before || login.lastAt > before.lastAt) before = login;
  }
}

const processOf = ({ requests }: Login): string => requests[0]?.process ?? '';

/** `isNear`: it is explained by clocks that differ by seconds. */
const ofClock = (strikes: Facts['strikes'], isNear: boolean): ExcuseName | undefined =>
  strikes.clockStepped > 0 || (isNear && strikes.clockSkew > 0) ? 'wrongClock' : undefined;

function checkHours(
  findings: Findings,
  { name, strikes, crawl, members: { limits } }: UsedAccount,
  logins: readonly Login[],
): void {
  const times = logins.flatMap(({ sent }) => sent?.startedAt ?? []).sort((a, b) => a - b);
  for (const [i, at] of times.entries()) {
    const from = times[i - limits.loginsPerHour];
    if (from === undefined || at - from >= HOUR_MS - MINUTE_MS) continue;
    findings.add(
      `${crawl}: ${name} has sent its password ${limits.loginsPerHour + 1} times from ${since(from)} to ${since(at)}; expected ${limits.loginsPerHour} in an hour`,
      { at, excuse: ofClock(strikes, false) },
    );
  }
}

function checkRests(
  findings: Findings,
  { name, strikes, crawl, members: { limits } }: UsedAccount,
  logins: readonly Login[],
): void {
  const sent = logins.flatMap((login) => login.sent ?? []).sort((a, b) => a.startedAt - b.startedAt);
  let refused: WebRequest[] = [];
  for (const request of sent) {
    const last = refused.at(-1);
    const gapMs = request.startedAt - (last?.endedAt ?? 0);
    const restMs = refused.length >= MAX_REFUSED ? Infinity : limits.restMs * 2 ** (refused.length - 1);
    if (last && gapMs < restMs - SKEW_MS)
      findings.add(
        `${crawl}: ${name} has sent its password ${since(request.startedAt)}, ${seconds(gapMs)} after it was refused for the ${refused.length}. time in a row; expected ${restMs < Infinity ? `${seconds(restMs)} at least` : 'no further login'}`,
        {
          at: request.startedAt,
          excuse: mayHaveLostTurns({ strikes }) ? 'lostTurn' : ofClock(strikes, false),
        },
      );
    const third = refused.at(1 - MAX_REFUSED);
    if (third && refused.length >= MAX_REFUSED - 1 && request.startedAt - third.startedAt < MINUTE_MS)
      findings.add(
        `${crawl}: ${name} has sent ${MAX_REFUSED} wrong passwords within a minute, until ${since(request.startedAt)}`,
        {
          at: request.startedAt,
          excuse: ofClock(strikes, false),
        },
      );
    const isAnswered = request.failure === undefined && request.httpStatus === 200 && !request.isCut;
    if (request.member?.isRefused) refused = isAnswered ? [...refused, request] : refused;
    else refused = [];
  }
}

/** A host is given up for its accounts alone if these may all be locked. */
function checkGivenUp(findings: Findings, crawl: CrawlFacts, mayBe: readonly string[]): void {
  for (const { host, head } of crawl.hosts.values())
    if (head.setAside?.cause.code === 'accountsLocked' && !mayBe.includes(host))
      findings.add(`${crawl.id}: ${host} is given up for its accounts, which are not all refused`, { host });
}

const areAllRefused = (log: readonly WebRequest[], { accounts }: MembersPlan): boolean =>
  accounts.every(({ name }) => {
    const own = log.filter(({ member }) => member?.isRefused && member.login?.startsWith(`${name}.`));
    return own.length >= MAX_REFUSED;
  });

/** A login of three requests may not fit into a visit: it is long by the crawl's settings. */
const isLoginLong = (config: CrawlFacts['config']): boolean =>
  config.delayMs >= LONG_DELAY_MS ||
  config.maxBytesPerSecond !== undefined ||
  config.maxBytesPerSecondPerHost !== undefined ||
  config.overrides.length > 0;

/** A slow host is left alone for a multiple of the time that it took, if the delay is adaptive: nor may a login fit into a visit there. */
const isSlow = (
  log: readonly WebRequest[],
  host: string,
  { adaptive, adaptiveFactor }: CrawlFacts['config'],
): boolean =>
  adaptive &&
  log.some((one) => one.host === host && adaptiveFactor * (one.endedAt - one.startedAt) >= LONG_DELAY_MS);

/**
 * No URL is answered by what a site shows to somebody who is signed out: the URL waits, and is requested again. Nobody signs out
 * by a link.
 */
export function signedIn({ web, crawls, members }: UsedFacts): readonly Violation[] {
  const findings = createFindings('signedIn');
  if (!members) return findings.list;
  const shown = new Set(
    web.log.flatMap(({ member, sha1, bytes }) => (member?.what === 'signedOut' && bytes && sha1 ? sha1 : [])),
  );
  for (const { id, known } of crawls)
    for (const { url, state, result } of known.values()) {
      const digest = result?.digest && toHex(result.digest);
      if (digest && shown.has(digest))
        findings.add(`${id}: ${url} is ${state}, by what is shown to those who are signed out`, {
          host: new URL(url).host,
        });
    }
  for (const { url, member, host, startedAt: at } of web.log)
    if (member?.what === 'signOut')
      findings.add(`${url} was requested ${since(at)}, which signs out`, { host, at });
  return findings.list;
}

/** The log without the requests of logins, and without answers that were none of their URLs. */
export const withoutMembers = (log: readonly WebRequest[]): readonly WebRequest[] =>
  log.some(({ member }) => member) ? log.filter(({ member }) => !member) : log;

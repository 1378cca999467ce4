import {
  afterFailure,
  afterLogin,
  afterStop,
  isNeverInTime,
  locked,
  signedOut,
  suspectAt,
  withLease,
  withoutEnding,
  withSignOut,
} from '../../../core/access/account-state.ts';
import { messageOf } from '../../../core/base/error-message.ts';
import { unlessStopped } from '../../../core/base/unless-stopped.ts';
import { boundedText } from '../../../core/causes/cause.ts';
import { causeOfFailure, countsAgainstHost, hostFailureOf } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../../core/outcome/response-head.ts';
import type { HostCookies } from '../../access/host-cookies.ts';
import { retryAfterOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { AccountSession } from './account-session.ts';
import type { Account, LoginAt } from './accounts.ts';
import type { LoginPace } from './login-pace.ts';

/** For as long no other worker signs in by the account, besides the rests between the requests of the login. */
const LEASE_MS = 60_000;
const RESTS = 12;
const MAX_REDIRECTS = 5;
/** Requests of a login, its redirects among them. */
const MAX_REQUESTS = 30;

/** The login was given up, and the account is not to blame: the host is in trouble, or the turn has no time left. */
export class LoginStopped extends Error {
  override name = 'LoginStopped';
  readonly by: 'crawl' | 'visit' | 'host';

  constructor(message: string, by: LoginStopped['by']) {
    super(message);
    this.by = by;
  }
}

export interface SignInOptions {
  readonly services: Pick<TurnServices, 'engine' | 'stopping'>;
  readonly crawl: Pick<TurnCrawl, 'host' | 'config' | 'status'>;
  readonly pace: LoginPace;
  readonly crawlDelayMs: number | undefined;
  /** The origin of the URL for which the turn signs in. */
  readonly origin: string;
  /** Has a request made with these cookies. */
  readonly bind: (request: object, cookies: HostCookies) => void;
}

type OpenSession = Pick<AccountSession, 'account' | 'state' | 'cookies'>;

/** Makes a request of a login or of a check, after the host's rest. `onSent`: it has left. Throws {@link LoginStopped}. */
async function requestOf(
  given: Parameters<LoginAt['fetch']>[0],
  cookies: HostCookies,
  { services, crawl, pace, crawlDelayMs, bind }: SignInOptions,
  onSent?: () => void,
): Promise<FetchedResponse> {
  const request = { ...given, cache: 'bypass', repeatsStale: false } as const;
  bind(request, cookies);
  const isTime = await pace.waitForMoment(true);
  const outcome = isTime ? await pace.exchange(request, crawlDelayMs) : undefined;
  if (outcome === undefined || (outcome.status === 'failed' && outcome.isNotSent)) {
    if (services.stopping.aborted || crawl.status !== 'running')
      throw new LoginStopped('the crawl stops', 'crawl');
    throw new LoginStopped('the login takes longer than a visit may', 'visit');
  }
  onSent?.();
  const failure = failureOf(outcome, retryAfterOf(outcome, services.engine.clock.now()));
  pace.record(outcome, failure, crawlDelayMs);
  const isWhole =
    outcome.status === 'response' && outcome.truncated !== 'disconnect' && outcome.truncated !== 'time';
  if (isWhole && failure === undefined) return outcome;
  if (outcome.status === 'response') await outcome.body.dispose();
  throw new LoginStopped('the host does not answer', 'host');
}

function failureOf(outcome: FetchOutcome, retryAfterMs: number | undefined) {
  if (outcome.status === 'failed') {
    // The server had closed a kept connection.
    const saysNothing = outcome.reason === 'aborted' || outcome.isStaleConnection === true;
    return saysNothing ? undefined : hostFailureOf(outcome, causeOfFailure(outcome));
  }
  const { httpStatus } = outcome;
  if (!countsAgainstHost(httpStatus)) return undefined;
  return { cause: { code: 'httpStatus', httpStatus } as const, weight: 1, retryAfterMs };
}

/**
 * Signs in by the account. No other worker does so meanwhile: it holds a lease with the jar. A login that ends after its lease, or
 * after another worker has written the jar, is not stored; from then on it makes no requests. Throws {@link LoginStopped}.
 */
export async function signIn(session: AccountSession, options: SignInOptions): Promise<void> {
  const { account } = session;
  const { clock } = options.services.engine;
  if (account.login === undefined) {
    await session.store(locked(session.state, 'it is signed out, and has no login: give it new cookies'));
    return;
  }
  const begunAt = clock.now();
  const restMs = Math.max(options.crawl.config.delayMs, options.crawlDelayMs ?? 0);
  const until = begunAt + LEASE_MS + RESTS * restMs;
  if (!(await session.store(withLease(session.state, clock.uuid(), begunAt, until)))) return;
  const { createHostCookies } = await import('../../access/host-cookies.ts');
  const given = await account.cookies(options.crawl.host);
  const cookies = createHostCookies(() => clock.now(), undefined, given);
  cookies.keepNew(true);
  let requests = 0;
  let isSent = false;
  let isOver = false;
  /** The last request: it is the turn's, also if its login has been given up. */
  let underWay: Promise<unknown> = Promise.resolve();
  const fetch: LoginAt['fetch'] = async (request) => {
    if (isOver) throw new LoginStopped('it was given up', 'crawl');
    // The process may have frozen: another worker may sign in.
    if (clock.now() >= until) throw new Error('it takes too long');
    if (++requests > MAX_REQUESTS) throw new Error(`Expected at most ${MAX_REQUESTS} requests of a login`);
    const mayHaveSecret = requests > 1 || (request.method ?? 'GET') !== 'GET';
    const made = requestOf(request, cookies, options, () => {
      isSent ||= mayHaveSecret;
    });
    underWay = made.catch(() => {});
    return made;
  };
  try {
    const working = account.login({ fetch, cookies, origin: options.origin });
    const landing = await untilLeaseEnds(working, until, options);
    const isIn = landing !== undefined && (await isSignedIn(landing, session, cookies, options));
    if (!isIn || clock.now() >= until)
      return await fail(landing === undefined ? 'it takes too long' : signMissingAt(landing));
    const at = withoutQuery(landing.url);
    const suspect = suspectAt(session.state, options.origin);
    const begun = { account, state: { ...session.state, landing: at }, cookies };
    const isEnd = suspect !== undefined && (await endsAt(suspect, begun, options));
    const cleared = suspect === undefined ? session.state : withoutEnding(session.state, suspect);
    const next = afterLogin(cleared, at);
    await session.store(isEnd ? signedOut(withSignOut(next, suspect)) : next, cookies);
  } catch (error) {
    if (!(error instanceof LoginStopped)) return await fail(messageOf(error));
    const isCutShort = error.by === 'visit';
    const after = afterStop(session.state, { isSent, isCutShort });
    if (isCutShort && isNeverInTime(after)) return await fail(error.message, after);
    await session.store(after);
    throw error;
  } finally {
    isOver = true;
    await underWay;
  }

  async function fail(message: string, state = session.state): Promise<void> {
    const now = clock.now();
    const isLate = now >= until;
    const why = isLate ? `it has not ended within ${Math.round((until - begunAt) / 1000)} s` : message;
    await session.store(afterFailure(state, account.limits, now, boundedText(why)));
  }
}

/** Resolves to the page on which a login has ended; undefined: it takes longer than its lease. The project's code may never end. */
async function untilLeaseEnds(
  working: Promise<FetchedResponse>,
  until: number,
  { services: { engine, stopping } }: SignInOptions,
): Promise<FetchedResponse | undefined> {
  const { clock } = engine;
  const ending = new AbortController();
  const timeOut = clock.sleep(until - clock.now(), ending.signal).then(() => undefined);
  try {
    const landing = await Promise.race([unlessStopped(working, stopping, clock), timeOut]);
    if (landing !== undefined) return landing;
    // Its later result is ignored, as that of a hook.
    working.then(({ body }) => body.dispose()).catch(() => {});
    if (stopping.aborted) throw new LoginStopped('the crawl stops', 'crawl');
    return undefined;
  } finally {
    ending.abort();
  }
}

function signMissingAt({ url, httpStatus }: FetchedResponse): string {
  // Behind a `;` may be the name of the session (`;jsessionid=...`), and the path of a link that signs in is a secret.
  const path = new URL(url).pathname
    .split(';', 1)[0]
    ?.replace(/[^/]{16,}/g, (part) => (/\d/.test(part) ? '[removed]' : part));
  return `the page after the login, ${path} (HTTP ${httpStatus}), does not show the sign of being signed in (signedIn)`;
}

/** A query may hold a ticket. */
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] as string;

/** Whether the page shows that the account is signed in; otherwise, whether the page for checks does. */
async function isSignedIn(
  landing: FetchedResponse,
  { account }: AccountSession,
  cookies: HostCookies,
  options: SignInOptions,
): Promise<boolean> {
  const sign = await account.signOf(landing);
  await landing.body.dispose();
  if (sign === 'in') return true;
  if (account.check === undefined) return false;
  try {
    return await check(account.check, account, cookies, options);
  } catch (error) {
    // The page after the login does not show the sign, so the password may have been refused: it is not sent again soon.
    if (error instanceof LoginStopped && error.by !== 'crawl') return false;
    throw error;
  }
}

const check = async (url: string, account: Account, cookies: HostCookies, options: SignInOptions) =>
  (await signAt(url, account, cookies, options)).sign === 'in';

/** The sign of a page, after redirects within its host. */
async function signAt(url: string, account: Account, cookies: HostCookies, options: SignInOptions) {
  let next = new URL(url, options.origin);
  for (let redirects = 0; ; redirects++) {
    const page = await requestOf({ url: next.href }, cookies, options);
    const sign = await account.signOf(page);
    await page.body.dispose();
    const { httpStatus } = page;
    const target = sign === undefined ? redirectOf(page) : undefined;
    if (target?.origin !== next.origin || redirects === MAX_REDIRECTS) return { sign, httpStatus };
    next = target;
  }
}

function redirectOf({ url, httpStatus, headers }: FetchedResponse): URL | undefined {
  const location = fieldValues(headers, 'location')[0];
  if (httpStatus < 300 || httpStatus >= 400 || location === undefined) return undefined;
  return URL.parse(location, url) ?? undefined;
}

/**
 * Whether the session still holds, by the page for checks or the one on which the last login has ended. If that was at another host
 * of the account, its path is asked for at this one first: the other one may have a worker of its own. A page that a login shows but
 * once says nothing: then the last page that has shown the sign is asked for.
 */
export async function holds(
  { account, state, cookies }: OpenSession,
  options: SignInOptions,
): Promise<boolean> {
  const { origin } = options;
  if (account.check !== undefined) return check(account.check, account, cookies, options);
  const landing = new URL(state.landing ?? '/', origin);
  const { sign, httpStatus } = await signAt(landing.pathname, account, cookies, options);
  if (sign !== undefined) return sign === 'in';
  const isAway = landing.origin !== origin && (httpStatus === 404 || httpStatus === 410);
  if (isAway) return check(landing.href, account, cookies, options);
  const shown = new URL(state.shownAt ?? '/', origin);
  if (shown.origin !== origin || shown.href === landing.href) return false;
  return check(shown.href, account, cookies, options);
}

/**
 * A session that has just begun, which no other worker uses: whether a request of the URL ends it. Throws if it does not even last
 * until then.
 */
async function endsAt(suspect: string, session: OpenSession, options: SignInOptions): Promise<boolean> {
  if (!(await holds(session, options)))
    throw new Error('its sessions end before their first page, or `check` does not show that they hold');
  const page = await requestOf({ url: suspect }, session.cookies, options);
  await page.body.dispose();
  return !(await holds(session, options));
}

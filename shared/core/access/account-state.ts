/** The state of an account of the operator at a site: its sessions, its failures, and when it may be used. */

export interface AccountLimits {
  /** Requests of one session; then it signs in again. */
  readonly pagesPerSession: number;
  readonly pagesPerHour: number;
  readonly loginsPerHour: number;
  /** How long it rests after a login that has failed; twice as long after each further one in a row. */
  readonly restMs: number;
}

export interface AccountState {
  /** Whether its session is believed to hold. */
  readonly isSignedIn?: true;
  /** The page on which the last login has ended. */
  readonly landing?: string;
  /** The last page that has shown the sign of being signed in. */
  readonly shownAt?: string;
  /** URLs at which sessions were found to have ended, and how often without a page of theirs in between. */
  readonly endings?: readonly { readonly url: string; readonly times: number }[];
  /** Pages at which a session has ended while they were rendered: each is requested again once. */
  readonly rendered?: readonly string[];
  /** URLs that end a session, as its endings have shown. */
  readonly signOuts?: readonly string[];
  /** Requests of its session. */
  readonly sessionPages: number;
  /** Requests since that time, which is at most an hour ago. */
  readonly hourPages: number;
  readonly hourAt: number;
  /** When logins were begun, within an hour. */
  readonly loginsAt: readonly number[];
  /** All requests, logins and failures since the crawl began. */
  readonly pages: number;
  readonly logins: number;
  readonly failures: number;
  /** Failed logins in a row, and why the last one has failed. */
  readonly failed: number;
  readonly failure?: string;
  readonly restUntil?: number;
  /** Logins since the last one that has ended for which a visit had no time. */
  readonly cutShort?: number;
  /** Nothing but the operator lets it be used again. */
  readonly isLocked?: true;
  /** Accounts that would do, if all of the host's were used up. */
  readonly wanted?: number;
  /** A worker signs in. */
  readonly lease?: { readonly by: string; readonly until: number };
}

export const NEW_ACCOUNT: AccountState = {
  sessionPages: 0,
  hourPages: 0,
  hourAt: 0,
  loginsAt: [],
  pages: 0,
  logins: 0,
  failures: 0,
  failed: 0,
};

/** The use that a worker may make of an account. */
export type AccountUse =
  | { readonly kind: 'use' }
  | { readonly kind: 'login' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'locked' };

const HOUR_MS = 3_600_000;
/** Failed logins in a row, after which it is locked. */
const MAX_FAILED = 3;
/** Sessions that have ended at a URL, after which it is tried whether the URL ends them. */
const SUSPECT = 2;
const MAX_ENDINGS = 10;
const MAX_SIGN_OUTS = 20;
const MAX_RENDERED = 50;
/** Logins in a row that visits were too short for. */
const MAX_CUT_SHORT = 4;
/** How long a host waits for another worker's login before it looks again. */
const LOOK_AGAIN_MS = 5000;

export function useOf(state: AccountState, limits: AccountLimits, now: number): AccountUse {
  const { lease, restUntil = 0 } = state;
  if (state.isLocked) return { kind: 'locked' };
  if (lease && lease.until > now) return { kind: 'wait', until: Math.min(lease.until, now + LOOK_AGAIN_MS) };
  if (restUntil > now) return { kind: 'wait', until: restUntil };
  if (pagesInHour(state, now) >= limits.pagesPerHour) return { kind: 'wait', until: state.hourAt + HOUR_MS };
  if (state.isSignedIn && state.sessionPages < limits.pagesPerSession) return { kind: 'use' };
  const logins = withinHour(state.loginsAt, now);
  if (logins.length < limits.loginsPerHour) return { kind: 'login' };
  return { kind: 'wait', until: (logins.at(-limits.loginsPerHour) as number) + HOUR_MS };
}

const pagesInHour = ({ hourAt, hourPages }: AccountState, now: number): number =>
  isWithinHour(hourAt, now) ? hourPages : 0;

const isWithinHour = (at: number, now: number): boolean => at <= now && now - at < HOUR_MS;

const withinHour = (times: readonly number[], now: number): number[] =>
  times.filter((at) => isWithinHour(at, now));

/** It has to wait since it has signed in as often as it may in an hour. */
export function withoutLogins(state: AccountState, limits: AccountLimits, now: number): AccountState {
  const { isSignedIn, restUntil = 0, lease, loginsAt } = state;
  const { loginsPerHour } = limits;
  const use = useOf(state, limits, now);
  const isRest = restUntil > now || (lease && lease.until > now);
  if (use.kind !== 'wait' || isSignedIn || isRest || withinHour(loginsAt, now).length < loginsPerHour)
    return state;
  const failure = `it has no login left for this hour (limits.loginsPerHour: ${loginsPerHour})`;
  return { ...state, restUntil: use.until, failure };
}

/** A request was made by it. */
export function withPage(state: AccountState, now: number): AccountState {
  const hourPages = pagesInHour(state, now);
  return {
    ...state,
    pages: state.pages + 1,
    sessionPages: state.sessionPages + 1,
    hourPages: hourPages + 1,
    hourAt: hourPages === 0 ? now : state.hourAt,
  };
}

/** The worker `by` begins a login, which no other one does until then. */
export const withLease = (state: AccountState, by: string, now: number, until: number): AccountState => ({
  ...state,
  isSignedIn: undefined,
  loginsAt: [...withinHour(state.loginsAt, now), now],
  lease: { by, until },
});

/** A login that was given up, and is not to blame. */
export interface StoppedLogin {
  /** The site may have had the password: it counts towards the limit of an hour. */
  readonly isSent: boolean;
  /** The visit had no time left for it. */
  readonly isCutShort: boolean;
}

export const afterStop = (state: AccountState, { isSent, isCutShort }: StoppedLogin): AccountState => ({
  ...state,
  lease: undefined,
  loginsAt: isSent ? state.loginsAt : state.loginsAt.slice(0, -1),
  ...(isCutShort && { cutShort: (state.cutShort ?? 0) + 1 }),
});

/** Whether no visit is long enough for the account's login. A visit may begin late in the life of its worker. */
export const isNeverInTime = ({ cutShort = 0 }: AccountState): boolean => cutShort >= MAX_CUT_SHORT;

export const afterLogin = (state: AccountState, landing: string): AccountState => ({
  ...state,
  isSignedIn: true,
  landing,
  sessionPages: 0,
  logins: state.logins + 1,
  failed: 0,
  failure: undefined,
  cutShort: undefined,
  restUntil: undefined,
  lease: undefined,
});

/** A login has failed: the account rests, or is locked after the third failure in a row. */
export function afterFailure(
  state: AccountState,
  { restMs }: Pick<AccountLimits, 'restMs'>,
  now: number,
  failure: string,
): AccountState {
  const failed = state.failed + 1;
  return {
    ...state,
    isSignedIn: undefined,
    lease: undefined,
    failures: state.failures + 1,
    failed,
    failure,
    restUntil: now + restMs * 2 ** (failed - 1),
    ...(failed >= MAX_FAILED && { isLocked: true }),
  };
}

/** A page has shown that the session holds. */
export const shownAt = (state: AccountState, url: string): AccountState => ({
  ...withoutEnding(state, url),
  shownAt: url,
});

/** The URL does not end the session. */
export const withoutEnding = ({ endings, ...state }: AccountState, url: string): AccountState => ({
  ...state,
  ...(endings && { endings: endings.filter((one) => one.url !== url) }),
});

/** Its session has ended. */
export const signedOut = (state: AccountState): AccountState => ({ ...state, isSignedIn: undefined });

/** Its session was found to have ended when the URL was requested. */
export function endedAt(state: AccountState, url: string): AccountState {
  const { endings = [] } = state;
  const times = (endings.find((one) => one.url === url)?.times ?? 0) + 1;
  const others = endings.filter((one) => one.url !== url);
  return { ...signedOut(state), endings: [{ url, times }, ...others].slice(0, MAX_ENDINGS) };
}

/** The URL at an origin at which sessions have ended again and again: either it ends them, or chance or others do. */
export const suspectAt = ({ endings = [] }: AccountState, origin: string): string | undefined =>
  endings.find(({ url, times }) => times >= SUSPECT && new URL(url).origin === origin)?.url;

/** The URL ends the session. */
export const withSignOut = (state: AccountState, url: string): AccountState => ({
  ...state,
  signOuts: [url, ...(state.signOuts ?? [])].slice(0, MAX_SIGN_OUTS),
});

/** The session has ended while the page was rendered. */
export const endedWhileRendered = (state: AccountState, url: string): AccountState => ({
  ...state,
  rendered: [url, ...(state.rendered ?? [])].slice(0, MAX_RENDERED),
});

/** It cannot sign in by itself, and is locked. */
export const locked = (state: AccountState, failure: string): AccountState => ({
  ...signedOut(state),
  isLocked: true,
  failure,
});

/** The operator lets it sign in again. */
export const unlocked = (state: AccountState): AccountState => ({
  ...state,
  failed: 0,
  failure: undefined,
  cutShort: undefined,
  endings: undefined,
  restUntil: undefined,
  isLocked: undefined,
});

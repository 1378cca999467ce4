/** A host that refuses the crawler: when it is asked again, and when it is set aside. Pure; kept in the host's head. */
import { type Cause, isRefusal, type RefusalCause, type RefusalKind } from '../causes/cause.ts';
import type { HostKey } from '../url/host-key.ts';

export interface HostRefusal {
  readonly cause: RefusalCause;
  /** When the first refusal of the row came. */
  readonly since: number;
  /** Refusals of different URLs in a row, since the last rest. */
  readonly row: number;
  /** Rests so far, which refusals have caused. */
  readonly rests: number;
  /** No request before this time, unless an operator resumes the crawl. */
  readonly restUntil?: number;
  /** Since the last rest it was given cookies. They are tried once. */
  readonly hasCookies?: true;
}

/** A host that has refused the crawler as such, for the operator's programs. JSON; times are ISO 8601, UTC. */
export interface RefusedHost {
  /** Equal when sent again: a receiver that has seen it ignores it. */
  readonly id: string;
  readonly host: HostKey;
  readonly refusal: RefusalKind;
  /** For people. */
  readonly cause: string;
  readonly since: string;
  /** URLs that wait at the host. */
  readonly urls: number;
  /** When it is requested again. Absent: it was given up. */
  readonly nextTryAt?: string;
  /** It waits until a person brings cookies, with which the crawl is resumed. */
  readonly asks?: true;
}

const HOUR_MS = 3_600_000;
const RESTS_MS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];
/** Up to this share of a rest is added to it, so that hosts that refused together are not asked together. */
const JITTER = 1 / 10;
/** The longest rest. */
export const MAX_REFUSAL_REST_MS = 26.4 * HOUR_MS;

/** Refusals in a row by which a host refuses, though others of its pages were there. */
const ROW = 3;
/** As above, for a plain 403 or 999, which may be of one part of a site. */
const PLAIN_ROW = 20;
/** ... and for a host of which no page was there, or that refused as such before its rest. */
const PLAIN_FIRST_ROW = 5;

/** A refusal, besides its cause. */
export interface RefusalFacts {
  /** The response shows that the crawler is refused. Otherwise only its status says so. */
  readonly isPlain: boolean;
  /** The URL was not refused before. */
  readonly isFirst: boolean;
  /** A page of the host was there. */
  readonly hasAnswered: boolean;
  readonly now: number;
  readonly random: number;
}

/** The state after a refusal, and whether it is of the host or only of the URL. `over`: the host is to be set aside. */
export interface CountedRefusal {
  readonly state: HostRefusal;
  readonly of: 'url' | 'host' | 'over';
}

/**
 * Counts a refusal. Three in a row, or the first response of a host, are the host's. It rests for 1, 4 and 24 hours, each
 * of which a further refusal follows; after that it is set aside.
 */
export function afterRefusal(
  before: HostRefusal | undefined,
  cause: RefusalCause,
  { isPlain, isFirst, hasAnswered, now, random }: RefusalFacts,
): CountedRefusal {
  const rests = before?.rests ?? 0;
  const row = (before?.row ?? 0) + (isFirst ? 1 : 0);
  const state = { cause, since: before?.since ?? now, row, rests };
  const isSuspect = !hasAnswered || rests > 0 || before?.hasCookies === true;
  const plainRow = isSuspect ? PLAIN_FIRST_ROW : PLAIN_ROW;
  if (row < (isPlain ? plainRow : isSuspect ? 0 : ROW)) return { state, of: 'url' };
  const restMs = RESTS_MS[rests];
  if (restMs === undefined) return { state, of: 'over' };
  const restUntil = now + restMs + Math.floor(restMs * JITTER * random);
  return { state: { ...state, row: 0, rests: rests + 1, restUntil }, of: 'host' };
}

/** The state after an operator has resumed the crawl: the host is asked at once, and once. */
export const afterResume = (refusal: HostRefusal | undefined): HostRefusal | undefined =>
  refusal && { ...refusal, restUntil: undefined, hasCookies: undefined };

/** The state after the project has given cookies instead of a rest. Undefined: the last ones were refused, too. */
export function withCookies(
  before: HostRefusal | undefined,
  { cause, since }: HostRefusal,
): HostRefusal | undefined {
  if (before?.hasCookies) return undefined;
  return { cause, since, row: 0, rests: before?.rests ?? 0, hasCookies: true };
}

/** Why the host refuses the crawler as such, whether it rests or is set aside; undefined if it does not. */
export function refusingCause({
  setAside,
  refusal,
}: {
  readonly setAside?: { readonly cause: Cause } | undefined;
  readonly refusal?: HostRefusal | undefined;
}): RefusalCause | undefined {
  if (setAside) return isRefusal(setAside.cause) ? setAside.cause : undefined;
  return refusal && refusal.rests > 0 ? refusal.cause : undefined;
}

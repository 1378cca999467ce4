/** When the waker looks at a crawl again, and for what: by what it saw there last. */
import { shardOf } from '../shared/engines/aws/shard-of.ts';
import { MAX_SOON_MS, NET_MS, type NextLook, netAt } from '../shared/engines/aws/state/agenda.ts';
import { idleFor } from '../shared/engines/aws/state/quiet.ts';

/** Between two looks at a crawl that is at work. Less than a minute: the waker runs once a minute, by a clock that is not exact. */
const SOON_MS = 40_000;
/**
 * A crawl may rest if nothing was committed for this time, or twice of it, as the crawls of a bulk are not to be looked at all at
 * once. It is longer than the index of due hosts ever lags, and than links are on their way.
 */
const REST_MS = 600_000;
/** ... and if no host is due within this time: a token that comes back moves its host's time by 15 minutes. */
const MIN_REST_MS = 960_000;
/** The index of due hosts has a commit after this time, mostly. */
const INDEX_MS = 30_000;
/** Where woken hosts have not come to their turns, the index is read again after this time (`routing/waker.ts`) ... */
const AWAKE_MS = 305_000;
/** ... and otherwise after this, while the crawl is at work: it may have lagged when an entry of the agenda came. */
const DUE_MS = 900_000;
/** A crawl that rests before its first pass is noted is looked at once in this time. */
const PASS_MS = 600_000;

/** A crawl as a process has seen it in its last looks. Times are by its own clock. */
export interface LastLook {
  /** How long nothing may have been committed before the crawl rests. */
  readonly restMs: number;
  /** This process has read the index of due hosts. */
  isSeen: boolean;
  /** When it last read the index of due hosts; and when it did so for hosts of a time that is too far ahead. */
  dueLookedAt: number;
  farLookedAt: number;
  /** The earliest time at which a further host may be due; none: the index showed no further one. */
  nextDueAt?: number | undefined;
  /** Hosts were due at that look, and may not have come to their turns yet. */
  isAwake: boolean;
  /** When the crawl's last head was committed, as read last, and when that was seen first. */
  lastAt: number;
  changedAt: number;
}

/**
 * Returns the knowledge of a crawl that this process has not met before. The agenda has an entry for each host that is due soon, so the
 * index need not be read at once while the crawl is at work: not for all crawls at the first run of a process.
 */
export function unseen(crawl: string, now: number): LastLook {
  const share = shareOf(crawl);
  return {
    restMs: REST_MS * (1 + share),
    isSeen: false,
    dueLookedAt: now - share * DUE_MS,
    farLookedAt: now - share * NET_MS,
    nextDueAt: Number.POSITIVE_INFINITY,
    isAwake: false,
    lastAt: Number.NaN,
    changedAt: Number.NEGATIVE_INFINITY,
  };
}

/** From 0 to 1, by the name alone. */
const shareOf = (crawl: string): number => shardOf(crawl, 1000) / 1000;

export interface Seen {
  readonly lastAt: number;
  readonly hostsDue: number;
}

/** Notes that the counters were read. A crawl whose last commit is another one than before has done something since. */
export function noteSeen(last: LastLook, { lastAt }: Seen, now: number): void {
  if (lastAt !== last.lastAt && !Number.isNaN(last.lastAt)) last.changedAt = now;
  last.lastAt = lastAt;
}

/** For how long nothing was committed at that time, by the clocks of the workers and by that of this process. */
const idleMsOf = ({ lastAt, changedAt }: LastLook, at: number): number =>
  Math.min(idleFor(lastAt, at), at - changedAt);

/**
 * Whether hosts may be due, or whether none may be left: to see that takes a query for each shard of the index. `isDue`: the
 * agenda says so.
 */
export function needsDueLook(last: LastLook, { hostsDue }: Seen, isDue: boolean, now: number): boolean {
  const { isSeen, dueLookedAt, isAwake, nextDueAt = isAwake ? Infinity : now, restMs } = last;
  const isKnown = dueLookedAt <= now && now - dueLookedAt < (isAwake ? AWAKE_MS : DUE_MS);
  if (isDue || !isKnown || nextDueAt <= now) return true;
  const idleMs = idleMsOf(last, now);
  if (!isSeen && (idleMs >= REST_MS || hostsDue <= 0)) return true;
  const seenIdleMs = idleMsOf(last, dueLookedAt);
  // If any is left, the index must be read again before the crawl may rest.
  return (hostsDue <= 0 && seenIdleMs < INDEX_MS) || (idleMs >= restMs && seenIdleMs < restMs);
}

/** Whether to look for hosts, too, whose time is too far ahead: twice as many queries. */
export function needsFarLook(last: LastLook, { hostsDue }: Seen, now: number): boolean {
  const isKnown = last.farLookedAt <= now && now - last.farLookedAt < NET_MS;
  return !isKnown || hostsDue <= 0;
}

export interface Waits {
  /** Something else is left to do at once: a limit is met, changes are to be sent, ... */
  readonly isBusy: boolean;
  /** When the crawl's time ends, if it has a limit of time. */
  readonly endsAt?: number | undefined;
  /** The crawl recrawls, and its first pass was not complete yet. */
  readonly isFirstPass: boolean;
  /** When to try again to announce something. */
  readonly announceAt?: number | undefined;
}

/** The next look at a crawl that runs. `now`: when this run of the waker has begun. */
export function planLook(crawl: string, last: LastLook, waits: Waits, now: number): NextLook {
  const { isSeen, nextDueAt, dueLookedAt, isAwake, restMs } = last;
  const isResting =
    isSeen &&
    !waits.isBusy &&
    !isAwake &&
    nextDueAt !== undefined &&
    nextDueAt > now + MIN_REST_MS &&
    idleMsOf(last, now) >= restMs &&
    idleMsOf(last, dueLookedAt) >= restMs;
  if (!isResting) return { ...soon(crawl, now), isUnsure: isAwake || (nextDueAt ?? now) <= now };
  const { endsAt = Infinity, announceAt = Infinity, isFirstPass } = waits;
  return later(crawl, Math.min(nextDueAt, endsAt, announceAt, isFirstPass ? now + PASS_MS : Infinity), now);
}

/** The next look at a crawl that is at work. */
export const soon = (crawl: string, now: number): NextLook => ({ crawl, at: now + SOON_MS, isSoon: true });

/** The next look at a crawl that has nothing to do until then. */
export function later(crawl: string, at: number, now: number): NextLook {
  const nextAt = Math.min(at, netAt(crawl, now));
  return nextAt <= now + MAX_SOON_MS
    ? { crawl, at: Math.max(nextAt, now + SOON_MS), isSoon: true }
    : { crawl, at: nextAt, isSoon: false };
}

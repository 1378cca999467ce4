/**
 * Since when a crawl has had nothing to do, as looks at different times by different processes have found it.
 */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import { itemKey, N } from '../table/item.ts';
import { deleteItem, getItem, updateItem } from '../table/table.ts';
import type { Counts } from './head-counts.ts';
import { EXPIRES_AT, expiresAt, QUIET, type StateTable } from './tables.ts';

/**
 * SQS counts its messages right a minute after the last change (API reference, GetQueueAttributes). A little
 * less, as the waker looks once a minute by a clock that is not exact: its second look is to be enough.
 */
const SETTLE_MS = 55_000;
/**
 * The queues are all crawls': where others keep them busy, nothing shows whether a message there is this
 * crawl's. But what is on its way comes to a turn, and to a commit, within seconds; after a worker has died, within two
 * minutes; after a router has, when its lease ends (6 minutes with the defaults), and a minute for the next one to start.
 * What takes longer sets the crawl running again: as workers are too few, or as another crawl's failures have
 * parked the host for up to 15 minutes.
 */
const SHARED_SETTLE_MS = 450_000;
/** As above, where links are gathered in link shards for 5 minutes on their way, or twice that after a failure. */
export const SHARDED_SETTLE_MS = 1_200_000;
/**
 * The time must contain looks: one for each minute, as the waker looks once a minute, less some that may fail. A
 * clock that was set forward makes the time longer than it was.
 */
const looksIn = (settleMs: number): number => Math.floor((settleMs * 0.8) / 60_000);
/** Counters by which something is left to do are taken to be wrong if nothing was committed for this time. */
const WRONG_COUNTS_MS = 1_200_000;
/** The observations of a quiet crawl are forgotten when no process has checked it for this time. */
const QUIET_KEPT_MS = 7 * 86_400_000;
/** The clocks of processes that run right differ by less. */
const MAX_SKEW_MS = 60_000;

const isAhead = (at: number, now: number): boolean => at - now > MAX_SKEW_MS;

/** The results of the checks up to now. */
export interface QuietTimes {
  /** No host was due, at each look since then. */
  readonly idleSince: number;
  /** The number of these looks. */
  readonly looks: number;
  /** As `idleSince`, and the queues were empty. */
  readonly quietSince?: number;
  /** When the crawl's last head was committed. */
  readonly lastAt: number;
  /**
   * Hosts that are due by the crawl's counters. If there are some while the index shows none, either the
   * index has not got its last updates yet, or a process ended before it had counted.
   */
  readonly hostsDue?: number;
}

export interface SettleTimes {
  /** A crawl that has nothing to do is called quiet when that was so for this time. Default 55,000. */
  readonly settleMs?: number;
  /** As above, while other crawls keep the queues busy. Default 450,000. */
  readonly sharedSettleMs?: number;
}

/** Whether that is long enough. The last commit does not count if a clock that was ahead gave its time. */
export function isSettled(
  { idleSince, looks, quietSince = Number.POSITIVE_INFINITY, lastAt, hostsDue = 0 }: QuietTimes,
  now: number,
  { settleMs = SETTLE_MS, sharedSettleMs = SHARED_SETTLE_MS }: SettleTimes,
): boolean {
  const last = isAhead(lastAt, now) ? 0 : lastAt;
  const isQuiet = hostsDue <= 0 && now - Math.max(quietSince, last) >= settleMs;
  const idleMs = hostsDue > 0 ? WRONG_COUNTS_MS : sharedSettleMs;
  const isIdle = looks >= looksIn(idleMs) && now - Math.max(idleSince, last) >= idleMs;
  return isQuiet || isIdle;
}

/**
 * For how long no head has been committed: forever, if a clock that was ahead gave the time of the last one.
 */
export const idleFor = (lastAt: number, now: number): number =>
  isAhead(lastAt, now) ? Number.POSITIVE_INFINITY : now - lastAt;

/**
 * Whether a crawl that begins no further page has no more requisites to wait for, by its counters and by how
 * long ago its last head was committed. At once where none was found but at the hosts of the pages
 * themselves; else links to them may be on their way, which takes seconds: those that come later set the
 * crawl running again. Counters are too high where processes ended between a head and its count: then the
 * crawl ends when none of its hosts has done anything for long.
 */
export function isDrained(counts: Counts, idleMs: number, { settleMs = SETTLE_MS }: SettleTimes): boolean {
  if ((counts['requisites.awaited'] ?? 0) > 0) return idleMs >= WRONG_COUNTS_MS;
  return (counts['requisites.sent'] ?? 0) === 0 || idleMs >= settleMs;
}

type Noted = Pick<QuietTimes, 'idleSince' | 'looks' | 'quietSince'> & {
  /** The crawl's counters were recounted since then. */
  readonly isRecounted?: true;
};

export interface QuietNotes {
  /** Starts all times again. */
  noteBusy(crawl: CrawlId): Promise<void>;
  /** Whether a look has found the crawl idle since it was noted as busy. */
  isNoted(crawl: CrawlId): Promise<boolean>;
  /**
   * Called when no host is due. Returns the updated state. Times that a clock that was ahead has given are begun
   * again.
   */
  noteIdle(crawl: CrawlId, hasMessages: boolean): Promise<Noted>;
  /** Until the crawl is busy again, `isRecounted` is true. */
  noteRecounted(crawl: CrawlId): Promise<void>;
}

export function createQuietNotes(table: StateTable): QuietNotes {
  const { clock } = table;

  async function noteBusy(crawl: CrawlId): Promise<void> {
    await deleteItem(table, itemKey(crawl, QUIET));
  }

  async function update(crawl: CrawlId, hasMessages: boolean): Promise<Noted> {
    const quiet = hasMessages ? '' : ', quietSince = if_not_exists(quietSince, :now)';
    const update =
      `SET idleSince = if_not_exists(idleSince, :now), ${EXPIRES_AT} = :expires${quiet} ADD looks :one` +
      (hasMessages ? ' REMOVE quietSince' : '');
    const values = { now: N(clock.now()), one: N(1), expires: expiresAt(clock.now() + QUIET_KEPT_MS) };
    const { returned = {} } = await updateItem(table, itemKey(crawl, QUIET), { update, values }, 'ALL_NEW');
    const { idleSince, looks, quietSince, recounted } = returned;
    return {
      idleSince: Number(idleSince?.N),
      looks: Number(looks?.N),
      ...(recounted !== undefined && { isRecounted: true as const }),
      ...(quietSince?.N !== undefined && { quietSince: Number(quietSince.N) }),
    };
  }

  return {
    noteBusy,
    async isNoted(crawl) {
      return (await getItem(table, itemKey(crawl, QUIET))) !== undefined;
    },
    async noteRecounted(crawl) {
      await updateItem(table, itemKey(crawl, QUIET), {
        update: 'SET recounted = :now',
        // Otherwise somebody has noted that the crawl is busy.
        condition: 'attribute_exists(pk)',
        values: { now: N(clock.now()) },
      });
    },
    async noteIdle(crawl, hasMessages) {
      const times = await update(crawl, hasMessages);
      const { idleSince, quietSince = idleSince } = times;
      if (!isAhead(Math.max(idleSince, quietSince), clock.now())) return times;
      await noteBusy(crawl);
      return update(crawl, hasMessages);
    },
  };
}

import { isRecrawling } from '../../shared/core/crawl/config.ts';
import { latestOpening } from '../../shared/core/crawl/host-hours.ts';
import { maxBytesRestMs } from '../../shared/core/frontier/byte-rate.ts';
import type { HostKey } from '../../shared/core/url/host-key.ts';
import { MAX_BYTES_LOCK_MS } from '../../shared/crawler/turn/pace/host-requests.ts';
import { RETRY_HOST_MS } from '../../shared/crawler/turn/recrawl/recrawl-plan.ts';
import { turnShardOf } from '../../shared/engines/aws/queues/turn-shards.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import {
  type CrawlFacts,
  type Facts,
  isBy,
  mayHaveHidden,
  mayHaveLostMessages,
  wakerLagMs,
} from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import type { HeadChange } from './history-probe.ts';
import type { HostVisits } from './visits.ts';

type UsedFacts = Pick<
  Facts,
  'strikes' | 'leaseMs' | 'crawls' | 'deletion' | 'strayedStarts' | 'turnQueues' | 'web'
>;

/**
 * The waker checks a host whose token has not come back this long after its time (`turn/next-turn.ts`).
 */
const TOKEN_LOST_MS = 900_000;
/** A due time is never so far ahead, but for the hours of its host: two hours and the longest rest (`turn/next-turn.ts`). */
const MAX_AHEAD_MS = 14_400_000;
/** It looks each minute, and gives a host its message again after five (`routing/waker.ts`). */
const WAKER_MS = 60_000;
const WAKE_AGAIN_MS = 300_000;
/** A due time of more than ten minutes ahead is rounded up in the index (`engines/aws/state/tables.ts`). */
const INDEX_FAR_MS = 300_000;
/** A failed turn is tried again after this at most (`worker/host-server.ts`). */
const MAX_RETRY_MS = 300_000;
/** A host is hidden for this number of leases, or locks, in a row at most, as workers die or freeze. */
const HIDDEN_LEASES = 5;
/** For starts of functions, for messages that come late, and for clocks that differ. */
const SLACK_MS = 40_000;
/** A crawl with this number of hosts at most never holds more than its share (`crawl-shares.ts`). */
const FEW_HOSTS = 4;
/** A host that is moved to the backlog waits this number of times as long as in the turn queue (`fair-turn-queue.ts`) ... */
const BACKLOG_TURNS = 5;
/** ... and until a worker looks at the backlog, and until hosts come back. */
const BACKLOG_MS = 50_000;
/** A queue's reported sizes may be this old: then the waker starts a worker only at its next run. */
const SIZES_AGE_MS = 60_000;

/**
 * A host that is due comes to its turn: it is asked, or its head is replaced, soon after its time or after
 * the crawl was set running, the later one. Its message may wait for a worker while all of them serve other
 * hosts.
 *
 * While another crawl is at work, hosts of a crawl that holds more than its share may have waited in the backlog.
 *
 * A process whose clock was set ahead may have written a time until which the host waits.
 *
 * If a fault may have taken the worker that had the message, the host comes back after some leases. If it may
 * have taken the message, the waker brings the host back; also if the first wake-up is lost, too.
 */
export function onTime(facts: UsedFacts, visited: readonly HostVisits[]): readonly Violation[] {
  const findings = createFindings('onTime');
  // The host that has its turn first.
  const turnMs = Math.max(...facts.crawls.map(({ config }) => config.turnMaxMs + config.totalTimeoutMs));
  const lockMs = lockMsOf(facts);
  for (const visits of visited) {
    const { host } = visits.host;
    const others = visited.filter((other) => other !== visits && other.host.host === host);
    const heads = [...others.map((other) => other.host.heads), facts.deletion?.heads.get(host) ?? []];
    checkHost(findings, facts, { ...visits, others: heads }, { turnMs, lockMs });
  }
  return findings.list;
}

function checkHost(
  findings: Findings,
  facts: UsedFacts,
  visits: HostVisits & { readonly others: readonly (readonly HeadChange[])[] },
  { turnMs, lockMs }: { readonly turnMs: number; readonly lockMs: number },
): void {
  const { crawl, host, requests, others } = visits;
  const promptMs = WAKER_MS + SLACK_MS + turnMs + sizesAgeMs(facts);
  const againMs = WAKE_AGAIN_MS + WAKER_MS;
  for (const [i, change] of host.heads.entries()) {
    const due = dueOf(change, latestOpening(crawl.config, change.at + maxAheadMs(crawl, change)));
    if (due === undefined) continue;
    const { at, heldUntil } = due;
    const next = Math.min(
      host.heads[i + 1]?.at ?? Number.POSITIVE_INFINITY,
      requests.find(({ startedAt }) => startedAt >= change.at)?.startedAt ?? Number.POSITIVE_INFINITY,
    );
    if (next === Number.POSITIVE_INFINITY) continue;
    const from = runningFrom(
      crawl,
      Math.max(at, change.at, ...others.map((other) => restBefore(other, next))),
      next,
    );
    if (from === undefined) continue;
    const lateMs = next - from - indexMs(change);
    const waits = { from, until: next };
    const promptlyMs = promptMs + startsAgainMs(facts, host.host, waits);
    if (lateMs <= promptlyMs) continue;
    const dueMs = promptlyMs + backlogMs(facts, crawl, waits, turnMs);
    const hiddenMs = dueMs + HIDDEN_LEASES * lockMs + MAX_RETRY_MS;
    const lostMs = dueMs + TOKEN_LOST_MS + INDEX_FAR_MS + againMs + 2 * lockMs + wakerLagMs(facts);
    if (lateMs > dueMs)
      findings.add(
        `${crawl.id}: ${host.host} was due ${since(from)}, and came to its turn ${seconds(lateMs)} later; expected ${seconds(dueMs)} at most`,
        {
          host: host.host,
          at: next,
          excuse:
            mayHaveHidden(facts) && lateMs <= (mayHaveLostMessages(facts) ? lostMs : hiddenMs)
              ? 'lateTurn'
              : heldUntil !== undefined &&
                  facts.strikes.clockStepped > 0 &&
                  next - heldUntil <= dueMs + INDEX_FAR_MS
                ? 'wrongClock'
                : undefined,
        },
      );
  }
}

/**
 * How long a worker that dies leaves a host hidden: for its lease, or for the rest after what the host may have sent it, if a
 * crawl of the host has a byte rate. The hosts of one crawl are those of the other.
 */
function lockMsOf({ leaseMs, crawls }: UsedFacts): number {
  const rests = crawls.map(({ config }) => maxBytesRestMs(config, config.maxBodyBytes));
  return Math.max(leaseMs, Math.min(MAX_BYTES_LOCK_MS, Math.max(...rests)));
}

/**
 * Who sends a message starts a worker for it. If it can be received only when that worker has ended, or if the event that
 * starts a small worker is lost, the waker starts another one, by the sizes that the queue reports.
 */
const sizesAgeMs = ({ strikes }: UsedFacts): number =>
  strikes.messageLate + strikes.eventLost > 0 && strikes.staleRead > 0 ? SIZES_AGE_MS : 0;

/** How much longer a host may wait as others are served first. */
function backlogMs(
  { web, deletion }: UsedFacts,
  crawl: CrawlFacts,
  { from, until }: Wait,
  turnMs: number,
): number {
  if (crawl.hosts.size <= FEW_HOSTS) return 0;
  const isMeanwhile = ({ startedAt, endedAt }: WebRequest) => endedAt > from && startedAt < until;
  const isShared =
    web.log.some((request) => isMeanwhile(request) && !isBy(request, crawl)) ||
    deletion?.requests.some(isMeanwhile);
  return isShared ? (BACKLOG_TURNS - 1) * turnMs + BACKLOG_MS : 0;
}

interface Wait {
  readonly from: number;
  readonly until: number;
}

/** For each event that was to start a small worker for the host and strayed, the waker puts another one at its next run. */
function startsAgainMs(
  { strayedStarts, turnQueues }: UsedFacts,
  host: HostKey,
  { from, until }: Wait,
): number {
  const queue = turnShardOf(host, turnQueues);
  const strayed = strayedStarts.filter(
    (start) => start.queue === queue && start.at >= from && start.at < until,
  );
  return WAKER_MS * strayed.length;
}

/**
 * A host without a token is found by the index of due hosts, whose times are rounded up
 * (`engines/aws/state/tables.ts`).
 */
function indexMs({ at, head: { dueAt = 0, token } }: HeadChange): number {
  if (token !== undefined) return 0;
  return dueAt - at > 600_000 ? INDEX_FAR_MS : 15_000;
}

/** A host's messages are those of all crawls: it rests for one of them as long as for any. */
const restBefore = (heads: readonly HeadChange[], until: number): number =>
  heads.findLast(({ at }) => at < until)?.head.clock.nextFetchAt ?? 0;

/** A crawl that recrawls tries a host that was given up again after a day. */
const maxAheadMs = ({ config }: CrawlFacts, { head }: HeadChange): number =>
  MAX_AHEAD_MS + (head.setAside && isRecrawling(config) ? RETRY_HOST_MS : 0);

/**
 * A token comes at the host's time, and names a later one by which it is lost. What is further ahead than
 * anything may be, by a clock that was set, counts as come.
 */
function dueOf({ at, head: { dueAt, token } }: HeadChange, lastAt: number): Due | undefined {
  if (dueAt === undefined) return undefined;
  if (dueAt > lastAt) return { at, heldUntil: dueAt };
  return { at: token === undefined ? dueAt : dueAt - TOKEN_LOST_MS };
}

interface Due {
  readonly at: number;
  /** The time in the head, if only a clock that was ahead can have given it. */
  readonly heldUntil?: number;
}

/**
 * Since when the crawl has been running at `until`, if that is after `from`; undefined: it was not running
 * then.
 */
function runningFrom({ statuses }: CrawlFacts, from: number, until: number): number | undefined {
  const last = statuses.findLast(({ at }) => at <= until);
  if (last?.status !== 'running') return undefined;
  return Math.max(from, last.at);
}

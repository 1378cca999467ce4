import type { ExcuseName, Violation } from '../worlds/spec.ts';
import {
  type CrawlFacts,
  type Facts,
  isFullHost,
  mayHaveHidden,
  mayHaveLostTurns,
  wakerLagMs,
} from './facts.ts';
import { createFindings, type Findings, seconds, since } from './findings.ts';
import { type HeadChange, type Phase, phasesOf, type StatusChange } from './history-probe.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'crawlCount' | 'strikes' | 'leaseMs' | 'hasLinkShards'>;

/** The waker looks each minute, and takes up to a minute; its clock may be 5 s off, and its start slow. */
const WAKER_MS = 130_000;
/** Two looks a minute apart have to find a crawl quiet (docs/aws.md, "Operate") ... */
const QUIET_MS = 2 * WAKER_MS;
/** ... or, where other crawls keep the queues busy, looks over some minutes, or more if links go by shards. */
const SHARED_MS = 450_000;
const SHARDED_MS = 1_200_000;
/** Links come back so long after the router that had them stood still; two may, one after the other. */
const LINKS_HIDDEN_MS = 360_000;
/** A crawl at its limit of pages waits so long if its counters say that requisites are awaited. */
const AWAITED_MS = 1_200_000;
/** A host's message is hidden for so long at most while the host rests. */
const MAX_PARK_MS = 900_000;
/** A crawl at its limit of pages waits so long for links to requisites after its last turn. */
const DRAIN_MS = 60_000;
/** Links that go by a shard are gathered for five minutes, and may be received a second time. */
const SHARDS_MS = 2 * 300_000 + 60_000;
const COST_MS = 120_000;
/** Clocks may differ by this. */
const SKEW_MS = 10_000;

/**
 * A crawl is called finished when no host of it has anything left to fetch, and limited when what is
 * committed has reached a limit; and it is called so within minutes.
 *
 * Counters may be ahead where the answer to an update was lost, and behind where a process died; where calls
 * fail, the waker may need another run, and a message that nobody has may hide for a lease.
 */
export function endsRightly(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('endsRightly');
  for (const crawl of facts.crawls)
    for (const [i, change] of crawl.statuses.entries()) {
      const before = crawl.statuses[i - 1];
      if (change.status === 'finished') checkFinished(findings, crawl, change, facts);
      if (change.status === 'limited' && before) checkLimited(findings, crawl, i, facts);
      if (change.code === 'maxCost') checkCost(findings, crawl, change);
      if (before?.status === 'running')
        for (const phase of phasesOf(before, change.at)) checkInTime(findings, crawl, phase, facts);
    }
  return findings.list;
}

function checkFinished(
  findings: Findings,
  crawl: CrawlFacts,
  { at, messages }: StatusChange,
  facts: UsedFacts,
) {
  const { id, hosts } = crawl;
  for (const host of hosts.values()) {
    const head = headBefore(host.heads, at)?.head;
    if (!head || head.dueAt === undefined || head.setAside || isFullHost(crawl, host)) continue;
    findings.add(
      `${id} was called finished ${since(at)}, when ${head.ledger.counts.waiting} URLs of ${host.host} waited, due ${since(head.dueAt)}`,
      { host: host.host, at, excuse: mayHaveLostTurns(facts) ? 'earlyEnd' : undefined },
    );
  }
  if (messages > 0 && facts.crawlCount === 1)
    findings.add(`${id} was called finished ${since(at)}, when ${messages} messages waited for its hosts`, {
      at,
      excuse: excuseOfEarlyEnd(facts),
    });
  const touches = [...crawl.statuses.map((one) => one.at), ...crawl.touchedAt];
  const quietAt = Math.max(lastChangeOf(crawl, at), ...touches.filter((one) => one < at));
  const isShared = facts.crawlCount > 1;
  const sharedMs = facts.hasLinkShards ? SHARDED_MS : SHARED_MS;
  const lateMs = at - quietAt;
  const mostMs =
    QUIET_MS +
    (isShared ? sharedMs : 0) +
    (facts.hasLinkShards ? SHARDS_MS : 0) +
    (facts.strikes.clockStepped > 0 ? QUIET_MS : 0);
  if (lateMs > mostMs)
    findings.add(
      `${id} was called finished ${since(at)}, ${seconds(lateMs)} after its last turn; expected ${seconds(mostMs)} at most`,
      {
        at,
        excuse:
          mayHaveHidden(facts) &&
          lateMs <= sharedMs + LINKS_HIDDEN_MS + mostMs + 2 * facts.leaseMs + wakerLagMs(facts)
            ? 'lateEnd'
            : undefined,
      },
    );
}

/** A host that rests by a clock that was ahead may have messages for longer than the waker waits for any. */
function excuseOfEarlyEnd(facts: UsedFacts): ExcuseName | undefined {
  // Messages that only a newer version can read wait for longer, too (docs/aws.md, "Upgrade and destroy").
  if (mayHaveLostTurns(facts) || facts.strikes.oldVersion > 0) return 'earlyEnd';
  return facts.strikes.clockStepped > 0 ? 'wrongClock' : undefined;
}

function checkLimited(findings: Findings, crawl: CrawlFacts, index: number, facts: UsedFacts): void {
  const change = crawl.statuses[index] as StatusChange;
  const { maxPages, maxBytes, maxTimeMs } = change.limits;
  const used = usedAt(crawl, change.at);
  const activeMs = activeMsAt(crawl, change.at);
  const isMet =
    used.pages >= (maxPages ?? Number.POSITIVE_INFINITY) ||
    used.bytes >= (maxBytes ?? Number.POSITIVE_INFINITY) ||
    activeMs + SKEW_MS >= (maxTimeMs ?? Number.POSITIVE_INFINITY);
  if (!isMet)
    findings.add(
      `${crawl.id} was called limited ${since(change.at)} after ${used.pages} pages, ${used.bytes} bytes and ${seconds(activeMs)}; its limits are ${JSON.stringify(change.limits)}`,
      { at: change.at, excuse: excuseOfLimit(facts, maxTimeMs) },
    );
}

/** A clock that was set forward uses up the crawl's time. */
function excuseOfLimit(facts: UsedFacts, maxTimeMs: number | undefined): ExcuseName | undefined {
  if (mayHaveLostTurns(facts)) return 'earlyEnd';
  return maxTimeMs !== undefined && facts.strikes.clockStepped > 0 ? 'wrongClock' : undefined;
}

/**
 * A pause by `maxCost` comes when the crawl would soon have cost that much: by the rate of a minute, in what
 * is less than a minute. So its counters are short of the limit by no more than it has cost in any two
 * minutes.
 */
function checkCost(findings: Findings, { id, costs }: CrawlFacts, { at, limits }: StatusChange): void {
  const { maxCost = 0 } = limits;
  const before = costs.filter((one) => one.at <= at);
  const costAt = (time: number) => before.findLast((one) => one.at <= time)?.cost ?? 0;
  const most = Math.max(0, ...before.map(({ at: time, cost }) => cost - costAt(time - COST_MS)));
  const cost = costAt(at);
  if (cost + most < maxCost)
    findings.add(
      `${id} was paused by maxCost ${since(at)}, when it had cost ${dollars(cost)}, and ${dollars(most)} in two minutes at most; its limit is ${dollars(maxCost)}`,
      { at },
    );
}

const dollars = (amount: number): string => `$${amount.toPrecision(3)}`;

/** While it ran, no limit was met for long. */
function checkInTime(
  findings: Findings,
  crawl: CrawlFacts,
  { at: from, until, limits }: Phase,
  facts: UsedFacts,
): void {
  const { maxPages = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, maxTimeMs } = limits;
  const changes = [...crawl.hosts.values()].flatMap(({ heads }) => heads.map(({ at }) => at));
  const metFirst = (isMet: (used: { readonly pages: number; readonly bytes: number }) => boolean) =>
    [from, ...changes]
      .filter((at) => at >= from && at < until)
      .sort((a, b) => a - b)
      .find((at) => isMet(usedAt(crawl, at))) ?? Number.POSITIVE_INFINITY;
  const { requisites } = crawl.config;
  const isAwaiting = requisites && awaitsRequisites(crawl, until);
  // At the limit of pages a crawl continues with their requisites: until its hosts have had their last turns,
  // and links to others have not come for a minute; or for long where counters are wrong, as a process died
  // (`engines/aws/state/quiet.ts`).
  const lastAt = Math.max(from, ...changes.filter((at) => at < until));
  const drainMs = requisites ? DRAIN_MS + (mayHaveLostTurns(facts) ? AWAITED_MS : 0) : 0;
  const pagesAt = isAwaiting ? Number.POSITIVE_INFINITY : metFirst(({ pages }) => pages >= maxPages);
  const metAt = Math.min(
    metFirst(({ bytes }) => bytes >= maxBytes),
    requisites ? Math.max(pagesAt, lastAt + drainMs) : pagesAt,
  );
  const timeAt =
    maxTimeMs === undefined
      ? Number.POSITIVE_INFINITY
      : from + Math.max(0, maxTimeMs - activeMsAt(crawl, from));
  const lateMs = until - Math.min(metAt, timeAt);
  if (lateMs > WAKER_MS)
    findings.add(
      `${crawl.id} had reached a limit ${since(until - lateMs)}, and ran until ${since(until)}; expected ${seconds(WAKER_MS)} more at most`,
      { at: until, excuse: mayHaveHidden(facts) ? 'lateEnd' : undefined },
    );
}

/**
 * Whether a host is to fetch requisites after its rest. A crawl waits for it before it ends at its limit of
 * pages; that the host comes to its turn in time is another invariant's (`on-time.ts`).
 */
const awaitsRequisites = ({ hosts }: CrawlFacts, at: number): boolean =>
  [...hosts.values()].some(({ heads }) => (headBefore(heads, at)?.head.totals.requisites?.awaited ?? 0) > 0);

const headBefore = (heads: readonly HeadChange[], at: number): HeadChange | undefined =>
  heads.findLast((change) => change.at <= at);

function usedAt({ hosts }: CrawlFacts, at: number): { readonly pages: number; readonly bytes: number } {
  let pages = 0;
  let bytes = 0;
  for (const { heads } of hosts.values()) {
    const totals = headBefore(heads, at)?.head.totals;
    pages += totals?.pages ?? 0;
    bytes += totals?.bytes ?? 0;
  }
  return { pages, bytes };
}

/** How long its status had been `running`. */
function activeMsAt({ statuses }: CrawlFacts, at: number): number {
  let sum = 0;
  for (const [i, change] of statuses.entries())
    if (change.status === 'running' && change.at < at)
      sum += Math.min(at, statuses[i + 1]?.at ?? at) - change.at;
  return sum;
}

/** When the last host had its turn, and the rest after it in which its message is parked. */
function lastChangeOf({ hosts }: CrawlFacts, at: number): number {
  const ends = Array.from(hosts.values(), ({ heads }) => {
    const last = headBefore(heads, at);
    return last ? Math.max(last.at, Math.min(last.head.clock.nextFetchAt, last.at + MAX_PARK_MS)) : 0;
  });
  return Math.max(0, ...ends);
}

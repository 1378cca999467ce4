import { isRecrawling } from '../../shared/core/crawl/config.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import { T0 } from '../models/virtual-time.ts';
import type { Violation } from '../worlds/spec.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import type { HeadChange } from './history-probe.ts';

const MINUTE = 60_000;
const CLOCKS_MS = 10_000;
/** Heads are read over some seconds, and noted after that. */
const COUNTING_MS = MINUTE;
/**
 * Ten minutes in which nothing is left by the counters. Where these are wrong, they must have stayed as they are for two such
 * times, after one that has begun, before the heads are counted. And some looks of the waker.
 */
const LATE_MS = 35 * MINUTE;
/** Until then faults strike (`worlds/world.ts`), by which the waker forgets what it has seen. */
const CALM_MS = 45 * MINUTE;

/**
 * A crawl that recrawls reports its first pass once: not while a host has a URL that was never fetched, by its heads, and not
 * long after the last one had; and the receiver gets it.
 */
export function firstPass({
  crawls,
  events,
  strikes,
}: Pick<Facts, 'crawls' | 'events' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('firstPass');
  const isStruck = Object.values(strikes).some((count) => count > 0);
  for (const crawl of crawls) {
    const own = events.filter(({ crawl: id, type }) => id === crawl.id && type === 'firstPassFinished');
    const { firstPassAt } = crawl;
    if (new Set(own.map(({ id }) => id)).size > 1)
      findings.add(`${crawl.id}: its first pass was announced with different ids`, { at: own[1]?.at });
    if (!isRecrawling(crawl.config)) continue;
    if (firstPassAt !== undefined) checkEarly(findings, crawl, firstPassAt);
    // The clock of the waker may be any other one.
    if (strikes.clockStepped > 0) continue;
    const early = own.find(({ at }) => firstPassAt === undefined || at < firstPassAt - CLOCKS_MS);
    if (early) findings.add(`${crawl.id}: its first pass was announced before it was noted`, early);
    checkLate(findings, crawl, isStruck ? T0 + CALM_MS : T0);
    if (firstPassAt !== undefined && !own.some(({ isReceived }) => isReceived))
      findings.add(`${crawl.id}: its first pass was complete ${since(firstPassAt)}, and was not announced`, {
        at: firstPassAt,
      });
  }
  return findings.list;
}

function checkEarly(findings: Findings, { id, hosts }: CrawlFacts, firstPassAt: number): void {
  for (const [host, { heads }] of hosts) {
    const before = heads.findLast(({ at }) => at <= firstPassAt - COUNTING_MS);
    const meanwhile = heads.filter(({ at }) => at > firstPassAt - COUNTING_MS && at <= firstPassAt);
    if (before && [before, ...meanwhile].every(({ head }) => isLeft(head)))
      findings.add(`${id}: its first pass was called complete ${since(firstPassAt)}, and URLs waited`, {
        host,
        at: firstPassAt,
      });
  }
}

function checkLate(
  findings: Findings,
  { id, hosts, statuses, firstPassAt }: CrawlFacts,
  calmAt: number,
): void {
  const lists = [...hosts.values()].map(({ heads }) => heads);
  const ran = statuses.findLast(({ status }) => status === 'running')?.at;
  if (ran === undefined || lists.length === 0) return;
  // Until the operator stopped it.
  const endedAt = statuses.find(({ at }) => at > ran)?.at ?? Number.POSITIVE_INFINITY;
  const doneAt = Math.max(calmAt, ran, ...lists.map((heads) => lastOfFirstPass(heads)));
  const limit = doneAt + LATE_MS;
  if (limit < Math.min(endedAt, firstPassAt ?? Number.POSITIVE_INFINITY))
    findings.add(
      `${id}: nothing of its first pass was left ${since(doneAt)}, and it was called complete ${firstPassAt === undefined ? 'never' : since(firstPassAt)}`,
      { at: limit },
    );
}

/** When the host's last URL was known, and none waited any more. */
function lastOfFirstPass(heads: readonly HeadChange[]): number {
  const last = heads.findLastIndex(
    ({ head }, i) => isLeft(head) || urlsOf(head) > urlsOf(heads[i - 1]?.head),
  );
  return heads[last + (heads[last] && isLeft(heads[last].head) ? 1 : 0)]?.at ?? Number.POSITIVE_INFINITY;
}

const isLeft = ({ ledger, setAside }: Head): boolean => ledger.counts.waiting > 0 && setAside === undefined;

const urlsOf = (head: Head | undefined): number =>
  Object.values(head?.ledger.counts ?? {}).reduce((sum, count) => sum + count, 0);

/** What a turn changes of its host's head, gathered while it goes on. */

import type { NewPayload } from '../archive/archived-payload.ts';
import type { FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import {
  addCounts,
  type ClosedOrigin,
  COUNT_MAPS,
  type Head,
  type HostRobots,
  type HostTotals,
  type MovedRobots,
  type SitemapPace,
} from '../frontier/head.ts';
import type { HostLedger } from '../frontier/ledger.ts';
import type { Link } from '../frontier/message.ts';
import {
  afterAnswer,
  afterFailure,
  afterNothing,
  gapAfter,
  type HostClock,
  type HostFailure,
  type PolitenessConfig,
} from '../frontier/politeness.ts';
import { isSeedRecord } from '../frontier/rank.ts';
import { createTrapWatch, type TrapWatch } from '../frontier/trap-watch.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { Sizes } from '../sizes.ts';
import type { HostKey } from '../url/host-key.ts';
import { foldLink } from './fold-links.ts';
import type { Lease } from './lease.ts';

export interface HostState {
  readonly host: HostKey;
  /** Of the head that the turn began with. */
  readonly version: number;
  readonly ledger: HostLedger;
  readonly lease: Lease;
  /** No request is begun after this time: it could outlive the lease. */
  readonly lastRequestAt: number;
  clock: HostClock;
  /** Another crawl may ask the host from this time on: the gap after the last request, without this crawl's back-off. */
  gapUntil: number;
  setAside: Head['setAside'];
  resumedBy: Head['resumedBy'];
  robots: HostRobots[];
  closedOrigins: readonly ClosedOrigin[];
  movedRobots: readonly MovedRobots[];
  readonly totals: Mutable<HostTotals>;
  /** Links to other hosts, one for each URL. */
  readonly outLinks: Map<string, Link>;
  /** Which of the host's URLs bring nothing new. */
  readonly traps: TrapWatch;
  readonly sitemaps: { -readonly [K in keyof SitemapPace]: SitemapPace[K] };
  /** Payloads archived by this turn, by their digests as Latin-1. */
  readonly payloads: Map<string, NewPayload>;
  /** Lines of JSON that the project's hooks gave. */
  readonly items: string[];
  /** Of all these lines together. */
  itemChars: number;
  /** What a careful turn had announced when its worker died; undefined once that has been fetched, or is settled. */
  suspect: Head['intent'];
  /** Pages that are not fetched again, since they blocked their thread. */
  readonly quarantine: NonNullable<Head['quarantine']>;
  /** Whether something of the web is being fetched or read. What is thrown meanwhile, that has done. */
  isReading: boolean;
  /** Whether anything was appended to the archive. */
  hasArchived: boolean;
  /** Whether the head that holds all this is stored. */
  isCommitted: boolean;
}

type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends Readonly<Record<string, number>> | undefined
    ? Record<string, number> | Extract<T[K], undefined>
    : T[K];
};

export function beginHostState(
  host: HostKey,
  head: Head,
  ledger: HostLedger,
  lease: Lease,
  lastRequestAt: number,
  trapMinNew: number,
  sizes?: Sizes,
): HostState {
  const { totals } = head;
  return {
    host,
    version: head.version,
    ledger,
    lease,
    lastRequestAt,
    clock: head.clock,
    gapUntil: 0,
    setAside: head.setAside,
    resumedBy: head.resumedBy,
    robots: [...head.robots],
    closedOrigins: head.closedOrigins ?? [],
    movedRobots: head.movedRobots ?? [],
    totals: copyTotals(totals),
    outLinks: new Map(),
    traps: createTrapWatch(head, { minNew: trapMinNew, isKnown: (url) => ledger.has(url), sizes }),
    sitemaps: { known: 0, rest: 0, ...head.sitemaps },
    payloads: new Map(),
    items: [],
    itemChars: 0,
    suspect: head.intent,
    quarantine: head.quarantine ?? [],
    isReading: false,
    hasArchived: false,
    isCommitted: false,
  };
}

/** Does what may be a page's undoing of us: see {@link HostState.isReading}. */
export async function reading<T>(state: HostState, work: () => Promise<T>): Promise<T> {
  state.isReading = true;
  const result = await work();
  state.isReading = false;
  return result;
}

/** A copy whose counts the turn may change. */
function copyTotals(totals: HostTotals): Mutable<HostTotals> {
  const maps = COUNT_MAPS.flatMap((map) => (totals[map] ? [[map, { ...totals[map] }]] : []));
  return { ...totals, ...Object.fromEntries(maps) };
}

/** Counts one in a map that few hosts have: see {@link HostTotals}. */
export function countIn(
  { totals }: HostState,
  map: 'seeds' | 'hooks' | 'hints' | 'requisites',
  key: string,
  count = 1,
): void {
  totals[map] = addCounts(totals[map] ?? {}, { [key]: count });
}

/** Gives a URL back to the ledger. A seed that is done with is counted by its state, or by `as`. */
export function settleUrl(state: HostState, record: UrlRecord, as: string = record.state): void {
  if (isSeedRecord(record) && record.state !== 'waiting') countIn(state, 'seeds', as);
  state.ledger.settle(record);
}

export function countOne(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

export function addOutLink(state: HostState, link: Link): void {
  foldLink(state.outLinks, link);
}

/** Whether the outcome is that of a request which was made. */
export const wasMade = (outcome: FetchOutcome): boolean => outcome.status === 'response' || !outcome.isUnmade;

/** The failure without a code that says something of this URL alone: a host that has answered HTTP before speaks HTTP. */
const ofHost = (failure: HostFailure, { httpStatus }: HostTotals): HostFailure =>
  failure.code === 'notHttp' && Object.keys(httpStatus).length > 0
    ? { ...failure, code: undefined }
    : failure;

/** Counts a request that has ended, unless it was not made after all, and moves the host's clock on. */
export function countRequest(
  state: HostState,
  outcome: FetchOutcome,
  failure: HostFailure | undefined,
  politeness: { readonly config: PolitenessConfig; readonly crawlDelayMs?: number; readonly random: number },
): void {
  const { totals } = state;
  if (wasMade(outcome)) totals.requests++;
  const isAnswered = outcome.status === 'response';
  if (isAnswered) {
    totals.bytes += outcome.body.size;
    countOne(totals.httpStatus, String(outcome.httpStatus));
  } else if (outcome.reason !== 'aborted') countOne(totals.errors, outcome.reason);
  const { startedAt, endedAt } = outcome;
  const request = { startedAt, endedAt, crawlDelayMs: politeness.crawlDelayMs };
  state.gapUntil = Math.max(state.gapUntil, endedAt + gapAfter(request, politeness.config));
  if (failure) {
    const counted = ofHost(failure, totals);
    state.clock = afterFailure(state.clock, request, counted, politeness.config, politeness.random);
  } else state.clock = (isAnswered ? afterAnswer : afterNothing)(state.clock, request, politeness.config);
}

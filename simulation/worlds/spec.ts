/** The specification of a simulated world, and the result: the types that all of `simulation/` shares. */

import type { RefusalKind } from '../../shared/core/causes/cause.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { RefusedHost } from '../../shared/core/frontier/host-refusal.ts';
import type { UrlChange } from '../../shared/core/frontier/url-change.ts';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import type { OwnHeaderOptions } from '../../shared/crawler/fetcher/own-headers.ts';
import type { Fetcher } from '../../shared/crawler/ports/fetcher.ts';
import type { History } from '../invariants/history-probe.ts';
import type { CallFault, CallFaults } from '../models/call-faults.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { FaultName } from '../models/faults.ts';
import type { SimProcess } from '../models/process.ts';
import type { MemberRequest, MembersPlan } from '../web/member-plan.ts';
import type { Part } from '../web/part.ts';
import type { WebShape } from '../web/shape.ts';
import type { Crowd } from './crowd.ts';

/** Everything about a world follows from this. Two runs of the same one are the same, event by event. */
export interface WorldSpec {
  readonly seed: number;
  readonly faults: readonly FaultName[];
  /** Hosts of the web, instead of what the seed says. */
  readonly hosts?: number;
  /** Pages of a host at most. */
  readonly pages?: number;
  /** The operator deletes a crawl, whatever the seed says. */
  readonly deletes?: boolean;
  /** Its crawls fetch pages again, whatever the seed says. */
  readonly recrawls?: boolean;
  /** A page of a large host kills its worker, whatever the seed says. */
  readonly poisoned?: boolean;
  /** Hosts refuse the crawler, whatever the seed says. */
  readonly refused?: boolean;
  /** Hosts are behind a login, whatever the seed says. */
  readonly members?: boolean;
  /** Hosts are behind a password of the settings, whatever the seed says. */
  readonly locked?: boolean;
  /** Scripts fill pages, and crawls render them, whatever the seed says. */
  readonly rendered?: boolean;
  /** Crawls beside its own ones, instead of what the seed says. */
  readonly crowd?: number;
  /** Faults strike so often at most. */
  readonly maxStrikes?: number;
  /** This call is struck, instead of those that the seed plans. */
  readonly strike?: CallFault;
}

export const INVARIANTS = {
  oneState:
    'At the end, every accepted URL is in exactly one state, and no URL that could be fetched is waiting',
  nothingLost: 'Every seed and every link of a fetched page is known, and no other URL',
  announcedOnce:
    'Every fetched URL has exactly one announced WARC record, which contains what was served or refers to a record of the archive that does, and one index line; the tables of a joined file have the captures of its index',
  counted: 'Counters equal the sets',
  recounted: 'A recount makes the counters exact',
  deleted: 'Of a deleted crawl nothing is requested, and nothing is left',
  itemsOnce:
    'Each item that a hook returned for a page that counts is published once, and is in one row of the tables of items if there is a compactor',
  stateOnce: 'Each change of the state of hooks by a visit that counts is made once',
  oneRequest: 'A host never has two requests in flight',
  unhurried: 'Two requests to a host are never closer together than its delay',
  addressPace:
    'Where an IP address has a pace, a process has one request to it in flight, over all hosts at it, and lets it rest after each',
  byteRateKept:
    'A host sends no more bytes than its rate allows: after each body it rests until that would have come at the rate',
  crawlRateKept:
    'All hosts together send a crawl no more bytes than its rate allows, but for bytes in flight',
  hoursKept: 'A host with hours has no request that begins outside them',
  rested:
    'After a slow response a host rests, and after a failure for as long as back-off or Retry-After require',
  purposeKept:
    'A crawl with a purpose hands on no page whose answer forbids that use, or that the host has reserved',
  robotsObeyed: 'No URL is fetched that robots.txt forbids, and none before robots.txt was fetched',
  depthTrue: 'Depth, level and redirects of a URL follow from the links that the crawl has found',
  soft404: 'No page that exists is mistaken for a missing one, and a host gets one probe',
  templateQuota:
    'No URL template of a host has more pages than its quota, and none is left out before it is used up',
  canonicalCopies:
    'A page is a copy of its canonical URL if that is a page; if it is none, it is fetched once more, and is a page of its own',
  nearDuplicates: 'A page is taken for a copy only of an earlier page that is none itself',
  trapsEnd: 'A trap ends when its group has closed, and no page outside of it is left out',
  harmBounded:
    'A page that kills or blocks its workers is requested only a few times, and no other page is blamed',
  triesKept: 'The outcome of a URL is what the web answered, after exactly the configured number of tries',
  givenUp: 'A host is given up after exactly the configured number of failures',
  refusalsKept:
    'A host that refuses the crawler is left alone for its rests and tried four times until it is given up; nothing that it sends counts as content, and each of its URLs waits or ends with the reason',
  accountsKept:
    'By an account one worker at a time signs in, no more often than allowed; after a refused password it rests, and after three in a row it is not used any more',
  signedIn:
    'What a site shows to those who are signed out is the answer of no URL, and no link that signs out is requested',
  passwordsKept:
    'A password, cookie or header of the settings goes with each request to its host, and to no other; no link that changes something is requested by somebody who is known to the site, unless a seed or a hook names it, and no other link is left out for that',
  notRunning: 'While a crawl is paused, stopped or limited, nothing is requested; requests in flight may end',
  limitsKept: 'Limits are never exceeded by more than what is in flight',
  domainBudget:
    'A registrable domain has no more requests for pages in a period than 1.1 times its budget and one for each of its hosts, and no more hosts than allowed; it knows the domains that link to it',
  bestFirst: 'The pages of a host are requested in the order of their ranks',
  configured: 'A change of the configuration applies to each turn that begins three seconds later',
  ends: 'The run ends',
  lookedAt:
    'Each of many running crawls is looked at in its time: a host that is due is woken, and a limit or an end is found',
  servedApart: 'No crawl waits long for the pages of another one, also if these kill workers',
  endsRightly: 'A crawl becomes finished or limited when it is, neither earlier nor much later',
  onTime: 'A host that is due gets its turn in time',
  noGarbage: 'No unneeded object is left: parts, uploads, objects that were joined, tables of none',
  oneChain: 'No chain of tokens splits or ends',
  startedForWork: 'Workers are started because there is something to do',
  noDeadLetters: 'No message becomes a dead letter',
  noCrash: 'No function fails without a fault',
  refetched: 'A page is fetched again after its interval: not before it, and not much later',
  onSchedule: 'With a schedule, a page is fetched again at each of its moments once, and not much later',
  budgetKept: 'No more pages are fetched again in a day than the budget says',
  capturesKept:
    'Each response of a page, first or again, is in the archive once, as a record that leads to its payload',
  endsSent: 'The end of each crawl is announced to its receiver and to `onFinish`, and no other end',
  firstPass:
    'The first pass of a crawl that recrawls is announced once, when it is complete, and not long after',
  changesSent: 'Each change of a page is received at least once, and no other change',
  goneAndBack:
    'A page is gone as long as the web says so, and is requested again after a week; a page that is away for hours is not gone',
  rendered:
    'A page that scripts fill is rendered where the crawl wants it, or says why not, and its requests are archived once',
  partsApart: 'Requests of rendered pages keep the pace of their own host, and their bounds to other hosts',
} as const;
export type InvariantName = keyof typeof INVARIANTS;

/**
 * Where faults may keep a promise from being held to the letter: what is excused, and in which share of the
 * worlds at most. A world in which a turn may have been lost is not excused for that alone: only what was
 * found there is counted.
 */
export const EXCUSES = {
  lostTurn: { what: 'A turn was lost, and the next turn did not know its responses', maxShare: 0.27 },
  lateTurn: { what: 'A host was late because its worker or its message was lost', maxShare: 0.35 },
  leftBehind: { what: 'A process died before it could delete something, or a call failed', maxShare: 0.11 },
  earlyEnd: {
    what: 'Counters were wrong, or a message was hidden, when a crawl was declared over',
    maxShare: 0.02,
  },
  lateEnd: { what: 'A crawl was called over late, as calls failed or a message was hidden', maxShare: 0.11 },
  wrongClock: { what: 'A process with a changed clock decided when a host may be requested', maxShare: 0.02 },
  lateHearing: { what: 'A process stood still, or waited for a service, before its request', maxShare: 0.03 },
} as const satisfies Record<string, { readonly what: string; readonly maxShare: number }>;
export type ExcuseName = keyof typeof EXCUSES;
export const EXCUSE_NAMES = Object.keys(EXCUSES) as readonly ExcuseName[];

export interface Violation {
  readonly invariant: InvariantName;
  /** The excuse that explains it: then it breaks nothing. */
  readonly excuse?: ExcuseName;
  readonly message: string;
  /** The host concerned. */
  readonly host?: string;
  /** The world's time. */
  readonly at?: number;
}

export interface Outcome {
  readonly spec: WorldSpec;
  readonly violations: readonly Violation[];
  readonly strikes: Readonly<Record<FaultName, number>>;
  /** How often each excuse was used; those that were not used are left out. */
  readonly excuses: Readonly<Partial<Record<ExcuseName, number>>>;
  readonly figures: {
    readonly hosts: number;
    readonly pages: number;
    readonly requests: number;
    /** Heads committed. */
    readonly turns: number;
    /** Simulated time, and real time. */
    readonly virtualMs: number;
    readonly realMs: number;
  };
  /**
   * Numbers of the blocks of each file that were first reached in it, if that was requested (`coverage/`).
   */
  readonly reached?: Readonly<Record<string, readonly number[]>>;
  /**
   * The calls of each invocation (`worker/1`), as {@link CallFaults.made} has them, if they were requested.
   */
  readonly calls?: Readonly<Record<string, string>>;
  /** The events, if they were requested. */
  readonly timeline?: readonly TimelineEntry[];
}

export interface TimelineEntry {
  readonly at: number;
  readonly process?: string;
  readonly host?: string;
  readonly what: string;
}

/**
 * One request as the simulated web has seen it: the world's time, and nothing that the crawler says about
 * itself.
 */
export interface WebRequest {
  readonly url: string;
  readonly host: string;
  readonly isRobots: boolean;
  readonly startedAt: number;
  /** When the last byte, or the failure, was there, or would have been. */
  readonly endedAt: number;
  readonly process: string;
  /** Where hosts share IP addresses: that of the host. */
  readonly address?: string;
  /** Status of the response; none where the exchange failed. */
  readonly httpStatus?: number;
  /** Bytes of the body that came. */
  readonly bytes?: number;
  /** The response refuses the crawler. `isPlain`: only its status says so. */
  readonly refusal?: { readonly kind: RefusalKind; readonly isPlain: boolean };
  /** It is of a login, or was answered as to somebody who is signed out. */
  readonly member?: MemberRequest;
  /** The hosts whose passwords, cookies or headers of the settings it brought; undefined: none. */
  readonly words?: readonly string[];
  /** It shows that somebody is signed in. */
  readonly showsSign?: boolean;
  /** SHA-1 of the body as served, hex; and whether it came whole. */
  readonly sha1?: string;
  readonly isCut?: boolean;
  /** For a robots.txt: which of the host's versions it was. */
  readonly robotsVersion?: number;
  /** The contact that the request named: each crawl of a world has its own. */
  readonly contact?: string;
  /** Why the exchange failed, where it did; `stale`: the server had closed the kept connection. */
  readonly failure?: FailureReason | 'stale';
  /** The wait that the response requested by `Retry-After`, ms. */
  readonly retryAfterMs?: number;
  /** `max-age` of the response's `Cache-Control`, s. */
  readonly maxAgeSeconds?: number;
}

/** A request of a page that is being rendered, or of robots.txt for one. */
export interface PartRequest extends WebRequest {
  /** To another host than the page's. */
  readonly isOther: boolean;
}

/** The end of a round of a page, as the function that renders it knows it; of one that died, `failed`. */
export interface Round {
  readonly url: string;
  readonly at: number;
  /** `needs`: it lacks answers. `filled`, `unfilled`: the page, with or without what its scripts bring. */
  end: 'needs' | 'filled' | 'unfilled' | 'failed';
  /** If no further round was to follow: the time that the page had left when the round began. */
  readonly lastWithMs?: number;
}

/** A page may kill the process that parses it, or block its thread. */
export type Harm = 'kills' | 'blocks';

/**
 * The simulated web: what there is on it, what it served, and to whom. For a request of a project's hook, URLs are the
 * names under which the ledger knows it (`shared/core/url/request-url.ts`), also in the log.
 */
export interface SimWeb {
  /** From them all of it is reached. Canonical. */
  readonly seeds: readonly string[];
  readonly log: readonly WebRequest[];
  /** Those behind a login. */
  readonly memberHosts: readonly string[];
  /** Those behind a password, cookie or header of the settings. */
  readonly lockedHosts: readonly string[];
  /** The settings that open these hosts. */
  keysOf(hosts: readonly string[]): Pick<CrawlOptions, 'auth' | 'cookies' | 'headers'>;
  /** Requests of pages that are rendered: they are not in the log. */
  readonly parts: readonly PartRequest[];
  /**
   * The fetcher of a process. Exchanges take the world's time, and continue at the server when the process
   * dies.
   */
  fetcherOf(
    process: SimProcess,
    config: {
      readonly totalTimeoutMs: number;
      readonly userAgent: string;
      readonly contact?: string;
    } & OwnHeaderOptions,
    /** `isOther`: of requests that rendered pages make to other hosts. */
    of?: { readonly isOther?: boolean },
  ): Fetcher;
  /** Whether scripts fill the page. */
  isScripted(url: string): boolean;
  /** The requests of the page when it is rendered: those of a list at once, after all answers to the lists before it. */
  partsOf(url: string): readonly (readonly Part[])[];
  /** The page when its scripts have run. */
  drawnOf(url: string): Uint8Array;
  /**
   * The links of the page, canonical, in the order served; a page's content never changes. Empty for what is
   * no page.
   */
  linksOf(url: string): readonly string[];
  /** The requisites of the page or style, canonical. Empty for what has none. */
  requisitesOf(url: string): readonly string[];
  /** The URL that the page names as canonical, in canonical form; undefined: none that can be crawled. */
  canonicalOf(url: string): string | undefined;
  /** A page of some host, or of the host of that URL; now and then one that is not there. Canonical. */
  someUrl(random: () => number, at?: string): string;
  /** A URL that changes something, or leads to one; undefined in worlds without them. */
  someChange(random: () => number): string | undefined;
  /** Whether a request of the URL changes something at its host. */
  isChange(url: string): boolean;
  /** Whether it is a sitemap that says when its pages were modified. */
  isDated(url: string): boolean;
  /** Whether it is a feed that pages name as their alternate, and to which nothing links. */
  isAlternateFeed(url: string): boolean;
  /** Whether it is an index of sitemaps. */
  isIndex(url: string): boolean;
  /** The priority that the sitemap states for the page, from 0 to 1. */
  priorityIn(sitemap: string, url: string): number | undefined;
  /** When the page was modified by the sitemap that robots.txt or an index names, ms since 1970; undefined: it does not say. */
  modifiedIn(sitemap: string, url: string): number | undefined;
  /** A sitemap of some host, wherever it is; now and then one that is not there. Canonical. */
  someSitemap(random: () => number): string;
  /** The sitemaps that this robots.txt names, canonical; none for what is not a robots.txt. */
  sitemapsNamedIn(robotsUrl: string): readonly string[];
  /** Whether the page is one of a trap: there is no end of them, and they have the same text. */
  isTrap(url: string): boolean;
  /** Whether the page does not exist, whatever the status of the answer. */
  isMissing(url: string): boolean;
  /** Returns the harm that the page does to the process that parses it. */
  harmOf(url: string): Harm | undefined;
  /** Where the URL redirects to, whenever it is asked; canonical. */
  redirectOf(url: string): string | undefined;
  /** Whether that version of the host's robots.txt allows the URL, by rules of the web's own. */
  allows(url: string, robotsVersion: number): boolean;
  /** Whether that version forbids each use of the URL that a crawl may make (`purpose`). */
  forbidsUse(url: string, robotsVersion: number): boolean;
  /**
   * Whether each use of the page is forbidden by its answers, or the analysis of its text by the host's file of
   * reservations.
   */
  reservesUse(url: string): 'inField' | 'inFile' | undefined;
  /** Crawl-delay of that version, ms. */
  crawlDelayMs(host: string, robotsVersion: number): number | undefined;
}

/** A crawl of the world. */
export interface CrawlPlan {
  readonly id: string;
  readonly seeds: readonly string[];
  /** Seeds that the operator has added since. */
  readonly laterSeeds?: readonly string[];
  /** When they were sent. */
  readonly seedsSentAt?: readonly number[];
  /**
   * As begun with, but for limits that were raised. An operator's other changes (`configChanged`) never touch
   * what an invariant rests on.
   */
  readonly config: CrawlOptions;
  /** An earlier crawl, whose payloads are not stored again. */
  readonly dedupeFrom?: string;
  /** The hosts whose passwords it has. */
  readonly openHosts?: readonly string[];
}

/** The crawls of a world that fetch their pages again, until the operator stops them. */
export interface RecrawlPlan {
  readonly config: CrawlOptions;
  /** The web differs in this. */
  readonly web: Partial<WebShape>;
  /** After the world's beginning. */
  readonly stopAfterMs: number;
  /**
   * The crawls are stopped for that time, and no rule invokes a function; then they are resumed, and stopped again after
   * `againMs`.
   */
  readonly rest?: { readonly restMs: number; readonly againMs: number };
}

/** A crawl that the operator deletes, beside the others. */
export interface DeletedCrawl {
  readonly crawl: CrawlPlan;
  readonly archive: boolean;
  /** Whether the data was deleted. */
  isDone(): boolean;
}

/** A function's invocation that threw, or an error that it logged. */
export interface Failure {
  readonly at: number;
  readonly process: string;
  readonly message: string;
}

/** An event that was sent to the operator's receiver. */
export interface SentEvent {
  readonly at: number;
  readonly crawl: string;
  readonly type: string;
  readonly id: string;
  /** Whether it was received, whatever the receiver answered. */
  readonly isReceived: boolean;
}

/** A host that refuses the crawler, as the operator's receiver has heard of it. */
export interface ReportedRefusal extends RefusedHost {
  readonly crawl: string;
}

/** A call of the project's `onFinish`. */
export interface FinishCall {
  readonly at: number;
  readonly crawl: string;
}

/** An event to start a small worker of that turn queue, put at that time, that was lost or came late. */
export interface StrayedStart {
  readonly queue: number;
  readonly at: number;
}

/** A world after its run, for the invariants. */
export interface World {
  readonly spec: WorldSpec;
  readonly cloud: SimCloud;
  readonly web: SimWeb;
  readonly crawls: readonly CrawlPlan[];
  /** The messages of seeds that were sent with settings which their crawl does not have. */
  readonly misfits: readonly string[];
  /** Whether all crawls came to their end in time. */
  readonly hasEnded: boolean;
  /** How often each of these functions was invoked. */
  readonly invocations: Readonly<Record<'worker' | 'small' | 'router' | 'waker', number>>;
  readonly strayedStarts: readonly StrayedStart[];
  readonly failures: readonly Failure[];
  readonly events: readonly SentEvent[];
  readonly pageChanges: readonly UrlChange[];
  readonly refusedHosts: readonly ReportedRefusal[];
  /** Undefined: no page is rendered. */
  readonly rounds?: readonly Round[] | undefined;
  /** Undefined: the project has no `onFinish`. */
  readonly finishes?: readonly FinishCall[] | undefined;
  /** The violations that were found while it ran. */
  readonly seen: readonly Violation[];
  readonly history: History;
  /** The names of the requests that the project's hook makes for a page; none in worlds without such hooks. */
  requestsOf(url: string): readonly string[];
  readonly hasCompactor: boolean;
  /** Many crawls beside these, in some worlds. */
  readonly crowd?: Crowd | undefined;
  /** In some worlds hosts are behind a login. */
  readonly members?: MembersPlan | undefined;
  /** The crawl that was deleted, in some worlds. */
  readonly deletion?: DeletedCrawl | undefined;
  /** In some worlds all crawls fetch their pages again. */
  readonly recrawl?: RecrawlPlan | undefined;
  /** Has the counters of the crawl recounted, which takes virtual time. */
  recount(crawl: string): Promise<void>;
}

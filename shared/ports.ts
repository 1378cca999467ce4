/**
 * What an engine must provide. The core (the pure rooms and `worker/`) knows nothing of AWS, SQLite or files; it
 * talks to these few interfaces, in the domain's words. Every engine passes one contract suite (`test/contract/`).
 *
 * Throughout: times are milliseconds since the epoch (`...At`, `...Until`) or durations in milliseconds (`...Ms`).
 * Delivery is at-least-once everywhere; every write is either conditional or safe to repeat.
 */
import type { CrawlOptions } from './crawl/config.ts';
import type { FailureCode } from './failure-codes.ts';
import type { Head, HostTotals } from './frontier/head.ts';
import type { Message, OutLinks } from './frontier/message.ts';
import type { UrlState } from './frontier/url-record.ts';
import type { OptionalPorts } from './optional-ports.ts';
import type { Sizes } from './sizes.ts';

/** A crawl's name in its engine: `[A-Za-z0-9._-]{1,64}`. */
export type CrawlId = string;

/** Host of a URL: host name, with `:port` where it is not the scheme's default. Lower case; IPv6 in brackets. */
export type HostKey = string;

// ---------------------------------------------------------------------------------------------- turn queue

/** One message as received. `receiveCount` is 1 the first time; a message that comes back has a higher one. */
export interface Delivery {
  readonly id: string;
  readonly message: Message;
  readonly receiveCount: number;
}

/** What one receive gave of one host's group, in the order sent. The group is locked until `leaseUntil`. */
export interface HostDeliveries {
  readonly host: HostKey;
  readonly deliveries: readonly Delivery[];
  /** When the queue may hand the group to another worker, if nothing was acknowledged or parked by then. */
  readonly leaseUntil: number;
}

/**
 * Messages to hosts, one group a host: while a message of a group is received and neither acknowledged nor visible
 * again, no other message of that group is handed out. That lock is what makes the crawler polite by construction.
 */
export interface TurnQueue {
  /** Makes each message durable before it resolves. A message repeated within minutes may be dropped as a duplicate. */
  send(messages: readonly { readonly host: HostKey; readonly message: Message }[]): Promise<void>;
  /**
   * Hands out up to `maxHosts` groups; waits up to `waitMs` for the first one, then resolves with what there is
   * (perhaps nothing). An aborted `signal` ends the wait.
   */
  receive(maxHosts: number, waitMs: number, signal?: AbortSignal): Promise<HostDeliveries[]>;
  /** Removes the deliveries for good. After the lease ran out it may do nothing: they come back. */
  acknowledge(received: HostDeliveries, deliveries: readonly Delivery[]): Promise<void>;
  /**
   * Keeps the whole group locked until then, should that be later than `leaseUntil`: for what could else outlast it.
   * Throws {@link StaleTurn} if the group is no longer held.
   */
  hold(received: HostDeliveries, until: number): Promise<void>;
  /** Hides the whole group for `ms`, then hands it out again, the deliveries not acknowledged among it. */
  park(received: HostDeliveries, ms: number): Promise<void>;
}

// ------------------------------------------------------------------------------------------- link exchange

/** A batch of links on its way to the router. */
export interface LinkParcel {
  readonly id: string;
  readonly outLinks: OutLinks;
}

/** Links between hosts: many hosts' links leave a turn in one parcel; the router groups them by host. No order. */
export interface LinkExchange {
  /** Durable when it resolves. */
  send(outLinks: OutLinks): Promise<void>;
  /** Up to `max` parcels, hidden from other receivers for some minutes. Waits up to `waitMs` for the first. */
  receive(max: number, waitMs: number, signal?: AbortSignal): Promise<LinkParcel[]>;
  acknowledge(parcels: readonly LinkParcel[]): Promise<void>;
}

// -------------------------------------------------------------------------------------------- ledger store

/**
 * Thrown by {@link LedgerStore.commit} and {@link TurnQueue.hold}: another worker owns the host, or may. Throw the turn
 * away; nothing became visible.
 */
export class StaleTurn extends Error {
  override name = 'StaleTurn';
}

/**
 * Where heads and the parts of ledgers (segments, runs, long robots rules) are kept, by crawl and host.
 * Parts are immutable; a head names those that count. Whoever writes a part under a name that a head may come to
 * name chooses a name that no other attempt uses (see `frontier/ledger.ts`).
 */
export interface LedgerStore {
  /** The host's head, or undefined for a host never met. Reads its own writes. */
  loadHead(crawl: CrawlId, host: HostKey): Promise<Head | undefined>;
  /**
   * Replaces the head if the stored version is still `next.version - 1` (0: no head yet), else throws
   * {@link StaleTurn}. The one write that makes a turn real.
   */
  commit(crawl: CrawlId, host: HostKey, next: Head): Promise<void>;
  /** Stores a part; durable before it resolves. Repeating it with the same bytes is safe. */
  putPart(crawl: CrawlId, host: HostKey, name: string, bytes: Uint8Array): Promise<void>;
  /** The part's bytes, or `length` bytes from `offset`. Throws if the part is not there: a named part never is. */
  readPart(
    crawl: CrawlId,
    host: HostKey,
    name: string,
    offset?: number,
    length?: number,
  ): Promise<Uint8Array>;
  /** Names of all the host's parts, in any order. */
  listParts(crawl: CrawlId, host: HostKey): Promise<string[]>;
  deleteParts(crawl: CrawlId, host: HostKey, names: readonly string[]): Promise<void>;
  /** Every host of the crawl with its head; a snapshot is not promised. */
  hosts(crawl: CrawlId): AsyncIterable<{ readonly host: HostKey; readonly head: Head }>;
  /** Up to `limit` hosts whose head's `dueAt` has come, the longest due first. */
  dueHosts(crawl: CrawlId, now: number, limit: number): Promise<{ host: HostKey; version: number }[]>;
}

// ------------------------------------------------------------------------------------------------- archive

/** Where a record stands: a WARC file (its name, without folder), the offset and length in bytes of its gzip member. */
export interface RecordLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** One gzip member holding one WARC record: in memory, or, when the body is large, as it is made. */
export type WarcMember = readonly Uint8Array[] | AsyncIterable<Uint8Array>;

/** Where WARC records go. */
export interface Archive {
  /**
   * Appends the members one after the other in one file, with nothing between them. Not durable before `flush`.
   * `captures`: for members that are captures, what their lines of the CDXJ index begin with (`archive/cdxj.ts`).
   */
  append(
    members: readonly WarcMember[],
    captures?: readonly (string | undefined)[],
  ): Promise<RecordLocation[]>;
  /** Resolves when all that was appended before the call is durable. */
  flush(): Promise<void>;
}

// ---------------------------------------------------------------------------------------- crawl registry

/**
 * `running`. `paused`: nothing is fetched until the crawl is resumed; all that waits stays due, so that it goes on by
 * itself then. `limited`: the same, by one of the crawl's limits; a turn that finds requisites all the same, which the crawl
 * would have awaited at its limit of pages, sets it running again. `stopped`: the same, ended by the operator for good.
 * `finished`: nothing is left to do; a turn that finds something all the same sets the crawl running again. All but
 * `running` mean that turns fetch nothing; each worker hears of a change within seconds, and ends the requests that are
 * in flight in peace.
 */
export type CrawlStatus = 'running' | 'paused' | 'stopped' | 'limited' | 'finished';

/** What all hosts of a crawl add up to: sums over their heads, so they cannot drift. May lag by some seconds. */
export interface CrawlTotals extends HostTotals {
  readonly hosts: number;
  /** Hosts that have URLs waiting. */
  readonly hostsWaiting: number;
  /** Known URLs by state. */
  readonly urls: Readonly<Record<UrlState, number>>;
  /** Time the crawl has run, over all its sessions. */
  readonly activeMs: number;
  /** What the crawl has used of what is paid for by use, by line item. Engines that cost nothing have none. */
  readonly usage?: Readonly<Record<string, number>>;
  /** That at list price, in US dollars. */
  readonly cost?: number;
}

/** What a crawl is, and how far it is. */
export interface CrawlRegistry {
  /** Whether other processes may work for the same crawls at the same time. */
  readonly isShared: boolean;
  load(crawl: CrawlId): Promise<CrawlRecord | undefined>;
  /** Fails if the crawl is there already. */
  create(crawl: CrawlId, record: CrawlRecord): Promise<void>;
  /**
   * With `from`: only if the status is one of these at that moment, so that what was found out a moment ago overwrites
   * no operator's word. Whether it was set.
   */
  setStatus(
    crawl: CrawlId,
    status: CrawlStatus,
    reason?: string,
    condition?: { readonly from: readonly CrawlStatus[] },
  ): Promise<boolean>;
  /** Changes parts of the configuration (limits that an operator raises); the rest stays. */
  configure(crawl: CrawlId, changes: CrawlOptions): Promise<void>;
  /**
   * Widens the scope by these URLs (a seed that redirects). Safe to repeat. Throws {@link CrawlTooLarge}, as `create` does,
   * if the record has no room for them.
   */
  addScopeSeeds(crawl: CrawlId, urls: readonly string[]): Promise<void>;
  totals(crawl: CrawlId): Promise<CrawlTotals>;
  /**
   * Whether nothing will happen by itself: no message, no parcel, and, if the crawl runs, no host that is due at some
   * time. Perhaps late. Where other crawls keep the queues busy, an engine may go by the time in which nothing has come
   * of any message of this crawl, and be early by one that waits for longer: see `finished`.
   *
   * With `requisitesOnly`, for a crawl that begins no further page: whether no requisite is awaited (`HostTotals`), and none
   * is on its way to its host. Early and late as above; see `limited`.
   */
  isQuiet(crawl: CrawlId, requisitesOnly?: boolean): Promise<boolean>;
}

/** A crawl's record, which holds its configuration and the URLs that its scope is drawn around, has no room for more. */
export class CrawlTooLarge extends Error {
  override name = 'CrawlTooLarge';
}

export interface CrawlRecord {
  /** As given, to be parsed (`crawl/config.ts`). */
  readonly config: CrawlOptions;
  /** URLs that the scope is drawn around: the seeds, and where seeds redirected to. */
  readonly scopeSeeds: readonly string[];
  /** Version of the canonical form's rules (`url/canonical.ts`) that the crawl was begun with. */
  readonly urlRulesVersion: number;
  readonly status: CrawlStatus;
  readonly reason?: string;
}

// ------------------------------------------------------------------------------------------------- fetcher

/** An HTTP message body as received: de-chunked, content coding kept. Read once from the network, re-read at will. */
export interface Body {
  /** Bytes kept (a larger body was cut at the limit). */
  readonly size: number;
  /** SHA-1 (20 bytes) of the kept bytes, made while they arrived: the WARC payload digest. */
  readonly sha1: Uint8Array;
  /** The whole body at once. For bodies known to be small. */
  bytes(): Promise<Uint8Array>;
  /** The body from its start, again at each call. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Frees the memory or the temporary file. Safe to repeat. */
  dispose(): Promise<void>;
}

export interface ResponseHead {
  readonly httpStatus: number;
  readonly statusText: string;
  /**
   * As received: order, case and repetition kept; bytes as Latin-1. Folded lines are joined, control characters are spaces, and
   * lines that are no fields are left out.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface FetchRequest {
  /** Absolute http(s) URL in canonical form. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cut the body here instead of at the fetcher's own limit. */
  readonly maxBodyBytes?: number;
  /**
   * Called when the response's head is there; what it returns receives each piece of the body as it arrives, and copies what
   * it keeps of it: the piece's memory may be freed when the step is over.
   */
  readonly onHead?: (head: ResponseHead) => ((chunk: Uint8Array) => void) | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Why an exchange failed, in the groups that totals and metrics count by. `blockedAddress`: the address guard; `blockedPort`: a
 * port that browsers refuse; `aborted`: by our own signal; `middleware`: the project's
 * own code broke or took too long.
 */
export type FailureReason =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'headersTooLarge'
  | 'blockedAddress'
  | 'blockedPort'
  | 'middleware'
  | 'aborted';

interface ExchangeTimes {
  readonly url: string;
  /** When the request was begun; when the last byte (or the failure) came. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface FetchedResponse extends ExchangeTimes, ResponseHead {
  readonly status: 'response';
  readonly body: Body;
  /** The request's head exactly as sent, with its final empty line. */
  readonly requestHead: Uint8Array;
  readonly ipAddress: string;
  /** Why the body is not whole, in the words of WARC-Truncated. */
  readonly truncated?: 'length' | 'time' | 'disconnect';
}

export interface FetchFailure extends ExchangeTimes {
  readonly status: 'failed';
  readonly reason: FailureReason;
  /** Why, exactly. The crawler's own fetcher always says it. */
  readonly code?: FailureCode;
  /** One plain sentence for people, without the URL: `connection refused by example.org:80 (192.0.2.1)`. */
  readonly message: string;
  /**
   * The request went out on a kept connection, which the server closed without an answer: it had perhaps closed it
   * before the request came (RFC 9112, section 9.3.1). To be tried again, at the host's pace like any request.
   */
  readonly isStaleConnection?: boolean;
  /** There was no time left for the request: it was not made, and is not counted. */
  readonly isUnmade?: boolean;
}

/** What the web did. Never thrown: a 404, a time-out and a bad certificate are outcomes. */
export type FetchOutcome = FetchedResponse | FetchFailure;

/** Performs one HTTP exchange. Redirects are not followed: they are outcomes, and their targets links. */
export interface Fetcher {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  close(): Promise<void>;
}

// --------------------------------------------------------------------------------------------------- clock

/** Time and chance, so that a simulation can own both. */
export interface Clock {
  now(): number;
  /** Milliseconds that pass evenly, whatever the wall clock is set to: for durations within one process. Default: `now`. */
  elapsed?(): number;
  /** Resolves after `ms`, or early (without throwing) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

/** All that a worker is given. */
export interface Engine extends OptionalPorts {
  readonly queue: TurnQueue;
  readonly exchange: LinkExchange;
  readonly ledgers: LedgerStore;
  /** Where the crawl's WARC records go. The same one each time it is asked for. */
  archiveOf(crawl: CrawlId): Archive;
  readonly registry: CrawlRegistry;
  readonly clock: Clock;
  /** Default: `SIZES`. */
  readonly sizes?: Sizes;
}

/** A world after its run as plain facts: all that the invariants judge. */
import { isRefusal } from '../../shared/core/causes/cause.ts';
import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import type { Head } from '../../shared/core/frontier/head.ts';
import type { UrlChange } from '../../shared/core/frontier/url-change.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { isRoute } from '../../shared/core/url/hash-route.ts';
import { fetchedUrl } from '../../shared/core/url/request-url.ts';
import type { CrawlStatus } from '../../shared/crawler/ports/crawl-registry.ts';
import { type FaultName, TURN_LOSING } from '../models/faults.ts';
import { MAX_INDEX_LAG_MS } from '../models/index-lag.ts';
import type { Crowd } from '../worlds/crowd.ts';
import type {
  Failure,
  FinishCall,
  Round,
  SentEvent,
  SimWeb,
  Violation,
  WebRequest,
  World,
} from '../worlds/spec.ts';
import type { ConfigChange, CostChange, HeadChange, StatusChange } from './history-probe.ts';

export interface Facts {
  /** The time at which the world ended. */
  readonly now: number;
  readonly hasEnded: boolean;
  /** Its log is without the requests of a crawl that was deleted. */
  readonly web: Omit<
    SimWeb,
    'seeds' | 'someUrl' | 'someChange' | 'someSitemap' | 'fetcherOf' | 'drawnOf' | 'lockedHosts' | 'keysOf'
  > &
    Pick<World, 'requestsOf'> & {
      /** Whether the crawl has surely seen the page's links: scripts bring those of some pages. */
      isShown(url: string): boolean;
    };
  readonly crawls: readonly CrawlFacts[];
  /** The number of crawls that there were, with the one that was deleted. */
  readonly crawlCount: number;
  readonly deletion?: DeletionFacts | undefined;
  /** Hosts are behind a login. */
  readonly members?: World['members'];
  /** Many crawls beside these. */
  readonly crowd?: Crowd | undefined;
  /** How often each fault struck. */
  readonly strikes: Readonly<Record<FaultName, number>>;
  /** How often each of these functions was invoked. */
  readonly invocations: World['invocations'];
  readonly strayedStarts: World['strayedStarts'];
  readonly turnQueues: number;
  /** The rounds of rendered pages; undefined where none is rendered. */
  readonly rounds?: readonly Round[] | undefined;
  readonly failures: readonly Failure[];
  /** The events that were sent to the operator's receiver, in order. */
  readonly events: readonly SentEvent[];
  /** The calls of the project's `onFinish`, in order; undefined if it has none. */
  readonly finishes?: readonly FinishCall[] | undefined;
  /** Hosts that refuse the crawler, as this receiver has heard of them. */
  readonly refusedHosts: World['refusedHosts'];
  /** Changes of pages that this receiver has got, repeated ones too. */
  readonly pageChanges: readonly UrlChange[];
  /** In the turn queues and the link queue. */
  readonly messages: readonly MessageFacts[];
  readonly deadLetters: readonly { readonly queue: string; readonly body: string }[];
  /** The messages of seeds that were sent with settings which their crawl does not have. */
  readonly misfits: readonly string[];
  readonly seen: readonly Violation[];
  /** How long a worker holds a host at most. */
  readonly leaseMs: number;
  readonly hostsPerWorker: number;
  readonly hasCompactor: boolean;
  readonly hasLinkShards: boolean;
}

/** A crawl that was deleted. */
export interface DeletionFacts {
  readonly id: string;
  /** As begun with, complete. */
  readonly config: CrawlConfig;
  /** When the status was stored by which workers stop. */
  readonly stoppedAt?: number | undefined;
  readonly isDone: boolean;
  /** By host: each head as it was stored, in order. */
  readonly heads: ReadonlyMap<string, readonly HeadChange[]>;
  readonly requests: readonly WebRequest[];
  /** Keys of its items and objects at the end, but for those that stay. */
  readonly left: readonly string[];
}

export interface CrawlFacts {
  readonly id: string;
  /** Canonical. */
  readonly seeds: readonly string[];
  /**
   * Seeds that the operator added while it ran, canonical: what was found before is judged by the scope of
   * then.
   */
  readonly laterSeeds: readonly string[];
  /** An earlier crawl, whose payloads are not stored again: its archive may refer to records of that one's. */
  readonly dedupeFrom?: string | undefined;
  /** The hosts whose passwords it has. */
  readonly openHosts: readonly string[];
  /** As begun with, complete. */
  readonly config: CrawlConfig;
  /** As stored; undefined where the crawl is not there. */
  readonly status: CrawlStatus | undefined;
  /** Each status as it was stored, in order. */
  readonly statuses: readonly StatusChange[];
  /**
   * When its record was stored, or seeds were sent to it: the time for which a crawl must be quiet before it
   * counts as finished begins again then.
   */
  readonly touchedAt: readonly number[];
  /** Its configuration as it began, and each change of it, in order. */
  readonly changes: readonly ConfigChange[];
  /** Its cost over time, if it has a limit of money. */
  readonly costs: readonly CostChange[];
  /** When its first pass was complete, as noted in its record. */
  readonly firstPassAt?: number | undefined;
  /** As stored: the seeds, and where they redirected to. */
  readonly scopeSeeds: readonly string[];
  readonly hosts: ReadonlyMap<string, HostFacts>;
  /** By registrable domain, where the crawl limits these. */
  readonly domains: ReadonlyMap<string, DomainFacts>;
  /** The records of all ledgers, by URL. */
  readonly known: ReadonlyMap<string, UrlRecord>;
  /** The sum of the counter items, by the names of `head-counts.ts`. */
  readonly totals: Readonly<Record<string, number>>;
  /** The crawl is finished, and says that its counters are exact. */
  readonly isExact: boolean;
  /** The bytes of the objects in the crawl's WARC folder, by their names within. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Those that the compactor cannot join and leaves as they are. */
  readonly aside: readonly string[];
  /** Multipart uploads of such objects that have not ended, by their keys. */
  readonly uploads: readonly string[];
  /** The counters after a recount; undefined where none was made. */
  readonly recounted?: Readonly<Record<string, number>>;
  /** URLs of the items that are published, and the names of the objects that are still staged. */
  readonly items: readonly string[];
  /** Names of the published objects of items. They begin with a time of the clock of who wrote them (`stampOf`). */
  readonly itemObjects: readonly string[];
  /** URLs of the items in tables. */
  readonly tabledItems: readonly string[];
  readonly stagedItems: readonly string[];
  /** The ids of the changes that are still to be sent. */
  readonly unsentChanges: readonly string[];
  /** The values that hooks keep, by key. */
  readonly state: ReadonlyMap<string, string>;
  /** The rows of the tables of each joined file: its name, and `URL OFFSET LENGTH` of each capture. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Where files stand that were joined. */
  readonly joined: ReadonlyMap<string, JoinedFacts>;
  /** When it was put on the list of the compactor last, by the clock of who did that, if it is there. */
  readonly unjoinedSince?: number | undefined;
}

export interface JoinedFacts {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

export interface DomainFacts {
  readonly head: Head;
  /** Hosts that are opened. */
  readonly opened: number;
}

export interface HostFacts {
  readonly host: string;
  readonly head: Head;
  /** Each head as it was stored, in order: `head` is the last one. */
  readonly heads: readonly HeadChange[];
  /** All that the ledger holds, in its order. */
  readonly records: readonly UrlRecord[];
  /** Names of its stored parts, and of the objects that hold some of them. */
  readonly parts: readonly string[];
  readonly partObjects: readonly string[];
  /** Why the ledger cannot be read, where it cannot. */
  readonly problem?: string;
}

export interface MessageFacts {
  readonly queue: string;
  /** Undefined where the message cannot be read. */
  readonly crawl?: string;
  readonly host?: string;
  readonly kind: 'links' | 'token' | 'wake' | 'robots' | 'seeds' | 'wakeAll' | 'unreadable';
  readonly token?: string;
  /** URLs that it brings. */
  readonly urls: readonly string[];
}

/** The URL that the web's log has for one of a ledger: the shell's for a route behind `#`. */
export const askedUrl = (url: string): string => (isRoute(url) ? fetchedUrl(url) : url);

/** Whether the crawl may have made the request. */
export const isBy = ({ contact }: WebRequest, { config }: Pick<CrawlFacts, 'config'>): boolean =>
  contact === undefined || contact === config.contact;

/** A crawl that requests hosts, also one that was deleted. */
export interface Maker {
  readonly config: CrawlConfig;
  readonly hosts: Pick<ReadonlyMap<string, unknown>, 'has'>;
}

export const makersIn = ({ crawls, deletion }: Pick<Facts, 'crawls' | 'deletion'>): readonly Maker[] =>
  deletion ? [...crawls, { config: deletion.config, hosts: deletion.heads }] : crawls;

/** Those that may have made the request: the one that its contact names, else those that know the host. */
export function makersOf(request: WebRequest, all: readonly Maker[]): readonly Maker[] {
  const named = all.filter((maker) => isBy(request, maker));
  const makers = request.contact === undefined ? named.filter(({ hosts }) => hosts.has(request.host)) : named;
  return makers.length > 0 ? makers : all;
}

/** Whether turns may have been discarded with what they had learned. */
export const mayHaveLostTurns = ({ strikes }: Pick<Facts, 'strikes'>): boolean =>
  TURN_LOSING.some((name) => strikes[name] > 0);

/**
 * Whether a host's messages may have been hidden from workers that could use them: also by a receive whose
 * answer was lost, by workers of an older version, which cannot read what a newer one has written, and if the
 * queue has lost one. Or the host from the waker, because the index was late or its clock was behind.
 */
export const mayHaveHidden = (facts: Pick<Facts, 'strikes'>): boolean =>
  mayHaveLostTurns(facts) ||
  (['receivedUnseen', 'oldVersion', 'messageLost', 'indexLags', 'clockStepped'] as const).some(
    (name) => facts.strikes[name] > 0,
  );
/**
 * Whether only the waker may have brought a host back: its message was lost, or dropped by a worker of another
 * version, or it was never sent, as a clock was wrong.
 */
export const mayHaveLostMessages = ({ strikes }: Pick<Facts, 'strikes'>): boolean =>
  (['messageLost', 'oldVersion', 'rolledBack', 'indexLags', 'clockStepped'] as const).some(
    (name) => strikes[name] > 0,
  );

/**
 * A process lives no longer (`models/lambda.ts`): so long its clock may be behind, and longer is no host
 * hidden.
 */
const MAX_PROCESS_MS = 7_200_000;

/**
 * For how long the waker may not have known that a host was due, or that none was: twice the index may have
 * frozen, or its clock was behind.
 */
export const wakerLagMs = ({ strikes }: Pick<Facts, 'strikes'>): number =>
  (strikes.indexLags > 0 ? 2 * MAX_INDEX_LAG_MS : 0) + (strikes.clockStepped > 0 ? MAX_PROCESS_MS : 0);

/** Those by which turns are lost, but for pages that harm their workers. */
export const TURN_LOSING_OTHERS = TURN_LOSING.filter((name) => name !== 'pageHarms');

/**
 * Whether the host has had its share of pages: links to it are dropped then, and nothing of it is fetched.
 */
export const isFullHost = ({ config }: CrawlFacts, host: HostFacts | undefined): boolean =>
  config.maxPagesPerHost !== undefined && (host?.head.totals.pages ?? 0) >= config.maxPagesPerHost;

/** Whether the record represents a final response that is neither a redirect nor a refusal (`turn/page/visit.ts`). */
const isAnswered = ({ state, result }: UrlRecord): boolean =>
  result?.location !== undefined && state !== 'redirect' && !isRefusal(result.cause);

export const isPage = (record: UrlRecord): boolean => record.kind === undefined && isAnswered(record);
export const isFetchedRequisite = (record: UrlRecord): boolean =>
  record.kind === 'requisite' && isAnswered(record);

/**
 * The head of a host's ledger: the one versioned item whose conditional replacement makes a turn real. It
 * names the parts that count, holds the host's clock (so politeness survives turns, workers and restarts) and
 * sums up the host. It is JSON, and small: writes are billed by size.
 */
import type { Cause } from '../causes/cause.ts';
import { knownCause } from '../causes/stored-cause.ts';
import type { RobotsState } from '../robots/policy.ts';
import { quoted } from '../text/printable.ts';
import { DamagedState } from './bytes.ts';
import type { DomainState } from './domain-state.ts';
import type { HostRefusal } from './host-refusal.ts';
import { EMPTY_INDEX, type LedgerIndex } from './ledger-index.ts';
import { FRESH_CLOCK, type HostClock } from './politeness.ts';
import type { SitePass } from './site-pass.ts';
import type { TrapState } from './trap-watch.ts';

/** For a large host, also which of its URLs add nothing new ({@link TrapState}). */
export interface Head extends TrapState {
  /** Grows by one with each commit; the first is 1. */
  readonly version: number;
  /** The one token that counts; others are dropped. */
  readonly token?: string;
  readonly clock: HostClock;
  /**
   * By origin: a host may serve http and https. And those that robots.txt files of other hosts redirect to,
   * by their URLs, where that is not the robots.txt of an origin of this host.
   */
  readonly robots: readonly HostRobots[];
  /** Origins that cannot be fetched, though another one of the host can. */
  readonly closedOrigins?: readonly ClosedOrigin[];
  /** Redirects of robots.txt to other hosts, whose own turns fetch the target (`turn/robots/moved-robots.ts`). */
  readonly movedRobots?: readonly MovedRobots[];
  readonly ledger: LedgerIndex;
  readonly totals: HostTotals;
  /** Only for a host with sitemaps. */
  readonly sitemaps?: SitemapPace;
  /**
   * When the waker must give the host a turn if no message has done so; none: there is nothing to do.
   */
  readonly dueAt?: number;
  /** The host failed again and again: no more turns, until the crawl is resumed. */
  readonly setAside?: GivenUp;
  /**
   * The number of the last resume by the operator that was obeyed: another message of it does not try the host once
   * more.
   */
  readonly resumedBy?: number;
  /**
   * The URL that a quarantine turn was about to fetch (`turn/quarantine.ts`): it is known by this if it kills the
   * worker. `tries`: how often it was about to be fetched while no other URL was announced.
   */
  readonly intent?: { readonly url: string; readonly tries: number };
  /** Only after turns of the host were lost (`turn/caution.ts`): how carefully the next one goes on. */
  readonly caution?: HostCaution;
  /**
   * Pages that blocked their thread (`turn/quarantine-page.ts`): they fail with that cause and are not
   * fetched again.
   */
  readonly quarantine?: readonly BlockedPage[];
  /**
   * The items of the turn that committed this version, by their name in the item store, if that needs to know
   * (`ports/item-store.ts`). They are published before the next head replaces this one.
   */
  readonly stagedItems?: string;
  /** As above, for the changes that are reported to the operator's programs. */
  readonly stagedChanges?: string;
  /**
   * The reason for which the host waits, if it is not its usual rest: for other hosts and for its bytes until
   * `clock.nextFetchAt`, for its hours perhaps longer.
   */
  readonly wait?: HostWait;
  /** In a crawl that recrawls: what the host's refetches have shown. */
  readonly recrawl?: HostRecrawl;
  /** In a crawl with a budget for each registrable domain: the host's share of it. */
  readonly share?: DomainShareState;
  /** For a host with many URLs: its answer to one under which nothing stands. */
  readonly soft404?: HostSoft404;
  /** In a crawl with a quota of pages for each URL template: the counts (`template-counts.ts`), in base64. */
  readonly templatePages?: string;
  /** In a crawl that renders pages where needed: what is known of its templates (`render/template-needs.ts`), in base64. */
  readonly renderNeeds?: string;
  /** In a crawl with a list of sites, for a host of one: the last pass over its pages. */
  readonly site?: SitePass;
  /** The host has refused the crawler, and no page of it was there since. */
  readonly refusal?: HostRefusal;
  /** The project has given cookies for it, which are kept in its jar (`access/stored-jar.ts`). */
  readonly hasCookies?: true;
  /** Only in the head of a domain, which has nothing else but counts of skipped links. */
  readonly domain?: DomainState;
}

/**
 * Other hosts at the same IP address come first, or requests are allowed only in some hours (`crawl/host-hours.ts`), or
 * it has sent many bytes (`byte-rate.ts`), or it has refused the crawler (`host-refusal.ts`), or other hosts use up the crawl's byte rate until then (`crawl-rate.ts`):
 * then the rate has room for `bytes` of the host, if it has a slot.
 */
export type HostWait = (
  | { readonly for: 'address'; readonly address: string }
  | { readonly for: 'hours' }
  | { readonly for: 'bytes' }
  /** Its accounts rest, or are used up (`access/account-state.ts`). */
  | { readonly for: 'account' }
  | { readonly for: 'crawlBytes'; readonly bytes?: number }
  | { readonly for: 'refusal' }
) & { readonly until: number };

/** A host's share of the budget of its registrable domain. */
export interface DomainShareState {
  /** The number of the period (`domain-state.ts`). In another one, nothing of this counts. */
  readonly period: number;
  /** Pages granted and not requested yet. */
  readonly left: number;
  /** The budget of the period is used up. */
  readonly isOut?: true;
}

/** The results of fetching known pages of a host again, as far as they say something about all of them. */
export interface HostRecrawl {
  /** The sums of `ChangeHistory`, over all pages: changes, days with a change, days without. */
  readonly pool: readonly [number, number, number];
  /**
   * Fetches per day that its pages are worth at each price, in millionths. `totals.demand` is the part that its pace
   * allows.
   */
  readonly demand?: readonly number[];
  /** Blocks of text that repeat on its pages (`recrawl/repeated-blocks.ts`): 1 KB in base64. */
  readonly blocks?: string;
  /** Recrawl was switched off: pages that were fetched since have no due time. */
  readonly isOff?: boolean;
  /** Recrawl was switched on, and some known pages have no due time yet. */
  readonly isStarting?: boolean;
  /** Only if a page with a copy was not there lately: such fetches, and since when most are like that (`Vanishing`). */
  readonly vanishing?: { readonly gone: number; readonly there: number; readonly since?: number | undefined };
  /** The observations of its templates (`recrawl/template-pools.ts`), in base64. */
  readonly templates?: string;
  /**
   * Only of a host with hints: its fetches by whether there was a hint, and whether the page has changed (`HintCounts`,
   * in its order).
   */
  readonly hints?: readonly number[] | undefined;
  /** How the host answers conditional requests. */
  readonly validators?: ValidatorTrust;
}

/** Counts of fetches of pages whose validator (ETag, Last-Modified) was known. */
export interface ValidatorTrust {
  /** The answer showed that the validator is true: sent without it, to see, or sent with it, and a change was noticed. */
  readonly checked: number;
  /** Sent with it: 304. */
  readonly notModified: number;
  /** Sent with it: the same content, in full. */
  readonly ignored: number;
  /** The validator did not change though the content had: none are sent until then. */
  readonly liesUntil?: number;
}

/** The answer of a host to a URL that does not exist, and when it was requested. */
export interface HostSoft404 {
  /**
   * `unasked`: not yet. `honest`: it says so by its status. `unknown`: pages that are there may be answered in the same
   * way.
   */
  readonly kind: 'unasked' | 'honest' | 'unknown' | 'redirect' | 'page';
  readonly at: number;
  /** `unasked`: pages that were fetched, by hashes of 32 bits of their URLs and their words. */
  readonly early?: readonly (readonly [url: number, words: number])[];
  readonly probe?: string;
  /** Where it redirects to, without the query. */
  readonly to?: string;
  /** The page (`alike/not-found-page.ts`): at most 3.7 KB, mostly 400 bytes. */
  readonly page?: string;
}

/** How carefully a host is visited of which turns were lost. */
export interface HostCaution {
  /** URLs that the next turn may fetch: twice as many after each commit. */
  readonly maxUrls: number;
  /** URLs that are still announced, each before it is fetched; none: a single turn was lost. */
  readonly announced?: number;
}

/** Why the host was given up, and when. */
interface GivenUp {
  readonly cause: Cause;
  readonly at: number;
}

export interface BlockedPage {
  readonly url: string;
  readonly cause: Cause;
}

export interface SitemapPace {
  /** Sitemaps that came into the ledger. */
  readonly known: number;
  /** Requests to the host, other than for sitemaps, before its next sitemap, if any can be made. */
  readonly rest: number;
}

/** Rules too long for the head are a part of their own. */
export type HostRobots = RobotsState & {
  readonly part?: string;
  /**
   * They come from the crawl's cache, and are old: responses of the cache are used by them, and the first request to
   * the site is for its robots.txt.
   */
  readonly isArchived?: boolean;
};

/** A robots.txt that redirects to another host. */
export interface MovedRobots {
  /** The source of the redirect, as the key of {@link HostRobots}: an origin or a URL. */
  readonly from: string;
  readonly to: string;
  /** When it was seen to redirect. */
  readonly since: number;
  /** When `from` is requested again. */
  readonly expiresAt: number;
  /** How often the rules were looked up without success. */
  readonly tries: number;
  /** The URL that its host was requested, if any was. */
  readonly asked?: string;
}

/** An origin whose robots.txt cannot be fetched: nothing of it may be fetched before `until`. */
export interface ClosedOrigin {
  readonly origin: string;
  readonly until: number;
  readonly failures: number;
  readonly cause: Cause;
}

/** The cost and the results of the host so far. */
export interface HostTotals {
  /** Responses other than redirects, robots.txt, sitemaps and requisites. */
  readonly pages: number;
  /** Bytes of all bodies as received, robots.txt included. */
  readonly bytes: number;
  readonly requests: number;
  readonly httpStatus: Readonly<Record<string, number>>;
  /** Discovered URLs that did not come into the ledger, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Exchanges that failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /**
   * Seeds that are done with, and what their redirects led to, by their outcome: a state, or `login`
   * for a login page that a seed redirected to.
   */
  readonly seeds?: Readonly<Record<string, number>>;
  /**
   * Counts of the project's hooks: `pages` that they were called for, pages at which one `failed`, `items`.
   */
  readonly hooks?: Readonly<Record<string, number>>;
  /**
   * Requisites: those `fetched` (responses other than redirects) and those `waiting`; of the latter, those
   * `awaited` before the crawl ends at its limit of pages; and links to requisites of other hosts, `sent`
   * there.
   */
  readonly requisites?: Readonly<Record<string, number>>;
  /** Pages by the obstacle between a crawler and their content: `javascript`, `login`. */
  readonly hints?: Readonly<Record<string, number>>;
  /**
   * Exchanges by what the crawl's cache did for them: `hit` (no request was made, and none is counted), `miss`,
   * `unreadable`.
   */
  readonly cache?: Readonly<Record<string, number>>;
  /**
   * `bytes` that were sent for those `requests` of which it is known: with the handshakes of new connections, without
   * the headers of TCP and IP.
   */
  readonly sent?: Readonly<Record<string, number>>;
  /**
   * Fetches of URLs that were fetched before, by what they have shown: `changed`, `unchanged` (the same content in
   * full), `notModified` (304), `gone`, `failed`.
   */
  readonly recrawl?: Readonly<Record<string, number>>;
  /** Fetches per day that the known pages are worth at each of some prices, in millionths (`recrawl/demand-curve.ts`). */
  readonly demand?: Readonly<Record<string, number>>;
  /** If the budget of its domain is used up: URLs that wait for the next period (`urls`), and 1 for the host (`hosts`). */
  readonly overBudget?: Readonly<Record<string, number>>;
  /** If the host has had its `maxPagesPerHost` pages: URLs that wait for more (`urls`), and 1 for the host (`hosts`). */
  readonly full?: Readonly<Record<string, number>>;
  /**
   * If the host refuses the crawler: 1 for the host (`hosts`, and its kind of refusal), and its URLs that wait (`urls`).
   * `pages`: URLs that were refused, and have failed.
   */
  readonly refused?: Readonly<Record<string, number>>;
  /**
   * Pages that were rendered (`pages`), tried (`trials`) and could not be (`failed`); the requests that they made
   * (`requests`), and the time that they took (`ms`).
   */
  readonly render?: Readonly<Record<string, number>>;
  /** `requests` that accounts have made, and their `logins`, those that failed among them. */
  readonly accounts?: Readonly<Record<string, number>>;
  /** Only in the head of a domain: 1 under the rounded number of domains that link to it (`link-budget.ts`). */
  readonly linking?: Readonly<Record<string, number>>;
}

/** The URLs that wait at the host in vain, as it was given up. */
export const urlsGivenUp = ({ setAside, ledger }: Pick<Head, 'setAside' | 'ledger'>): number =>
  setAside === undefined ? 0 : ledger.counts.waiting;

/** How many exchanges there were, with the host or with the cache instead. */
export const exchangesOf = ({ requests, cache }: Pick<HostTotals, 'requests' | 'cache'>): number =>
  requests + (cache?.hit ?? 0);

/**
 * The counts of {@link HostTotals} that are kept by a key: those that all hosts have, and those that few
 * have.
 */
export const COUNT_MAPS = [
  'httpStatus',
  'skipped',
  'errors',
  'seeds',
  'hooks',
  'hints',
  'requisites',
  'cache',
  'sent',
  'recrawl',
  'demand',
  'overBudget',
  'full',
  'refused',
  'render',
  'accounts',
  'linking',
] as const satisfies (keyof HostTotals)[];

export const NO_TOTALS: HostTotals = {
  pages: 0,
  bytes: 0,
  requests: 0,
  httpStatus: {},
  skipped: {},
  errors: {},
};

/** The head of a host that is not stored yet. Its version is 0. */
export const NEW_HEAD: Head = {
  version: 0,
  clock: FRESH_CLOCK,
  robots: [],
  ledger: EMPTY_INDEX,
  totals: NO_TOTALS,
};

/**
 * Reads a stored head. Throws {@link DamagedState} if the bytes are not a head, with `place`: where they are stored.
 */
export function parseHead(json: string | undefined, place = 'a store'): Head {
  const head = headFrom(json, place);
  const { clock, setAside, closedOrigins, quarantine } = head;
  return {
    ...head,
    ...(clock.cause !== undefined && { clock: withCause(clock, clock.cause) }),
    ...(setAside && { setAside: withCause(setAside, setAside.cause) }),
    ...(closedOrigins && { closedOrigins: closedOrigins.map((one) => withCause(one, one.cause)) }),
    ...(quarantine && { quarantine: quarantine.map((one) => withCause(one, one.cause)) }),
  };
}

function headFrom(json = '', place: string): Head {
  let head: Partial<Head> | null = null;
  try {
    head = JSON.parse(json) as Partial<Head> | null;
  } catch {
    // Reported below.
  }
  if (typeof head === 'object' && typeof head?.clock === 'object' && head.clock !== null) return head as Head;
  throw new DamagedState(
    `The head of a host in ${place} is damaged: ${quoted(json.slice(0, 100))}. Restore it from a backup, or delete the crawl`,
  );
}

const withCause = <T extends object>(stored: T, cause: Cause) => ({
  ...stored,
  cause: knownCause(cause),
});

/** Sums, key by key. */
export function addTotals(a: HostTotals, b: HostTotals): HostTotals {
  return {
    pages: a.pages + b.pages,
    bytes: a.bytes + b.bytes,
    requests: a.requests + b.requests,
    httpStatus: addCounts(a.httpStatus, b.httpStatus),
    skipped: addCounts(a.skipped, b.skipped),
    errors: addCounts(a.errors, b.errors),
    ...addOptional('seeds', a, b),
    ...addOptional('hooks', a, b),
    ...addOptional('hints', a, b),
    ...addOptional('requisites', a, b),
    ...addOptional('cache', a, b),
    ...addOptional('sent', a, b),
    ...addOptional('recrawl', a, b),
    ...addOptional('demand', a, b),
    ...addOptional('overBudget', a, b),
    ...addOptional('full', a, b),
    ...addOptional('refused', a, b),
    ...addOptional('render', a, b),
    ...addOptional('accounts', a, b),
    ...addOptional('linking', a, b),
  };
}

type OptionalMap = Exclude<(typeof COUNT_MAPS)[number], 'httpStatus' | 'skipped' | 'errors'>;

function addOptional(
  map: OptionalMap,
  { [map]: a }: HostTotals,
  { [map]: b }: HostTotals,
): Partial<HostTotals> {
  return a || b ? { [map]: addCounts(a ?? {}, b ?? {}) } : {};
}

export function addCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum: Record<string, number> = { ...a };
  for (const key in b) sum[key] = (sum[key] ?? 0) + (b[key] as number);
  return sum;
}

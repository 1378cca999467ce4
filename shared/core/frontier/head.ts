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
import { type HostTotals, NO_TOTALS } from './host-totals.ts';
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

/** The URLs that wait at the host in vain, as it was given up. */
export const urlsGivenUp = ({ setAside, ledger }: Pick<Head, 'setAside' | 'ledger'>): number =>
  setAside === undefined ? 0 : ledger.counts.waiting;

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

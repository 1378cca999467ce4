import type { ShownCauseCode } from '../../core/causes/cause.ts';
import type { StatusCode } from '../../core/causes/status-reason.ts';
import type { UrlState } from '../../core/frontier/url-record.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';

/** The result of a crawl so far, or at its end. */
export interface CrawlSummary {
  readonly pages: number;
  /** URLs known, whatever their outcome. */
  readonly urls: number;
  readonly hosts: number;
  /** Bytes of all bodies as received. */
  readonly bytes: number;
  /** Time that the crawl has run, over all its sessions. */
  readonly seconds: number;
  readonly byStatus: Readonly<Record<UrlState, number>>;
  /** Responses by HTTP status code. */
  readonly httpStatus: Readonly<Record<string, number>>;
  /** URLs left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Failed fetches, by cause. */
  readonly errors: Readonly<Record<string, number>>;
  /** Names, without folder. */
  readonly warcFiles: readonly string[];
  readonly state: 'finished' | 'limited' | 'interrupted' | 'running' | 'stopped' | 'paused';
  /** The crawl's name. */
  readonly crawl: string;
  /** Pages a second, over the time that the crawl has run. */
  readonly rate: number;
  /** US dollars at list price so far; 0 on one machine. */
  readonly cost: number;
  /** The parts of the cost, in US dollars by line item. */
  readonly costByItem: Readonly<Record<string, number>>;
  /** Whether prices of the stack's region are estimated, and rather too high. Left out if not. */
  readonly costIsEstimated?: boolean;
  /** Why the crawl is in that state, for people. */
  readonly reason?: string | undefined;
  /** The reason as a code, if it is a known one. */
  readonly reasonCode?: StatusCode | undefined;
  /** Hosts that the crawl gave up. */
  readonly setAside: readonly GivenUpHost[];
  /** Hosts whose last tries failed, and which are tried again. */
  readonly failing: readonly FailingHost[];
  /**
   * Seeds that are done with, and what they redirected to, by their outcome; `login`: the seed led to a
   * login page.
   */
  readonly seeds: Readonly<Record<string, number>>;
  /** Why no seed could be fetched: the first of them. Empty where one was. */
  readonly failedSeeds: readonly FailedSeed[];
  /**
   * Requisites of pages: `fetched`, whatever their HTTP status, and `waiting`. Empty where there are none.
   */
  readonly requisites: Readonly<Record<string, number>>;
  /** Pages by the obstacle between a crawler and their content: `javascript`, `login`. */
  readonly hints: Readonly<Record<string, number>>;
  /** Counts of the project's hooks: `pages` they were called for, pages at which they `failed`, `items`. */
  readonly hooks: Readonly<Record<string, number>>;
  /**
   * Exchanges by what the crawl's cache did for them: `hit`, `miss`, and `unreadable` if its response is damaged. Empty
   * without a cache.
   */
  readonly cache: Readonly<Record<string, number>>;
  /**
   * Fetches of pages that were fetched before, by what they have shown: `changed`, `unchanged`, `notModified` (the same,
   * by a 304), `gone`, `failed`; of these `late`, which skipped a time of the schedule. Empty for a crawl that does not recrawl.
   */
  readonly recrawl: Readonly<Record<string, number>>;
  /** In a crawl that recrawls: when each known URL had been fetched once. ISO 8601, UTC. */
  readonly firstPassAt?: string | undefined;
  /**
   * `urls` that wait because the budget of their registrable domain is used up, and the `hosts` that they are of. Empty
   * where none wait for that.
   */
  readonly overBudget: Readonly<Record<string, number>>;
  /** `urls` that wait because their `hosts` have had `maxPagesPerHost` pages. Empty where none wait for that. */
  readonly full: Readonly<Record<string, number>>;
  /**
   * `hosts` that refuse the crawler, those of each kind (`challenged`, `blocked`, `priced`), `urls` that wait there, and
   * `pages`: URLs of other hosts that were refused. Empty where none was.
   */
  readonly refusals: Readonly<Record<string, number>>;
  /** The part of the crawl that was lost so far. Empty if nothing was. */
  readonly losses: Losses;
  /**
   * In a crawl with a list of sites: their `count`, those `visited` in the last 24 hours, and those of each state of the
   * last visit (`done`, `fewer`, `gone`, `blocked`, `failed`, `moved`, `running`, `waiting`). Empty without a list.
   */
  readonly sites: Readonly<Record<string, number>>;
  /**
   * Pages that were rendered (`pages`), `trials`, pages that could not be rendered (`failed`), the `requests` that all
   * of them made, and the time that they took (`ms`). Empty if nothing was rendered.
   */
  readonly render: Readonly<Record<string, number>>;
  /** `requests` that accounts of the project have made, and their `logins`, those that failed among them. Empty where none was used. */
  readonly accounts: Readonly<Record<string, number>>;
  /** The first different errors of each kind of hook. */
  readonly hookErrors: readonly HookError[];
  /** On a stack: who began the crawl, as far as AWS says. */
  readonly begunBy?: string | undefined;
  /**
   * Whether the figures are exact. On a stack they lag by seconds while the crawl runs, and lack what a worker that died
   * had not counted yet, until the crawl finishes.
   */
  readonly exact: boolean;
}

export interface Losses {
  /** Hosts that were given up while URLs waited there. */
  readonly hostsGivenUp?: number;
  /** The number of these URLs. */
  readonly urlsGivenUp?: number;
  /** Hosts among them, and hosts that rest, which refuse the crawler. */
  readonly hostsRefused?: number;
  /** URLs of other hosts that were refused: challenged, blocked by name, or priced. */
  readonly pagesRefused?: number;
  /** Pages that ended or blocked their process, or its thread. They are not fetched again. */
  readonly quarantined?: number;
  /** Responses of which nothing could be decoded. */
  readonly undecoded?: number;
  /** Responses that broke off, or could not be decoded to their end. */
  readonly brokeOff?: number;
  /** Pages cut at `maxBodyBytes` or `maxDecodedBytes`. */
  readonly cut?: number;
  /** Links left out as traps, each time one was met. */
  readonly traps?: number;
}

export interface GivenUpHost {
  readonly host: string;
  /** For people. */
  readonly cause: string;
  readonly causeCode?: ShownCauseCode | undefined;
  /** If it refuses the crawler, by the code: `challenged`, `blocked`, `priced`. */
  readonly refused?: RefusedNote;
}

interface RefusedNote {
  /** When it first did. ISO 8601, UTC. */
  readonly since: string;
  /** URLs that wait there. */
  readonly urls: number;
  /** Whose protection challenges. */
  readonly vendor?: string;
  /** As stated, for people. */
  readonly price?: string;
  /** It waits until a person brings cookies, with which the crawl is resumed. */
  readonly asks?: true;
}

export interface FailingHost extends GivenUpHost {
  /** ISO 8601, UTC. */
  readonly nextTryAt: string;
}

export interface FailedSeed {
  readonly url: string;
  readonly cause: string;
}

/** The keys in the order in which JSON gives them. Scripts rely on them. */
export const SUMMARY_KEYS = [
  'pages',
  'urls',
  'hosts',
  'bytes',
  'seconds',
  'byStatus',
  'skipped',
  'errors',
  'warcFiles',
  'state',
  'crawl',
  'rate',
  'cost',
  'costByItem',
  'costIsEstimated',
  'reason',
  'setAside',
  'httpStatus',
  'failing',
  'seeds',
  'failedSeeds',
  'hints',
  'hooks',
  'hookErrors',
  'requisites',
  'reasonCode',
  'cache',
  'recrawl',
  'firstPassAt',
  'overBudget',
  'full',
  'begunBy',
  'exact',
  'losses',
  'sites',
  'refusals',
  'render',
  'accounts',
] as const satisfies readonly (keyof CrawlSummary)[];

/** The summary with its keys in that order, and no others. */
export function orderedSummary(summary: CrawlSummary): CrawlSummary {
  return Object.fromEntries(SUMMARY_KEYS.map((key) => [key, summary[key]])) as unknown as CrawlSummary;
}

/** Pages a second, to three digits; 0 while no time has passed. */
export function pageRate(pages: number, seconds: number): number {
  return seconds > 0 ? Number((pages / seconds).toPrecision(3)) : 0;
}

/** The explanation of the next decision about a URL, as data. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { ScopeVerdict } from '../../core/crawl/scope.ts';
import type { UrlKind } from '../../core/url/url-kind.ts';
import type { DomainEntry } from './domain-entry.ts';
import type { CrawlSummary } from './summary.ts';
import type { UrlDetail } from './url-detail.ts';

/**
 * How many of the host's URLs that may be fetched now come before this one, and how many have the same rank.
 */
export interface HostLine {
  readonly before: number;
  readonly alike: number;
}

export interface Explanation {
  /** As given. */
  readonly url: string;
  /** The form in which a crawl knows it; none: it has no such form. */
  readonly canonical?: string;
  /** The rules that changed it, beyond the standards. */
  readonly urlRules: readonly string[];
  readonly host?: string;
  /** As what the scope was requested it. */
  readonly as?: 'seed' | 'link' | UrlKind;
  /** Hops from a seed; of a link not known yet, those of a seed's link. */
  readonly depth?: number;
  readonly scope?: ScopeVerdict;
  /** If its host has enough pages for templates to be watched, or its template has had all its pages. */
  readonly template?: TemplateWord;
  /** Whether and why its page would be rendered, for people. Absent: the crawl renders nothing there. */
  readonly rendering?: string | undefined;
  readonly robots?: RobotsWord;
  /** All that the crawl knows of it. */
  readonly known?: UrlDetail;
  /** 0 is first. */
  readonly rank?: number;
  readonly line?: HostLine;
  /** Settings that are other ones for its host. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly hostState?: HostWord;
  /** If the host's hours do not allow requests when its turn comes. */
  readonly hours?: HoursWord | undefined;
  /** In a crawl with limits for registrable domains. */
  readonly domain?: DomainWord;
  readonly crawl?: { readonly crawl: CrawlId; readonly state: CrawlSummary['state'] };
  readonly wouldBeFetched: boolean;
  /** In one line, for people. */
  readonly verdict: string;
}

/**
 * The state of the URL's template, or of the closed group that the URL belongs to (`frontier/trap-watch.ts`).
 */
export interface TemplateWord {
  readonly template: string;
  readonly isClosed: boolean;
  /** It has had `maxPagesPerTemplate` pages. */
  readonly isFull?: true;
  /** Why it is closed, for people. */
  readonly why?: string;
  /** About how many of its pages were fetched while it was watched. */
  readonly pages?: number;
}

export interface RobotsWord {
  /**
   * `unknown`: it would be requested first. `closed`: it could not be fetched, and is requested again after
   * `until`.
   */
  readonly says: 'allowed' | 'denied' | 'unknown' | 'ignored' | 'closed';
  readonly url: string;
  /** The rule that decided, as robots.txt has it, and its line there, from 1. */
  readonly rule?: string;
  readonly line?: number;
  /** The use of its content that the crawl is for, and robots.txt, or a licence that it names, forbids. */
  readonly forbiddenUse?: string;
  readonly forbiddenBy?: 'robots.txt' | 'license';
  /** Statements of robots.txt, and of files beside it, about the use of the URL's content: `content-usage: train-ai=n`. */
  readonly usage?: readonly string[];
  /** ISO 8601, UTC. */
  readonly until?: string;
  readonly cause?: string;
}

export interface HoursWord {
  /** `mon-fri 22:00-06:00 Europe/Berlin`. */
  readonly allowed: string;
  /** When they begin. ISO 8601, UTC. */
  readonly from: string;
}

/** The registrable domain of the URL, and what the crawl's limits leave it. */
export interface DomainWord extends DomainEntry {
  /** How many domains link to the median domain of the crawl; only where budgets grow by them. */
  readonly medianLinkers?: number;
  /** Its budget of hosts is used up, and the URL's host is not opened. */
  readonly isFull: boolean;
  /** The URL's host has none of the budget left before the next period. */
  readonly isOut: boolean;
}

export interface HostWord {
  readonly pages: number;
  /** When the next request may start. ISO 8601, UTC. */
  readonly nextFetchAt?: string;
  /** Something besides its own rest for which it waits until then. */
  readonly waitsFor?: string;
  readonly failures: number;
  readonly cause?: string;
  readonly setAside?: string;
  /** It has reached its limit of pages. */
  readonly isFull: boolean;
}

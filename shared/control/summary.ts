import type { UrlState } from '../frontier/url-record.ts';

/** What a crawl has come to. */
export interface CrawlSummary {
  readonly pages: number;
  /** URLs known, whatever became of them. */
  readonly urls: number;
  readonly hosts: number;
  /** Of all bodies as received. */
  readonly bytes: number;
  /** That the crawl has run, over all its sessions. */
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
  /** What that is made of, in US dollars by line item. */
  readonly costByItem: Readonly<Record<string, number>>;
  /** Why the crawl is in that state, for people. */
  readonly reason?: string;
  /** Hosts that the crawl gave up. */
  readonly setAside: readonly { readonly host: string; readonly cause: string }[];
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
  'reason',
  'setAside',
  'httpStatus',
] as const satisfies readonly (keyof CrawlSummary)[];

/** The summary with its keys in that order, and no others. */
export function orderedSummary(summary: CrawlSummary): CrawlSummary {
  return Object.fromEntries(SUMMARY_KEYS.map((key) => [key, summary[key]])) as unknown as CrawlSummary;
}

/** Pages a second, to three digits; 0 while no time has passed. */
export function pageRate(pages: number, seconds: number): number {
  return seconds > 0 ? Number((pages / seconds).toPrecision(3)) : 0;
}

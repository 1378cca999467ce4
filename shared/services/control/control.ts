/**
 * An operator's control over the crawls of an engine whose workers run elsewhere: begin, add seeds, query,
 * pause, resume, stop. The API and the command line both use it, and give the same answers.
 *
 * | word | means |
 * |---|---|
 * | pause | No worker begins a request once it has read the status, which takes two seconds; requests in flight run to their end, and their turns are committed. All that waits stays due. |
 * | resume | The crawl continues where it stands, whatever ended it, with other limits where some are given; hosts that were set aside get another try. |
 * | stop | Like pause, and hosts get no more turns. The crawl can still be resumed. |
 * | delete | Like stop, and nothing resumes the crawl. Its data is deleted when no process holds a part of it. |
 */

import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { CrawlOptions } from '../../core/crawl/crawl-options.ts';
import type { SiteChanges, SiteOptions } from '../../core/crawl/sites.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { CrawlStatus } from '../../crawler/ports/crawl-registry.ts';
import type { DomainEntry } from '../report/domain-entry.ts';
import type { SiteEntry, SiteFilter } from '../report/site-entries.ts';
import type { CrawlSummary } from '../report/summary.ts';
import type { UrlDetail } from '../report/url-detail.ts';
import type { CapturePage, CapturePageRequest } from './captures.ts';
import type { CrawlExport, ExportRequest } from './crawl-export.ts';
import type { CrawlDeletion, DeleteOptions } from './deletion.ts';

export interface Control {
  /**
   * Begins a crawl; its name is made from the first seed's host where none is given. `caller` is kept with it. A crawl that
   * leaves out some of its seeds begins with the others.
   */
  create(request: NewCrawl, caller?: string): Promise<BegunCrawl>;
  /** Adds seeds. A crawl that had finished runs again. */
  addSeeds(crawl: CrawlId, urls: readonly string[]): Promise<AddedSeeds>;
  /**
   * Handles a seed message: like `create` if the crawl does not exist, else like `addSeeds`; refused if `config` is not
   * the crawl's own.
   */
  seed(request: NewCrawl & { readonly crawl: CrawlId }, caller?: string): Promise<AddedSeeds>;
  /**
   * Replaces the list of sites of a crawl. New sites are visited, settings hold within seconds, and the pages of sites that
   * are not in it are not fetched again. The hosts of a site that comes back are visited at the next resume.
   */
  setSites(crawl: CrawlId, sites: readonly SiteOptions[]): Promise<SiteChanges>;
  /** The sites of a crawl with their last visits, a page at a time. */
  sites(crawl: CrawlId, page: SitePageRequest): Promise<SitePage>;
  status(crawl: CrawlId): Promise<CrawlSummary>;
  /** Crawls by name, up to 1,000 a page: those of a state, or whose names begin with `prefix`. */
  list(page?: CrawlPageRequest): Promise<CrawlPage>;
  pause(crawl: CrawlId): Promise<CrawlSummary>;
  resume(crawl: CrawlId, limits?: CrawlOptions, options?: ResumeOptions): Promise<CrawlSummary>;
  stop(crawl: CrawlId): Promise<CrawlSummary>;
  /** Deletes the crawl's state and messages, and on request its archive. Safe to repeat. */
  delete(crawl: CrawlId, options?: DeleteOptions): Promise<CrawlDeletion>;
  /** Hosts with their state, a page at a time. */
  hosts(crawl: CrawlId, page: { readonly cursor?: string; readonly limit?: number }): Promise<HostPage>;
  host(crawl: CrawlId, host: HostKey): Promise<HostDetail>;
  /** Registrable domains with their budgets, a page at a time. */
  domains(crawl: CrawlId, page: { readonly cursor?: string; readonly limit?: number }): Promise<DomainPage>;
  /** All that is known of a URL. */
  url(crawl: CrawlId, url: string): Promise<UrlDetail>;
  /** The captures of a URL, of a prefix or of a host, a page at a time. */
  captures(crawl: CrawlId, request: CapturePageRequest): Promise<CapturePage>;
  /** Begins an export that the stack makes by itself. */
  beginExport(crawl: CrawlId, request: ExportRequest): Promise<CrawlExport>;
  /** The exports of the crawl that match, by name. */
  exports(crawl: CrawlId): Promise<readonly CrawlExport[]>;
  exportOf(crawl: CrawlId, id: string): Promise<CrawlExport>;
}

/** The part of the control that the API over HTTP has. Seed messages are for a stack. */
export type ApiControl = Omit<Control, 'seed'>;

export interface ResumeOptions {
  /**
   * The crawl continues though it began with another version of the rules for canonical URLs: URLs whose form has changed
   * may be fetched again.
   * @default false
   */
  readonly newUrlRules?: boolean | undefined;
}

export interface NewCrawl {
  readonly crawl?: CrawlId;
  /** At least one, unless there are sites. */
  readonly seeds?: readonly string[] | undefined;
  /** Their URLs are seeds, too. */
  readonly sites?: readonly SiteOptions[] | undefined;
  readonly config?: CrawlOptions;
  /** An earlier crawl of the same stack or folder, whose payloads are not stored again. */
  readonly dedupeFrom?: CrawlId | undefined;
}

/** `refused`: seeds that were left out, with the reason. */
export interface BegunCrawl extends CrawlSummary, Pick<AddedSeeds, 'refused'> {}

export interface AddedSeeds {
  readonly crawl: CrawlId;
  /** URLs sent on their way. */
  readonly added: number;
  /** Seeds that were left out, with the reason. */
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
}

export interface SitePageRequest extends SiteFilter {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface SitePage {
  /** The numbers of all sites of the crawl: `count`, `visited` in the last 24 hours, and by state. */
  readonly counts: Readonly<Record<string, number>>;
  readonly sites: readonly SiteEntry[];
  /** For the next page; none on the last. */
  readonly cursor?: string;
}

export interface CrawlPageRequest {
  readonly prefix?: string | undefined;
  readonly state?: CrawlStatus | undefined;
  readonly cursor?: string | undefined;
}

export interface CrawlPage {
  readonly crawls: readonly CrawlEntry[];
  /** For the next page; none on the last. */
  readonly cursor?: string;
}

export interface CrawlEntry {
  readonly crawl: CrawlId;
  readonly state: CrawlStatus;
  readonly reason?: string;
  readonly pages: number;
}

export interface HostEntry {
  readonly host: HostKey;
  readonly known: number;
  readonly waiting: number;
  readonly pages: number;
  readonly bytes: number;
  /** When the next request may start, and when the host is due for a turn. ISO 8601, UTC. */
  readonly nextFetchAt?: string;
  readonly dueAt?: string;
  /** Something besides its own rest for which it waits until then. */
  readonly waitsFor?: string;
  /** Failures in a row, and why. */
  readonly failures: number;
  readonly cause?: string;
  readonly setAside?: string;
  /** How it refuses the crawler, also while it rests. */
  readonly refused?: string;
}

export interface HostPage {
  readonly hosts: readonly HostEntry[];
  /** For the next page; none on the last. */
  readonly cursor?: string;
}

export interface DomainPage {
  readonly domains: readonly DomainEntry[];
  /** How many domains link to the median domain, by which budgets grow: 1 where they do not. */
  readonly medianLinkers: number;
  /** For the next page; none on the last. */
  readonly cursor?: string;
}

export interface HostDetail extends HostEntry {
  readonly requests: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly httpStatus: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly robots: readonly { readonly origin: string; readonly kind: string; readonly expiresAt: string }[];
}

/** The request cannot be fulfilled. `field` names its faulty part. */
export class ControlError extends Error {
  override name = 'ControlError';
  readonly code: 'invalid' | 'notFound' | 'conflict';
  readonly field?: string;

  constructor(code: ControlError['code'], message: string, field?: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.field = field;
  }
}

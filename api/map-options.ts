import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { CrawlHooks } from './start-options.ts';

/** Where a map finds URLs: in sitemaps, as links of the start page, in feeds that this page names, in `llms.txt`. */
export const MAP_SOURCES = ['sitemaps', 'links', 'feeds', 'llms'] as const;
export type MapSource = (typeof MAP_SOURCES)[number];

/** The number of URLs of a map, and the most. */
export const DEFAULT_MAP_LIMIT = 100_000;
export const MAX_MAP_LIMIT = 1_000_000;

export interface MappedUrl {
  /** Canonical. */
  readonly url: string;
  /** When it was modified last, according to its sitemap or feed: ISO 8601. */
  readonly lastModified?: string;
  readonly source: MapSource;
  /** The sitemap or page that names it; of the start page, itself. */
  readonly via: string;
}

/** A URL that a map leaves out, or a file of the site that it could not read. */
export interface MapSkip {
  readonly url: string;
  readonly via?: string;
  /** The code: as in the list of URLs that a crawl leaves out, or of a cause. */
  readonly reason: string;
  /** The reason for people. */
  readonly text: string;
}

/** Settings of a crawl that concern requests and the choice of URLs; the others have no effect. */
export interface MapOptions extends CrawlOptions, Pick<CrawlHooks, 'middleware'> {
  /**
   * The sources that are read.
   * @default all
   */
  readonly source?: MapSource | 'all';
  /** Words that a URL must have, all of them, in any case. */
  readonly search?: string;
  /**
   * At most this many URLs, 1,000,000 at most.
   * @default 100,000
   */
  readonly limit?: number;
  /** Called for each URL that is left out, and each file that cannot be read. */
  readonly skip?: (skipped: MapSkip) => void;
  readonly signal?: AbortSignal;
}

/** How long a crawl of a site takes, and how large it gets. */
export interface SiteEstimate {
  /** URLs that are known without a crawl. */
  readonly pages: number;
  /** There are more: the limit is reached. */
  readonly hasMore: boolean;
  readonly hosts: number;
  readonly ms: number;
  /** Size of the archive. */
  readonly bytes: number;
  /** Between two requests to a host: by the settings and the `Crawl-delay` of robots.txt. */
  readonly delayMs: number;
}

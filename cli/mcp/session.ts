/** The parts of a server that its tools share. */
import type { CrawlOptions } from '../../shared/core/crawl/crawl-options.ts';
import type { Purpose } from '../../shared/core/usage/purpose.ts';
import type { CrawlStarts } from './crawl-starts.ts';
import type { Crawls } from './crawls.ts';
import type { AllowedHosts } from './hosts.ts';
import type { LivePages } from './live-pages.ts';
import type { ReadPages } from './read-pages.ts';
import type { SiteMaps } from './site-maps.ts';

export interface Session {
  readonly crawls: Crawls;
  readonly hosts: AllowedHosts;
  readonly live: LivePages;
  readonly maps: SiteMaps;
  readonly pages: ReadPages;
  /** The use that is made of the content of pages. */
  readonly purpose: Purpose;
  /** The settings of requests, without secrets. */
  readonly config: CrawlOptions;
  /** Absent: the server is read-only. */
  readonly starts?: CrawlStarts;
  close(): Promise<void>;
}

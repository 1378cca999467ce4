/**
 * `strand.config.ts`: one file for a project's crawls, the same on one machine and in the cloud.
 *
 * ```ts
 * import { defineCrawl } from 'strand-crawler';
 * export default defineCrawl({ crawl: { contact: 'me@example.org', delayMs: 2000 } });
 * ```
 */
import type { FetchOutcome, FetchRequest } from '../ports.ts';
import type { CrawlOptions } from './config.ts';

/**
 * Stands around every exchange of pages and robots.txt: may change the request, answer it itself, or look at the
 * outcome. The first of several is the outermost. One that throws makes that fetch a failure and harms nothing else.
 */
export type FetchMiddleware = (
  request: FetchRequest,
  next: (request: FetchRequest) => Promise<FetchOutcome>,
) => Promise<FetchOutcome>;

export interface StrandConfig {
  /** What every crawl is configured with where it does not say otherwise. */
  readonly crawl?: CrawlOptions;
  readonly middleware?: readonly FetchMiddleware[];
  /** What is deployed by `cdk deploy`: the options of `cdk/options.ts`. */
  readonly aws?: Readonly<Record<string, unknown>>;
}

/** Gives what it is given: for the types, and the editor's help. */
export const defineCrawl = (config: StrandConfig): StrandConfig => config;

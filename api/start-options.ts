/** The options that start a crawl. */
import type { CrawlOptions } from '../shared/core/crawl/crawl-options.ts';
import type { ResumableKey } from '../shared/core/crawl/settings/settings.ts';
import type { SiteOptions } from '../shared/core/crawl/sites.ts';
import type { LogEntry, LogLevel } from '../shared/core/text/log-entry.ts';
import type { StrandConfig } from '../shared/services/project/project.ts';
import type { StackAddress } from './stack-address.ts';

/** Functions of yours that the crawl calls. See `defineCrawl`. */
export type CrawlHooks = Omit<StrandConfig, 'crawl' | 'aws'>;

interface SharedOptions extends CrawlHooks {
  /**
   * A project's file (`strand.config.ts`), whose settings and hooks count. The crawl then runs in threads of
   * its own, which load the file. Not together with hooks that are functions: they stay in the calling
   * thread.
   */
  readonly project?: string;
  /**
   * Threads that crawl, each some of the hosts. Not together with hooks that are functions.
   * @default 1
   */
  readonly workers?: number;
  /**
   * The browser of a crawl that renders pages.
   * @default `STRAND_BROWSER` of the environment, or a headless Chromium or Chrome of this machine
   */
  readonly browser?: string;
  /**
   * A browser that runs elsewhere instead: the URL of its WebSocket (`wss:`, or `ws:` on this machine), or where that stands,
   * such as `env:NAME`. It is not stored. Not with `workers`.
   */
  readonly browserUrl?: string;
  /**
   * Ends a crawl that recrawls when nothing is due: for a program that is started regularly.
   * @default false
   */
  readonly once?: boolean;
  /** Stops the crawl when it aborts, as Ctrl-C does for the command line: work in progress is stored. */
  readonly signal?: AbortSignal;
  /**
   * The least important level that is logged: `debug` has a line for each page.
   * @default 'info'
   */
  readonly logLevel?: LogLevel;
  /** Called with each entry of the crawl's log. The log is also in `log.jsonl` of the crawl's folder. */
  readonly onLog?: (entry: LogEntry) => void;
}

/** All settings of a crawl, its seeds, its folder and your hooks, in one object. */
export interface StartCrawlOptions extends CrawlOptions, SharedOptions {
  /** Where the crawl begins. `example.org` means `https://example.org/`. At least one, unless there are `sites`. */
  readonly seeds?: readonly string[];
  /** The sites of the crawl, 15,000 at most, each with settings of its own. Their URLs are seeds. */
  readonly sites?: readonly SiteOptions[];
  /**
   * The folder for the crawl.
   * @default a new folder in `crawls/`, named after the first seed and the time
   */
  readonly out?: string;
  /** The folder of an earlier crawl, whose bodies are not stored again. */
  readonly dedupeFrom?: string;
  /**
   * The folder of an earlier crawl, whose responses are used instead of requests to the sites, for developing hooks.
   * URLs that it lacks are fetched. It is only read.
   */
  readonly cache?: string;
  /** A deployed stack that crawls, instead of this machine: {@link StartStackCrawlOptions}. */
  readonly stack?: undefined;
}

/** All settings of a crawl on a deployed stack, and its seeds, in one object. */
export interface StartStackCrawlOptions extends CrawlOptions, StackAddress {
  /** Where the crawl begins. `example.org` means `https://example.org/`. At least one, unless there are `sites`. */
  readonly seeds?: readonly string[];
  /** The sites of the crawl, 15,000 at most, each with settings of its own. Their URLs are seeds. */
  readonly sites?: readonly SiteOptions[];
  /**
   * The crawl's name: letters, digits, `.`, `_` and `-`.
   * @default made from the first seed's host
   */
  readonly crawl?: string;
  /**
   * The name of an earlier crawl on the stack, whose bodies are not stored again where a host answers with the same.
   * Its archive can be deleted only after this crawl's.
   */
  readonly dedupeFrom?: string;
  /**
   * A project's file (`strand.config.ts`), whose settings count. Its hooks and middleware are not sent: the stack calls
   * those that it was deployed with.
   */
  readonly project?: string;
}

/** Settings that may change when a crawl is continued in either place: its limits, whether it recrawls, and its documents. */
export type RaisedLimits = Pick<CrawlOptions, ResumableKey<'machine'> & ResumableKey<'stack'>>;

export interface ResumeCrawlOptions extends Pick<CrawlOptions, ResumableKey<'machine'>>, SharedOptions {
  /** The sites that the crawl has from now on. Pages of those that it had, and that are not in the list, are not fetched again. */
  readonly sites?: readonly SiteOptions[];
  /**
   * Another folder with the responses of an earlier crawl; `false`: none, so that requests go to the sites. @default
   * the folder that the crawl began with
   */
  readonly cache?: string | false;
  /** Continues though the crawl began with a version of Strand that has other rules for canonical URLs. */
  readonly newUrlRules?: boolean;
  /**
   * Obeys the settings of a folder that you have not begun on this machine, though they open something: private addresses, folders,
   * proxies, an identity. Once is enough.
   */
  readonly trustSettings?: boolean;
}

/** Settings of a crawl that concern a single request; the others have no effect. */
export interface ReadPageOptions extends CrawlOptions {
  readonly signal?: AbortSignal;
}

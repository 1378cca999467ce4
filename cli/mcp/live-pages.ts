/** Pages and maps that a server fetches: only of hosts that are allowed, within the day's bounds, at each host's pace. */
import type { OpenedCrawl } from '../../api/crawl-place.ts';
import { openPages } from '../../api/open-pages.ts';
import type { PageSession } from '../../api/page-session.ts';
import type { CrawlOptions } from '../../shared/core/crawl/crawl-options.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { type FetchMiddleware, failureOf, type PageContext } from '../../shared/services/project/project.ts';
import type { Crawls } from './crawls.ts';
import type { DayUse } from './day-use.ts';
import { HostClock } from './host-clock.ts';
import type { AllowedHosts } from './hosts.ts';
import { ToolError } from './tool-error.ts';

/** A session that rests is closed, and what it has kept of pages with it. */
const REST_MS = 60_000;

export interface LiveSettings {
  /** Settings of a crawl, without secrets. */
  readonly config: CrawlOptions & { readonly delayMs: number };
  readonly crawls: Crawls;
  readonly hosts: AllowedHosts;
  readonly use: DayUse;
  /** Called with each URL that is requested. */
  readonly log: (line: string) => void;
}

interface KeptSession {
  readonly pages: Promise<PageSession>;
  users: number;
  closing?: NodeJS.Timeout;
}

export class LivePages {
  readonly config: CrawlOptions;
  readonly middleware: readonly FetchMiddleware[];
  readonly #settings: LiveSettings;
  #session: KeptSession | undefined;

  constructor(settings: LiveSettings) {
    this.#settings = settings;
    this.config = settings.config;
    this.middleware = [guard(settings)];
  }

  /** Throws {@link ToolError} if the URL's host may not be contacted, or a crawl works on it. */
  async check(url: string): Promise<void> {
    await this.#settings.hosts.check(url);
    await this.#refuseBusyHost(url);
  }

  /** Fetches the page, or gives what the session has of it; `fresh`: fetches it in any case. Throws `PageNotRead`. */
  async fetch(url: string, fresh: boolean): Promise<PageContext> {
    if (fresh) await this.close();
    this.#session ??= { pages: openPages({ ...this.config, middleware: this.middleware }), users: 0 };
    const session = this.#session;
    clearTimeout(session.closing);
    session.users++;
    try {
      return await (await session.pages).fetch(url);
    } finally {
      if (--session.users === 0) {
        session.closing = setTimeout(() => void this.#end(session), REST_MS);
        session.closing.unref();
      }
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session !== undefined) await this.#end(session);
  }

  async #end(session: KeptSession): Promise<void> {
    clearTimeout(session.closing);
    if (this.#session === session) this.#session = undefined;
    await (await session.pages).close();
  }

  /** A crawl that works on the host has its clock: a page of it comes by the crawl. */
  async #refuseBusyHost(url: string): Promise<void> {
    const host = hostKey(url);
    const busy = await this.#settings.crawls.first(
      async (crawl, listing) => ((await isBusy(crawl, host)) ? listing.crawl : undefined),
      'running',
    );
    if (busy === undefined) return;
    throw new ToolError(
      'hostIsCrawled',
      `The crawl ${busy} is fetching ${host} now, one page after the other. Use get_page or search_crawl for what it has, or ask again when crawl_status says that it has ended.`,
    );
  }
}

/** The list of crawls may be some seconds old. */
async function isBusy(crawl: Pick<OpenedCrawl, 'host' | 'summary'>, host: string): Promise<boolean> {
  const { waiting } = await crawl.host(host).catch(() => ({ waiting: 0 }));
  return waiting > 0 && (await crawl.summary()).state === 'running';
}

/** Stands around each request, those of redirects, robots.txt and sitemaps too. */
function guard({ config, hosts, use, log }: LiveSettings): FetchMiddleware {
  const clock = new HostClock(config.delayMs);
  return async (request, next) => {
    const { url, signal } = request;
    const refused = (message: string) => {
      log(`refused ${url}: ${message}`);
      return failureOf(request, { reason: 'blockedAddress', message });
    };
    if (!(await hosts.isAllowed(url)))
      return refused(`${hostKey(url)} is not among the hosts that the operator allows (--allow-hosts)`);
    try {
      use.takePage();
    } catch (error) {
      if (error instanceof ToolError) return refused(error.message);
      throw error;
    }
    await clock.wait(hostKey(url), signal);
    log(`GET ${url}`);
    const outcome = await next(request);
    if (outcome.status === 'response') use.addBytes(outcome.body.size);
    return outcome;
  };
}

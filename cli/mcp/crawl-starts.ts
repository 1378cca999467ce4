/** Crawls that agents begin: bounded by the operator, on their own once begun. */
import type { CrawlOptions } from '../../shared/core/crawl/crawl-options.ts';
import { hostKey, hostName, origin } from '../../shared/core/url/host-key.ts';
import { registrableDomain } from '../../shared/core/url/registrable-domain.ts';
import type { Crawls } from './crawls.ts';
import type { DayUse } from './day-use.ts';
import { ToolError } from './tool-error.ts';

export interface AskedCrawl {
  readonly url: string;
  readonly maxPages: number;
  readonly scope: 'prefix' | 'host' | 'domain';
  readonly everyMs?: number | undefined;
}

export interface BegunByAgent {
  readonly crawl: string;
  readonly maxPages: number;
  /** At most, at the pace of one host. */
  readonly minutes: number;
  /** At most; 0 on this machine. */
  readonly dollars: number;
}

/** Begins a crawl in a folder or on a stack, and returns its name once its state is stored: from then on it can be resumed. */
export type BeginCrawl = (url: string, options: CrawlOptions) => Promise<string>;

export interface CrawlStartsSettings {
  readonly begin: BeginCrawl;
  readonly crawls: Crawls;
  readonly use: DayUse;
  /** Settings of requests, without secrets. */
  readonly config: CrawlOptions & { readonly delayMs: number };
  readonly isOnStack: boolean;
}

const MINUTE_MS = 60_000;

export class CrawlStarts {
  readonly #settings: CrawlStartsSettings;

  constructor(settings: CrawlStartsSettings) {
    this.#settings = settings;
  }

  async begin({ url, maxPages, scope, everyMs }: AskedCrawl): Promise<BegunByAgent> {
    const { begin, crawls, use, config, isOnStack } = this.#settings;
    const { maxBytes, maxCost } = use.takeCrawl(maxPages);
    const crawl = await begin(url, {
      ...config,
      // An archive has pages as they are.
      preferMarkdown: false,
      ...boundsOf(url, scope),
      scope,
      maxPages,
      maxBytes: Math.max(1, maxBytes),
      ...(isOnStack && { maxCost }),
      ...(everyMs !== undefined && { recrawlEveryMs: everyMs }),
    });
    use.noteBegun(crawl);
    crawls.forgetList();
    const minutes = Math.ceil((maxPages * config.delayMs) / MINUTE_MS);
    return { crawl, maxPages, minutes, dollars: isOnStack ? maxCost : 0 };
  }

  /** Throws {@link ToolError} for a crawl that no agent has begun here. */
  async stop(
    crawl: string,
  ): Promise<{ readonly crawl: string; readonly state: string; readonly pages: number }> {
    const { crawls, use } = this.#settings;
    return crawls.with(crawl, async (opened) => {
      if (!use.hasBegun(crawl))
        throw new ToolError(
          'notBegunHere',
          `The crawl ${crawl} was not begun by an agent, so only its operator stops it.`,
        );
      const { state, pages } = await opened.stop();
      crawls.forgetList();
      return { crawl, state, pages };
    });
  }
}

/** No request leaves the site that the operator allows, wherever a seed redirects to. */
function boundsOf(url: string, scope: AskedCrawl['scope']): CrawlOptions {
  const name = hostName(hostKey(url));
  const domain = registrableDomain(hostKey(url));
  if (domain === undefined) return { exclude: [`^(?!${escaped(origin(url))}/)`] };
  return { domains: [scope === 'domain' ? domain : name.replace(/^www\./, '')] };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

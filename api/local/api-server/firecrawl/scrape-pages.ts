import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { parseSeed } from '../../../../shared/core/url/parse-seed.ts';
import type { PageContext } from '../../../../shared/services/project/project.ts';
import { openPages } from '../../../open-pages.ts';
import type { PageSession } from '../../../page-session.ts';
import { RequestRefused } from './refused-fields.ts';
import type { RequestHeaders, ScrapeOptions } from './scrape-options.ts';

interface Shared {
  readonly session: Promise<PageSession>;
  /** The headers that it sends, and where to. */
  readonly headers: string;
  /** Pages that are being fetched. */
  pages: number;
}

const DEFAULT_DELAY_MS = 1000;
const NO_HEADERS = '{}';

/** Single pages by a session that keeps the pace of hosts, their robots.txt, and the last pages. */
export class ScrapePages {
  readonly #settings: CrawlOptions;
  #current: Shared | undefined;
  #isClosed = false;

  constructor(settings: CrawlOptions) {
    this.#settings = settings;
  }

  /**
   * A page that was read up to `maxAge` ms ago with the same headers may be given again. Throws `PageNotRead`, and
   * {@link RequestRefused} when it is late.
   */
  async get(
    url: string,
    headers: RequestHeaders,
    { maxAge, timeout }: Pick<ScrapeOptions, 'maxAge' | 'timeout'>,
  ): Promise<PageContext> {
    const ending = new AbortController();
    const late = sleep(timeout, undefined, { signal: ending.signal }).then(() => {
      throw new RequestRefused('timeout', `${url} was not read within ${timeout} ms`, 408);
    });
    try {
      return await Promise.race([this.#get(url, headersAt(url, headers), maxAge), late]);
    } finally {
      ending.abort();
      late.catch(() => {});
    }
  }

  /** Pages that are being fetched are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#current?.session;
    this.#current = undefined;
    await (await session)?.close();
  }

  async #get(url: string, headers: string, maxAge: number): Promise<PageContext> {
    const askedAt = Date.now();
    const page = await this.#fetch(url, headers);
    const { startedAt, endedAt } = page.response;
    if (startedAt >= askedAt || askedAt - endedAt <= maxAge) return page;
    // The session has it from before: the next one requests it again.
    if (this.#current) await this.#replace(this.#current);
    return this.#fetch(url, headers);
  }

  /** The next session does not know the pace of hosts, so it begins after a pause. */
  async #replace(old: Shared): Promise<void> {
    if (old === this.#current) this.#current = undefined;
    if (old.pages === 0) await (await old.session).close();
    await sleep(this.#settings.delayMs ?? DEFAULT_DELAY_MS);
  }

  async #fetch(url: string, headers: string): Promise<PageContext> {
    while (this.#current && this.#current.headers !== headers) await this.#replace(this.#current);
    if (this.#isClosed) throw new RequestRefused('url', 'The server ends', 503);
    this.#current ??= { session: openPages(this.#settingsWith(headers)), headers, pages: 0 };
    const shared = this.#current;
    shared.pages++;
    try {
      return await (await shared.session).fetch(url);
    } finally {
      shared.pages--;
      if (shared !== this.#current && shared.pages === 0) await (await shared.session).close();
    }
  }

  #settingsWith(headers: string): CrawlOptions {
    if (headers === NO_HEADERS) return this.#settings;
    return { ...this.#settings, headers: { ...this.#settings.headers, ...JSON.parse(headers) } };
  }
}

/** By https alone, if the URL is one. */
function headersAt(url: string, headers: RequestHeaders): string {
  if (Object.keys(headers).length === 0) return NO_HEADERS;
  const { protocol, host, origin } = URL.parse(parseSeed(url) ?? url) ?? {};
  const pattern = protocol === 'https:' ? origin : host;
  if (!pattern) throw new RequestRefused('url', 'Expected url to be a URL');
  return JSON.stringify({ [pattern]: headers });
}

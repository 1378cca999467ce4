import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { PageContext } from '../../../../shared/services/project/project.ts';
import { openPages } from '../../../open-pages.ts';
import type { PageSession } from '../../../page-session.ts';
import { RequestRefused } from './refused-fields.ts';

interface Shared {
  readonly session: Promise<PageSession>;
  /** Pages that are being fetched. */
  pages: number;
}

const DEFAULT_DELAY_MS = 1000;

/** Single pages by a session that keeps the pace of hosts, their robots.txt, and the last pages. */
export class ScrapePages {
  readonly #settings: CrawlOptions;
  #current: Shared | undefined;

  constructor(settings: CrawlOptions) {
    this.#settings = settings;
  }

  /** A page that was read up to `maxAge` ms ago may be given again. Throws `PageNotRead`, and {@link RequestRefused} when it is late. */
  async get(url: string, maxAge: number, timeout: number): Promise<PageContext> {
    const ending = new AbortController();
    const late = sleep(timeout, undefined, { signal: ending.signal }).then(() => {
      throw new RequestRefused('timeout', `${url} was not read within ${timeout} ms`, 408);
    });
    try {
      return await Promise.race([this.#get(url, maxAge), late]);
    } finally {
      ending.abort();
      late.catch(() => {});
    }
  }

  /** Pages that are being fetched are rejected. */
  async close(): Promise<void> {
    const session = this.#current?.session;
    this.#current = undefined;
    await (await session)?.close();
  }

  async #get(url: string, maxAge: number): Promise<PageContext> {
    const askedAt = Date.now();
    const page = await this.#fetch(url);
    const { startedAt, endedAt } = page.response;
    if (startedAt >= askedAt || askedAt - endedAt <= maxAge) return page;
    // The session has it from before: the next one requests it again, after the pause of its host.
    const old = this.#current;
    this.#current = undefined;
    if (old?.pages === 0) await (await old.session).close();
    await sleep(this.#settings.delayMs ?? DEFAULT_DELAY_MS);
    return this.#fetch(url);
  }

  async #fetch(url: string): Promise<PageContext> {
    this.#current ??= { session: openPages(this.#settings), pages: 0 };
    const shared = this.#current;
    shared.pages++;
    try {
      return await (await shared.session).fetch(url);
    } finally {
      shared.pages--;
      if (shared !== this.#current && shared.pages === 0) await (await shared.session).close();
    }
  }
}

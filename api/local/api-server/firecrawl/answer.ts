/** Answers Firecrawl's calls, versions 1 and 2, so that programs with a field for its address work with Strand. */
import type { IncomingMessage } from 'node:http';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { InvalidConfig } from '../../../../shared/core/crawl/invalid-config.ts';
import { ControlError } from '../../../../shared/services/control/control.ts';
import type { ApiAnswer } from '../../../../shared/services/http-api/routes.ts';
import { mapSite } from '../../../map-site.ts';
import type { FolderControl } from '../folder-control.ts';
import { readBatchRequest, readCrawlRequest, urlIn } from './crawl-request.ts';
import { type JobEventsOptions, type JobWebhook, openJobEvents, readWebhook } from './job-webhook.ts';
import { Jobs } from './jobs.ts';
import { readMapRequest } from './map-request.ts';
import { firecrawlDocument } from './page-document.ts';
import { isObject, RequestRefused, refuseOthers } from './refused-fields.ts';
import { readHeaders, readScrapeOptions, SCRAPE_FIELDS } from './scrape-options.ts';
import { ScrapePages } from './scrape-pages.ts';
import { announceJob, watchJob } from './watch-job.ts';
import type { WatchSocket } from './watch-socket.ts';

export interface FirecrawlRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** That of this server: `http://127.0.0.1:3002`. */
  readonly origin: string;
}

export interface FirecrawlOptions {
  readonly control: FolderControl;
  readonly folder: string;
  readonly settings: CrawlOptions;
  /** The token of the server, which signs webhooks. */
  readonly token: string | undefined;
  readonly onError: (error: unknown) => void;
}

type Fields = Readonly<Record<string, unknown>>;
const ok = (body: Fields): ApiAnswer => ({ status: 200, body: { success: true, ...body } });
const failed = (status: number, error: string, more: Fields = {}): ApiAnswer => ({
  status,
  body: { success: false, error, ...more },
});

export class Firecrawl {
  readonly #options: FirecrawlOptions;
  readonly #jobs: Jobs;
  readonly #pages: ScrapePages;
  readonly #ending = new AbortController();
  readonly #announcing = new Set<Promise<void>>();

  constructor(options: FirecrawlOptions) {
    this.#options = options;
    this.#jobs = new Jobs(options.control, options.folder);
    this.#pages = new ScrapePages({ preferMarkdown: true, ...options.settings });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#pages.close(), ...this.#announcing]);
  }

  /** Sends a job's documents to a client as they come. Returns whether the request asks for that. */
  watch(
    { url = '' }: IncomingMessage,
    open: () => WatchSocket | undefined,
    onError: (error: unknown) => void,
  ): boolean {
    const [, version, id] = /^\/v([12])\/(?:crawl|batch\/scrape)\/([0-9a-f-]{36})(?:\?|$)/.exec(url) ?? [];
    if (id === undefined) return false;
    const socket = open();
    if (socket === undefined) return false;
    watchJob(this.#jobs, id, version === '1' ? 1 : 2, socket).catch((error: Error) => {
      if (!(error instanceof RequestRefused)) onError(error);
      const shown = error instanceof RequestRefused ? error.message : 'Something failed on our side';
      socket.close(JSON.stringify({ type: 'error', error: shown }));
    });
    return true;
  }

  /** Never rejects. */
  async answer(request: FirecrawlRequest, onError: (error: unknown) => void): Promise<ApiAnswer> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (error instanceof RequestRefused) return failed(error.status, error.message, { field: error.field });
      if (error instanceof ControlError)
        return failed(error.code === 'notFound' ? 404 : 400, error.message, { field: error.field });
      if (error instanceof InvalidConfig) return failed(400, error.message);
      if ((error as Error).name === 'PageNotRead') return failed(500, (error as Error).message);
      onError(error);
      return failed(500, 'Something failed on our side. Try again');
    }
  }

  async #answer({ method, path, query, body, origin }: FirecrawlRequest): Promise<ApiAnswer> {
    const [, number, rest = ''] = /^\/v([12])\/(.*)$/.exec(path) ?? [];
    const version = number === '1' ? 1 : 2;
    const [, things, id, part] =
      /^(crawl|batch\/scrape)(?:\/([0-9a-f-]{36})(?:\/(errors))?)?$/.exec(rest) ?? [];
    if (method === 'POST') {
      if (rest === 'scrape') return this.#scrape(fieldsIn(body));
      if (rest === 'map') return this.#map(fieldsIn(body), version);
      if (things !== undefined && id === undefined)
        return this.#begin(things, fieldsIn(body), `${origin}/v${version}/${things}`);
    }
    if (things !== undefined && id !== undefined) {
      // The client of version 1 asks by DELETE.
      if (part === 'errors' && (method === 'GET' || method === 'DELETE'))
        return ok({ ...(await this.#jobs.errors(id)) });
      if (method === 'GET') return this.#status(id, query, `${origin}${path}`);
      if (method === 'DELETE') {
        await this.#jobs.cancel(id);
        return ok({ status: 'cancelled' });
      }
    }
    return failed(404, `Strand does not do this: ${method} ${path.slice(0, 200)}`);
  }

  async #scrape(fields: Fields): Promise<ApiAnswer> {
    refuseOthers(fields, ['url', ...SCRAPE_FIELDS]);
    const url = urlIn(fields);
    const options = readScrapeOptions(fields);
    const page = await this.#pages.get(url, readHeaders(fields), options);
    return ok({ data: firecrawlDocument(page, url, options) });
  }

  async #map(fields: Fields, version: 1 | 2): Promise<ApiAnswer> {
    const { options, timeout, dropsQueries } = readMapRequest(fields, version);
    const signal = AbortSignal.timeout(timeout);
    const urls: string[] = [];
    try {
      for await (const { url } of mapSite(urlIn(fields), { ...this.#options.settings, ...options, signal }))
        if (!dropsQueries || !url.includes('?')) urls.push(url);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new RequestRefused('timeout', `The map was not ready within ${timeout} ms`, 408);
    }
    return ok({ links: version === 1 ? urls : urls.map((url) => ({ url })) });
  }

  async #begin(things: string, fields: Fields, at: string): Promise<ApiAnswer> {
    const settings = { preferMarkdown: true, documents: false };
    if (things === 'crawl') {
      const request = readCrawlRequest(fields);
      const webhook = this.#webhookOf(fields);
      const id = await this.#jobs.begin({ ...request, config: { ...settings, ...request.config } });
      if (webhook) this.#announce(id, 'crawl', webhook);
      return ok({ id, url: `${at}/${id}` });
    }
    const { invalid, ...request } = readBatchRequest(fields);
    const webhook = this.#webhookOf(fields);
    const id = await this.#jobs.begin({ ...request, config: { ...settings, ...request.config } });
    if (webhook) this.#announce(id, 'batch_scrape', webhook);
    return ok({ id, url: `${at}/${id}`, ...(invalid.length > 0 && { invalidURLs: invalid }) });
  }

  #webhookOf(fields: Fields): JobWebhook | undefined {
    const webhook = readWebhook(fields);
    if (webhook === undefined || this.#options.token !== undefined) return webhook;
    throw new RequestRefused(
      'webhook',
      'Webhooks are signed by the token: start strand api with --token FILE',
    );
  }

  #announce(id: string, kind: JobEventsOptions['kind'], webhook: JobWebhook): void {
    const { settings, token: secret = '', onError } = this.#options;
    const { signal } = this.#ending;
    const events = openJobEvents({ ...{ id, kind, webhook, secret, settings, signal, onError } });
    const work = announceJob(this.#jobs, id, signal, events)
      .catch(onError)
      .finally(() => events[Symbol.asyncDispose]());
    this.#announcing.add(work);
    void work.finally(() => this.#announcing.delete(work));
  }

  async #status(id: string, query: URLSearchParams, at: string): Promise<ApiAnswer> {
    const skip = query.get('skip') ?? '0';
    if (!/^\d{1,9}$/.test(skip)) throw new RequestRefused('skip', 'Expected skip to be a whole number');
    const { next, ...status } = await this.#jobs.status(id, Number(skip));
    return ok({
      ...status,
      creditsUsed: 0,
      expiresAt: NEVER,
      ...(next !== undefined && { next: `${at}?skip=${next}` }),
    });
  }
}

/** Jobs stay until their folders are deleted. */
const NEVER = '9999-12-31T23:59:59.000Z';

function fieldsIn(body: string): Fields {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch (cause) {
    throw new RequestRefused('body', `Expected a body of JSON: ${(cause as Error).message}`);
  }
  if (isObject(given)) return given;
  throw new RequestRefused('body', 'Expected the body to be an object');
}

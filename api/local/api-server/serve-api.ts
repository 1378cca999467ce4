/** The API of a stack over folders of this machine, on loopback, and Firecrawl's calls beside it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { CRAWL_ID } from '../../../shared/core/crawl/crawl-id.ts';
import { makeFolders } from '../../../shared/engines/local/make-folders.ts';
import { type ApiAnswer, handleRequest } from '../../../shared/services/http-api/routes.ts';
import { openLoopback, readBody } from '../loopback-server.ts';
import { describeOwn } from './describe-own.ts';
import { Series, sendEvents } from './events.ts';
import { Firecrawl } from './firecrawl/answer.ts';
import { openWatchSocket } from './firecrawl/watch-socket.ts';
import { FolderControl } from './folder-control.ts';
import { readToken, refusalOf } from './guard.ts';

export interface ServeApiOptions {
  /** The folder of the crawls' folders. It is made if it is not there. */
  readonly folder: string;
  /** Settings of each crawl and request, unless a call has others. */
  readonly settings: CrawlOptions;
  /** Default: any that is free. */
  readonly port?: number;
  /** A file with the token that each request must have. Default: none is needed. */
  readonly tokenFile?: string | undefined;
  /** Called with errors on our side. */
  readonly onError: (error: unknown) => void;
}

export interface ApiServer extends AsyncDisposable {
  /** `http://127.0.0.1:3002` */
  readonly url: string;
  /** Interrupts the crawls, which store what they have fetched. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 4_000_000;
const HEADERS = {
  'content-type': 'application/json',
  // Answers are about this moment, and none is a page.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Throws `InvalidConfig` for settings and a token that cannot be. */
export async function serveApi({
  folder,
  settings,
  port = 0,
  tokenFile,
  onError,
}: ServeApiOptions): Promise<ApiServer> {
  parseConfig(settings);
  const token = tokenFile === undefined ? undefined : readToken(tokenFile);
  makeFolders(folder);
  const series = new Series();
  const control = new FolderControl({
    folder,
    settings,
    onError,
    onRunning: (crawl, running) => series.follow(crawl, running),
  });
  await control.continueExports();
  const firecrawl = new Firecrawl({ control, folder, settings, token, onError });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, token);
    if (refusal) return send(response, failure(request.url, refusal.status, refusal.message));
    const bytes = await readBody(request, MAX_BODY_BYTES);
    if (bytes === undefined)
      return send(response, failure(request.url, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes`), {
        connection: 'close',
      });
    const body = bytes.toString('utf8');
    const { method = 'GET' } = request;
    const origin = `http://${request.headers.host}`;
    const target = targetOf(request.url ?? '/', origin);
    if (target === null) return send(response, failure(request.url, 400, 'Expected a path of this server'));
    const { pathname: path, searchParams: query } = target;
    const [, crawl = '', own] = /^\/crawls\/([^/]+)\/(events|series)$/.exec(path) ?? [];
    if (method === 'GET' && own === 'series' && CRAWL_ID.test(crawl))
      return send(response, { status: 200, body: { crawl, samples: series.of(crawl) } });
    if (method === 'GET' && own === 'events' && CRAWL_ID.test(crawl)) {
      const running = control.runningOf(crawl);
      if (running) return sendEvents(running, response);
      return send(response, failure(request.url, 404, `No crawl ${crawl} runs in this process`));
    }
    if (method === 'GET' && path === '/openapi.json')
      return send(response, { status: 200, body: describeOwn(token !== undefined) });
    if (/^\/v[12]\//.test(path))
      return send(response, await firecrawl.answer({ method, path, query, body, origin }, onError));
    const asked = { method, path, query: Object.fromEntries(query), body };
    return send(response, await handleRequest(control, asked, onError));
  }

  /** The only other protocol is that of a job's watchers. */
  function upgrade(request: IncomingMessage, socket: Duplex): void {
    const status = refusalOf(request, token)?.status;
    const open = () => openWatchSocket(request, socket);
    if (status === undefined && firecrawl.watch(request, open, onError)) return;
    socket.end(`HTTP/1.1 ${status ?? 404} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error) => {
      // The client left, or its request broke off.
      if (response.destroyed || !request.complete) return;
      onError(error);
      if (response.headersSent) response.destroy();
      else send(response, failure(request.url, 500, 'The server failed'));
    });
  };
  const server = await openLoopback(port, onRequest, { upgrade });

  async function close(): Promise<void> {
    await Promise.all([control.close(), firecrawl.close()]);
    series.close();
    await server.close();
  }
  return { url: server.origin, close, [Symbol.asyncDispose]: close };
}

/** A path that begins with two slashes names no host. */
const targetOf = (url: string, origin: string): URL | null =>
  URL.parse(url.startsWith('/') ? origin + url : url, origin);

function send(
  response: ServerResponse,
  { status, body, headers }: ApiAnswer,
  more: Record<string, string> = {},
): void {
  response.writeHead(status, { ...HEADERS, ...headers, ...more }).end(JSON.stringify(body));
}

const CODES: Readonly<Record<number, string>> = { 404: 'notFound', 413: 'tooLarge', 500: 'internal' };

/** In the form in which errors of the route are described. */
const failure = (target: string | undefined, status: number, message: string): ApiAnswer => ({
  status,
  body: /^\/v[12]\//.test(target ?? '/')
    ? { success: false, error: message }
    : { error: { code: CODES[status] ?? 'invalid', message } },
});

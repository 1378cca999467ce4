/** A site whose pages are rendered by scripts, with a log that says who asked. */
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { BEHAVIOUR_PAGES } from './pages/behaviours.ts';
import { type EscapePorts, escapePages } from './pages/escapes.ts';
import { HOSTILE_PAGES } from './pages/hostile.ts';
import { loadingPages } from './pages/loading.ts';
import { DRAWN_PAGES } from './pages/rendered.ts';
import { RESOURCES, redirect, type SiteAnswer, type SiteRequest } from './resources.ts';
import type { ScriptedPage } from './scripted-page.ts';

export const HOST = '127.0.0.1';
/** The crawler's requests have it. A request without it was made by a browser itself. */
export const CRAWLERS_HEADER = 'x-crawler';

/** The site, as one who visits it knows it. */
export interface KnownSite {
  readonly origin: string;
  readonly pages: readonly ScriptedPage[];
  urlOf(page: ScriptedPage): string;
  answerOf(page: ScriptedPage): SiteAnswer;
}

export interface ScriptedSite extends KnownSite {
  readonly ports: EscapePorts;
  /** Everything that came in other ways than by the crawler since the last call: requests, connections, datagrams. */
  takeEscapes(): string[];
  close(): Promise<void>;
}

/** The site that is open at these ports. */
export const siteOf = (ports: EscapePorts): KnownSite => ({
  origin: `http://${HOST}:${ports.http}`,
  pages: [
    ...DRAWN_PAGES,
    ...loadingPages(ports.http),
    ...BEHAVIOUR_PAGES,
    ...HOSTILE_PAGES,
    ...escapePages(ports),
  ],
  urlOf: ({ name }) => `http://${HOST}:${ports.http}/page/${name}`,
  answerOf: pageAnswer,
});

export async function openScriptedSite(): Promise<ScriptedSite> {
  let escapes: string[] = [];
  let byName = new Map<string, ScriptedPage>();
  const server = createServer((request, response) => void answer(request, response));
  const raw = createRawServer((socket) => {
    escapes.push(`connection to ${socket.localAddress}`);
    socket.destroy();
  });
  // A connection by itself is an escape where the crawler does not go.
  server.on('connection', ({ localAddress = '' }) => {
    const address = localAddress.replace('::ffff:', '');
    if (address !== HOST && address !== '127.0.0.2') escapes.push(`connection to ${address}`);
  });
  server.on('upgrade', ({ url }, socket) => {
    escapes.push(`WebSocket ${url}`);
    socket.destroy();
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await Readable.from(request).toArray();
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? HOST}`);
    const { method = 'GET', headers } = request;
    if (headers[CRAWLERS_HEADER] === undefined) escapes.push(`${method} ${url.href}`);
    const asked: SiteRequest = { url, method, headers, body: Buffer.concat(body as Buffer[]) };
    await send(response, answerTo(asked, byName));
  }

  await listen(server);
  await listen(raw);
  const { port } = server.address() as AddressInfo;
  const rawPort = (raw.address() as AddressInfo).port;
  const udp = await openDatagrams(rawPort, (text) => escapes.push(text));
  const ports = { http: port, raw: rawPort };
  const known = siteOf(ports);
  byName = new Map(known.pages.map((page) => [page.name, page]));
  return {
    ...known,
    ports,
    takeEscapes() {
      const taken = escapes;
      escapes = [];
      return taken;
    },
    async close() {
      udp.close();
      server.closeAllConnections();
      await Promise.all([server, raw].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}

function answerTo(asked: SiteRequest, pages: ReadonlyMap<string, ScriptedPage>): SiteAnswer {
  const { pathname } = asked.url;
  const page = pages.get(/^\/page\/([^/]+)$/.exec(pathname)?.[1] ?? '');
  if (page !== undefined) return pageAnswer(page);
  if (pathname.startsWith('/leaf/')) return { type: 'text/html', body: `<title>Leaf</title>${pathname}` };
  return RESOURCES[pathname]?.(asked) ?? redirect(asked) ?? { status: 404, type: 'text/plain', body: 'none' };
}

function pageAnswer({
  html,
  status = 200,
  type = 'text/html',
  headers = {},
  encoding,
}: ScriptedPage): SiteAnswer {
  const body = Buffer.from(html);
  if (encoding === undefined) return { status, type, headers, body };
  return { status, type, headers: { ...headers, 'content-encoding': encoding }, body: gzipSync(body) };
}

async function send(
  response: ServerResponse,
  { status = 200, type, body = '', headers = {} }: SiteAnswer,
): Promise<void> {
  response.writeHead(status, { ...(type !== undefined && { 'content-type': type }), ...headers });
  if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body);
  // The client breaks off what does not end.
  else await pipeline(body, response).catch(() => {});
}

const listen = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.listen(0, '::', resolve);
  });

async function openDatagrams(port: number, onEscape: (text: string) => void): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (_, { address }) => onEscape(`datagram from ${address}`));
  await new Promise<void>((resolve) => {
    socket.bind(port, '0.0.0.0', resolve);
  });
  return socket;
}

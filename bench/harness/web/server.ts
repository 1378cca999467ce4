/**
 * Serves the generated web from memory: one address of 127.0.0.0/8 for each host, all on one port. Answers
 * are made before; what is left is a look-up and a write, so that the server is faster than any crawler.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { createGraph, type Entry, type Host, ROBOTS, reachable, type Scheme, type WebSize } from './graph.ts';
import { renderPage } from './render.ts';
import { createWebStats, type WebStats } from './stats.ts';

const compress = promisify(gzip);
/** The compression level that servers on the web use. */
const LEVEL = 5;
const MAX_HEAD_BYTES = 16_384;

interface Answer {
  readonly head: string;
  /** Gzip, where `head` says so. */
  readonly body: Buffer;
  readonly isGzip: boolean;
}

export interface WebServer {
  readonly port: number;
  close(): Promise<void>;
}

const addressOf = (host: number): string => `127.1.${Math.floor(host / 250)}.${2 + (host % 250)}`;

export async function serveWeb(size: WebSize): Promise<WebServer> {
  const hosts = createGraph(size);
  const stats = createWebStats(reachable(hosts, false), reachable(hosts, true));
  const answers = new Map<Entry, Answer>();
  const { scheme = 'http' } = size;
  const serve = listenerOf(scheme);
  const servers = hosts.map(({ entries }) =>
    serve((socket) =>
      converse(socket, (path, takesGzip) => {
        const control = controlOf(path);
        if (control) return control;
        const entry = entries.get(path);
        stats.count(entry);
        return entry ? textOf(answers.get(entry) as Answer, takesGzip) : NOT_FOUND;
      }),
    ),
  );

  const controlOf = (path: string): (Buffer | string)[] | undefined => {
    if (!path.startsWith('/__')) return undefined;
    if (path === '/__reset') stats.reset();
    const body =
      path === '/__seeds'
        ? hosts.map(({ index }) => `${scheme}://${authority(index)}/\n`).join('')
        : statsText(stats);
    return [`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`, body];
  };

  let port = 0;
  const authority = (host: number) => `${addressOf(host)}:${port}`;
  for (const [host, server] of servers.entries()) port = await listen(server, addressOf(host), port);
  for (const host of hosts) await prepare(host, authority, scheme, answers);
  return {
    port,
    async close() {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** All hosts have one certificate, of another name: crawlers accept any. */
function listenerOf(scheme: Scheme): (onSocket: (socket: Socket) => void) => Server {
  if (scheme === 'http') return (onSocket) => createServer({ noDelay: true }, onSocket);
  const read = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../test/crawler/fetcher/certificates', name));
  const [key, cert] = [read('site.test.key.pem'), read('site.test.cert.pem')];
  return (onSocket) => createTlsServer({ key, cert, minVersion: 'TLSv1.3', noDelay: true }, onSocket);
}

function listen(server: Server, address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, 1024, () => resolve((server.address() as { port: number }).port));
  });
}

async function prepare(
  host: Host,
  authority: (host: number) => string,
  scheme: Scheme,
  answers: Map<Entry, Answer>,
): Promise<void> {
  for (const entry of host.entries.values()) {
    const page = entry.kind === 'copy' ? (host.pages[entry.index] as Entry) : entry;
    const text =
      entry.kind === 'robots'
        ? ROBOTS
        : page.kind === 'page'
          ? renderPage(page, authority, scheme)
          : `<html><head><title>${entry.status}</title></head><body><a href="/">home</a></body></html>`;
    const isGzip = page.kind === 'page';
    const body = isGzip ? await compress(text, { level: LEVEL }) : Buffer.from(text);
    answers.set(entry, { head: headOf(entry, (host) => `${scheme}://${authority(host)}`), body, isGzip });
  }
}

function headOf({ host, kind, status, target }: Entry, origin: (host: number) => string): string {
  const type = kind === 'robots' ? 'text/plain' : 'text/html; charset=utf-8';
  const to = target && `Location: ${origin(target.host)}${target.path}\r\n`;
  return (
    `HTTP/1.1 ${status} X\r\nServer: bench\r\nContent-Type: ${type}\r\n${to ?? ''}` +
    'Cache-Control: max-age=300\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: SAMEORIGIN\r\nVary: Accept-Encoding\r\n' +
    `${host % 3 === 1 ? `Set-Cookie: sess=${host}; Path=/; HttpOnly\r\n` : ''}`
  );
}

function textOf({ head, body, isGzip }: Answer, takesGzip: boolean): (Buffer | string)[] {
  const sent = isGzip && !takesGzip ? gunzipSync(body) : body;
  const coding = isGzip && takesGzip ? 'Content-Encoding: gzip\r\n' : '';
  return [
    `${head}${coding}Date: ${new Date().toUTCString()}\r\nContent-Length: ${sent.length}\r\n\r\n`,
    sent,
  ];
}

const NOT_FOUND = ['HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nNot found'];

/** Requests of one connection, one after the other; they have no bodies. */
function converse(
  socket: Socket,
  answer: (path: string, takesGzip: boolean) => readonly (Buffer | string)[],
): void {
  let rest = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    rest += bytes.toString('latin1');
    for (let end = rest.indexOf('\r\n\r\n'); end >= 0; end = rest.indexOf('\r\n\r\n')) {
      const head = rest.slice(0, end);
      rest = rest.slice(end + 4);
      const target = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
      const path = target.startsWith('http://') ? target.slice(target.indexOf('/', 7)) : target;
      const isLast = /\r\nconnection: *close/i.test(head);
      socket.cork();
      for (const part of answer(path, /\r\naccept-encoding:[^\r]*gzip/i.test(head))) socket.write(part);
      socket.uncork();
      if (isLast) socket.end();
    }
    if (rest.length > MAX_HEAD_BYTES) socket.destroy();
  });
}

const statsText = (stats: WebStats): string => JSON.stringify(stats.read());

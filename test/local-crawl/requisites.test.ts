/** The real program: a page whose parts are on another host, and a limit of one page. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { all } from '../all.ts';
import { temporaryFolder } from './local-crawl.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

let place: ReturnType<typeof temporaryFolder>;
const servers: Server[] = [];
beforeEach(() => {
  place = temporaryFolder();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  place.remove();
});

/** Paths to their type and body. What is not among them is missing. */
async function serve(address: string, files: Record<string, readonly [string, string]>): Promise<string> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? ''];
    if (file) response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
    else response.writeHead(404).end();
  });
  servers.push(server);
  server.listen(0, address);
  await once(server, 'listening');
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}

function strand(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { timeout: 100_000 }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

test.each(['1', '2'])('a limit of one page gives that page whole, by %s worker threads', async (workers) => {
  const cdn = await serve('127.0.0.2', {
    '/s.css': ['text/css', '@import "more.css"; a { background: url(bg.png) }'],
    '/more.css': ['text/css', '@font-face { src: url(font.woff2) }'],
    '/bg.png': ['image/png', '1'],
    '/font.woff2': ['font/woff2', '2'],
  });
  const site = await serve('127.0.0.1', {
    '/': [
      'text/html',
      `<link rel=stylesheet href=${cdn}/s.css><img src=/own.png><a href=/2>x</a><a href=/3>x</a>`,
    ],
    '/own.png': ['image/png', '3'],
    '/2': ['text/html', '<img src=/other.png>'],
    '/3': ['text/html', ''],
  });
  const options = ['--allow-private-addresses', '--delay', '0', '--no-adaptive', '--out', place.folder];
  const limits = ['--requisites', '--max-pages', '1', '--workers', workers, '--json'];
  const { out, err } = await strand('crawl', `${site}/`, ...options, ...limits);
  expect(JSON.parse(out), err).toMatchObject({
    pages: 1,
    state: 'limited',
    reason: '1 pages',
    requisites: { fetched: 5, waiting: 0 },
  });
  await using stored = await openCrawl(place.folder);
  const rows = await all(stored.urls());
  const fetched = rows.filter(({ status }) => status === 'fetched');
  expect(fetched.map(({ url, kind }) => [url, kind ?? 'page']).sort()).toEqual(
    [
      [`${site}/`, 'page'],
      [`${site}/own.png`, 'requisite'],
      ...['s.css', 'more.css', 'bg.png', 'font.woff2'].map((path) => [`${cdn}/${path}`, 'requisite']),
    ].sort(),
  );
  expect(fetched.every(({ warcFile }) => warcFile !== undefined)).toBe(true);
});

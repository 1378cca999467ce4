/** Sessions of pages under load, before hostile sites, and at their ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openCrawl, openPages, type PageSessionOptions, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

interface Site {
  readonly origin: string;
  readonly log: { readonly path: string; readonly at: number }[];
}

/** Counts its requests until the test ends. */
async function serve(address: string, answer: RequestListener): Promise<Site> {
  const log: Site['log'] = [];
  const server = createServer((request, response) => {
    log.push({ path: request.url ?? '', at: performance.now() });
    response.setHeader('content-type', 'text/html');
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else answer(request, response);
  }).listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://${address}:${(server.address() as AddressInfo).port}`, log };
}

const TEXT = 'A sentence that says something, so that it counts as the content of its page. '.repeat(5);
const pageOf = (path: string | undefined) =>
  `<title>${path}</title><main><h1>${path}</h1><p>${TEXT}</p></main>`;
const answerPages: RequestListener = ({ url }, response) => void response.end(pageOf(url));

async function open(options: PageSessionOptions = {}) {
  const pages = await openPages({ ...QUICK, ...options });
  onTestFinished(() => pages.close());
  return pages;
}

test('a further page of a host waits its pace, and robots.txt is not fetched again', async () => {
  const { origin, log } = await serve('127.78.1.1', answerPages);
  const pages = await open({ delayMs: 150 });
  for (const path of ['/a', '/b', '/c']) await pages.fetch(`${origin}${path}`);
  expect(log.map(({ path }) => path)).toEqual(['/robots.txt', '/a', '/b', '/c']);
  for (const [i, { at }] of log.entries()) if (i > 0) expect(at - log[i - 1]!.at).toBeGreaterThan(140);
});

test('fifty pages of three hosts at once are each fetched once, at the pace of their hosts', async () => {
  const sites = await Promise.all([1, 2, 3].map((n) => serve(`127.78.2.${n}`, answerPages)));
  const pages = await open({ delayMs: 20 });
  const urls = Array.from({ length: 50 }, (_, i) => `${sites[i % 3]!.origin}/${i}`);
  const titles = await Promise.all([...urls, ...urls].map(async (url) => (await pages.read(url)).title));
  expect(titles).toEqual([...urls, ...urls].map((url) => new URL(url).pathname));
  for (const { log } of sites) {
    expect(new Set(log.map(({ path }) => path)).size).toBe(log.length);
    for (const [i, { at }] of log.entries()) if (i > 0) expect(at - log[i - 1]!.at).toBeGreaterThan(15);
  }
  expect(sites.flatMap(({ log }) => log)).toHaveLength(50 + 3);
});

test('a page reads as it does in a crawl, and names no archive', async () => {
  const { origin } = await serve('127.78.3.1', answerPages);
  const folder = mkdtempSync(join(tmpdir(), 'strand-page-sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const out = join(folder, 'c');
  await (await startCrawl({ ...QUICK, seeds: [`${origin}/a`], out })).done;
  await using crawl = await openCrawl(out);
  const { value } = await crawl.documents()[Symbol.asyncIterator]().next();
  const { location, fetchedAt: _, ...expected } = value;
  expect(location).toBeDefined();
  const { fetchedAt, ...document } = await (await open()).read(`${origin}/a`);
  expect(document).toEqual(expected);
  expect(document).not.toHaveProperty('location');
  expect(Date.now() - Date.parse(fetchedAt)).toBeLessThan(600_000);
  const archived = await openPages(out);
  expect(await archived.read(`${origin}/a`)).toMatchObject({ ...document, location });
});

function* pieces() {
  for (;;) yield '<p>more</p>'.repeat(1000);
}

test('an endless body is cut at its limit, and the session goes on', async () => {
  const { origin } = await serve('127.78.4.1', ({ url }, response) => {
    if (url !== '/endless') return void response.end(pageOf(url));
    Readable.from(pieces()).pipe(response);
  });
  const pages = await open({ maxBodyBytes: 100_000 });
  const [endless, other] = await Promise.all([pages.fetch(`${origin}/endless`), pages.fetch(`${origin}/a`)]);
  expect(endless.response.truncated).toBe('length');
  expect(endless.body).toHaveLength(100_000);
  expect(other.title).toBe('/a');
});

test.each([
  ['an address of the machine', 'http://169.254.169.254/latest/meta-data/', 'not of the public internet'],
  ['a port that browsers refuse', 'http://127.78.5.1:25/', 'browsers refuse its port'],
  ['no web address', 'file:///etc/passwd', 'which is not an http(s) URL'],
  ['itself, without end', '/moved', 'redirects to'],
  ['another one, and back', '/moved?again', 'redirects to'],
])('a redirect to %s is refused with the reason', async (_, location, reason) => {
  const { origin } = await serve('127.78.5.1', ({ url }, response) => {
    response.writeHead(302, { location: url === '/moved?again' ? '/moved' : location }).end();
  });
  const pages = await open({ allowPrivateAddresses: ['127.78.5.1/32'], retryMs: 1, backoffMs: 1 });
  await expect(pages.read(`${origin}/moved`)).rejects.toThrow(reason);
});

test('a page that blocks its thread is refused, and the others are served', async () => {
  // The operator's regular expression takes time that is exponential in the length of some URLs.
  const exclude = ['/(?:(?=a)a+)+!$'];
  const { origin, log } = await serve('127.78.6.1', answerPages);
  const blocking = `/${'a'.repeat(60)}`;
  const pages = await open({ exclude, blockTimeoutMs: 1000 });
  await pages.fetch(`${origin}/1`);
  const answers = ['/2', blocking, '/3'].map((path) => pages.fetch(`${origin}${path}`));
  expect(await Promise.allSettled(answers)).toMatchObject([
    { value: { title: '/2' } },
    {
      reason: {
        name: 'PageNotRead',
        message: expect.stringContaining('aaa was not read: blocked its thread'),
      },
    },
    { value: { title: '/3' } },
  ]);
  const asked = log.length;
  await expect(pages.fetch(`${origin}${blocking}`)).rejects.toThrow('blocked its thread');
  expect(log).toHaveLength(asked);
});

test('a page that failed is fetched again when it is wanted again', async () => {
  let isUp = false;
  const { origin } = await serve('127.78.7.1', ({ url, socket }, response) => {
    if (isUp) response.end(pageOf(url));
    else socket.destroy();
  });
  const pages = await open({ maxAttempts: 1, backoffMs: 1, retryMs: 1 });
  await expect(pages.read(`${origin}/a`)).rejects.toThrow('was not read');
  isUp = true;
  expect((await pages.read(`${origin}/a`)).title).toBe('/a');
});

test('closing ends what is in progress', async () => {
  const { origin, log } = await serve('127.78.8.1', () => {});
  const pages = await open();
  const fetched = pages.fetch(`${origin}/never`);
  const failed = expect(fetched).rejects.toThrow('The session of pages is closed');
  await expect.poll(() => log.length, { timeout: 60_000 }).toBe(2);
  await pages.close();
  await failed;
  await expect(pages.fetch(`${origin}/b`)).rejects.toThrow('The session of pages is closed');
  expect(log).toHaveLength(2);
});

test('an aborted signal ends what is in progress with its reason', async () => {
  const { origin } = await serve('127.78.8.2', () => {});
  const stop = new AbortController();
  const pages = await open({ signal: stop.signal });
  const fetched = pages.fetch(`${origin}/never`);
  stop.abort(new Error('enough'));
  await expect(fetched).rejects.toThrow('enough');
});

test('wrong settings are refused as those of a crawl', async () => {
  const pages = await open({ delayMs: -1 });
  await expect(pages.read('http://127.78.8.3/')).rejects.toMatchObject({ name: 'InvalidConfig' });
  const anonymous = await open();
  await expect(anonymous.read('https://example.org/')).rejects.toMatchObject({ name: 'NoContact' });
});

/** Runs a program that imports the library as `strand`. */
function run(code: string, folder: string) {
  const library = new URL('../../api/index.ts', import.meta.url).href;
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `import * as strand from ${JSON.stringify(library)};\n${code}`);
  return spawn(process.execPath, [file], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a program ends though it does not close its session, and a killed one leaves no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-page-sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { origin, log } = await serve('127.78.9.1', ({ url }, response) => {
    if (url === '/large') response.write('x'.repeat(3 << 20));
    else response.end(pageOf(url));
  });
  const open = `const pages = await strand.openPages(${JSON.stringify(QUICK)});`;
  const first = run(`${open} console.log((await pages.read('${origin}/a')).title);`, folder);
  const [text] = await once(first.stdout, 'data');
  expect(await once(first, 'close')).toEqual([0, null]);
  expect(String(text)).toBe('/a\n');
  const second = run(`${open} await pages.read('${origin}/large');`, folder);
  await expect.poll(() => log.some(({ path }) => path === '/large'), { timeout: 60_000 }).toBe(true);
  second.kill('SIGKILL');
  await once(second, 'close');
  expect(readdirSync(folder)).toEqual(['program.mjs']);
});

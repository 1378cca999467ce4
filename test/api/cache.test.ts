import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkWarc,
  type EnqueueOptions,
  openCrawl,
  type PageContext,
  resumeCrawl,
  type StartCrawlOptions,
  startCrawl,
} from '../../api/index.ts';
import { scanMembers } from '../../shared/core/archive/scan-members.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A site of these answers, which may be changed while it runs, and what it was asked for: `GET /a`. */
async function openSite(address: string, answers: Record<string, Answer | string>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const known = answers[request.url ?? ''] ?? { status: 404, body: 'not here' };
    const { status = 200, headers, body = '' } = typeof known === 'string' ? { body: known } : known;
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`;
  return {
    url: (path: string) => origin + path,
    /** The paths requested since the last call. */
    asked: () => asked.splice(0).sort(),
    close: () => server.close().closeAllConnections(),
  };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** With a hook that is a function, a crawl needs no thread of its own, which takes a second to start. */
const hooksFor = ({ workers }: StartCrawlOptions) => (workers === undefined ? { onError() {} } : {});

const crawl = async (options: StartCrawlOptions) =>
  (await startCrawl({ ...QUICK, ...hooksFor(options), ...options })).done;

const A_MINUTE = { delayMs: 60_000 };
const HURRIED = { maxCrawlDelayMs: 0 };

/** Crawls into `NAME/first`, and gives the settings of a crawl into `NAME/second` that takes the first as its cache. */
async function crawlFirst(options: StartCrawlOptions, onlyFirst: Partial<StartCrawlOptions> = {}) {
  const folder = newFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const summary = await crawl({ ...options, ...onlyFirst, out: first });
  return { first, second, summary, again: { ...options, out: second, cache: first } };
}

async function capturesOf(folder: string): Promise<string[]> {
  await using stored = await openCrawl(folder);
  const lines: string[] = [];
  for await (const { url, timestamp, status, digest } of stored.captures())
    lines.push(`${url} ${timestamp} ${status} ${digest}`);
  return lines;
}

const warcPaths = (folder: string): string[] =>
  readdirSync(join(folder, 'archive')).map((name) => join(folder, 'archive', name));

/** Overwrites some bytes of each record that the index names. */
async function damage(folder: string): Promise<void> {
  await using stored = await openCrawl(folder);
  for await (const { file, offset } of stored.captures()) {
    const path = join(folder, 'archive', file);
    writeFileSync(path, readFileSync(path).fill(0x41, offset + 40, offset + 60));
  }
}

/** As if the archive had been made years ago. */
async function age(folder: string): Promise<void> {
  for (const path of warcPaths(folder)) {
    const bytes = readFileSync(path);
    const members: Buffer[] = [];
    const read = async (at: number, length: number) => bytes.subarray(at, at + length);
    for await (const { offset, length } of scanMembers(read)) {
      const record = gunzipSync(bytes.subarray(offset, offset + length)).toString('latin1');
      members.push(gzipSync(Buffer.from(record.replace(/WARC-Date: \d{4}/, 'WARC-Date: 2020'), 'latin1')));
    }
    writeFileSync(path, Buffer.concat(members));
  }
  rmSync(join(folder, 'indexes'), { recursive: true });
}

const SITE = {
  '/robots.txt': {
    body: 'User-agent: *\nDisallow: /secret\nCrawl-delay: 20\n',
    headers: { 'content-type': 'text/plain' },
  },
  '/': '<title>home</title><a href="/a">a</a> <a href="/moved">m</a> <a href="/gone">g</a> <a href="/secret">s</a>',
  '/a': { body: '<title>a</title>the same body', headers: { 'x-seen': 'yes' } },
  '/b': '<title>a</title>the same body',
  '/moved': { status: 301, headers: { location: '/b' } },
  '/sitemap.xml': '<urlset><url><loc>ORIGIN/from-sitemap</loc></url></urlset>',
  '/from-sitemap': 'from the sitemap',
};

test('a second crawl asks the site for nothing, and waits for nothing', async () => {
  const site = await openSite('127.71.0.1', SITE);
  const { first, second, summary, again } = await crawlFirst({ seeds: [site.url('/')] }, HURRIED);
  expect(site.asked()).toContain('GET /gone');
  // Its Crawl-delay would make it last a minute and more, and the delay even more.
  const { cache, ...repeated } = await crawl({ ...again, ...A_MINUTE });
  expect(site.asked()).toEqual([]);
  expect(cache).toEqual({ hit: Object.values(summary.httpStatus).reduce((a, b) => a + b) });
  for (const key of ['pages', 'urls', 'byStatus', 'httpStatus', 'skipped', 'errors'] as const)
    expect(repeated[key]).toEqual(summary[key]);
  expect(repeated.bytes).toBe(0);
  expect(await capturesOf(second)).toEqual(await capturesOf(first));
  for (const path of warcPaths(second))
    expect(await checkWarc(path)).toMatchObject({ errors: 0, warnings: 0 });
});

test('its archive says which record each response was copied from', async () => {
  const site = await openSite('127.71.0.2', { '/': 'home' });
  const { first, second, again } = await crawlFirst({ seeds: [site.url('/')] });
  await crawl(again);
  const text = (folder: string) =>
    warcPaths(folder)
      .map((path) => gunzipSync(readFileSync(path)))
      .join('');
  const [, recordId] = /copiedFrom: (<urn:uuid:[^>]+>)\r\n/.exec(text(second)) ?? [];
  expect(text(first)).toContain(`WARC-Type: response\r\nWARC-Record-ID: ${recordId}`);
});

test('hooks get the same pages', async () => {
  const site = await openSite('127.71.0.3', SITE);
  const seen: unknown[] = [];
  const onPage = ({ url, depth, title, links, html, response }: PageContext) => {
    const { startedAt, httpStatus, headers, ipAddress, contentType } = response;
    seen.push({ url, depth, title, links, html, startedAt, httpStatus, headers, ipAddress, contentType });
  };
  const { again } = await crawlFirst({ seeds: [site.url('/')], onPage }, HURRIED);
  const before = seen.splice(0);
  expect(before).toHaveLength(3);
  await crawl(again);
  expect(seen).toEqual(before);
});

test('what has changed is not noticed, and what is new is fetched at the pace of the host', async () => {
  const answers: Record<string, Answer | string> = { '/': '<a href="/a">a</a>', '/a': 'a' };
  const site = await openSite('127.71.0.4', answers);
  const { again } = await crawlFirst({ seeds: [site.url('/')] });
  site.asked();
  Object.assign(answers, { '/': 'changed', '/new': 'new' });
  const { cache, pages } = await crawl({ ...again, seeds: [site.url('/'), site.url('/new')] });
  expect(site.asked()).toEqual(['GET /new']);
  expect([pages, cache]).toEqual([3, { hit: 3, miss: 1 }]);
});

test('limits count pages of the cache, and bytes of the network alone', async () => {
  const site = await openSite('127.71.0.5', {
    '/': '<a href="/a">a</a><a href="/b">b</a>',
    '/a': 'a',
    '/b': 'b',
  });
  const { again } = await crawlFirst({ seeds: [site.url('/')] });
  expect(await crawl({ ...again, maxPages: 2, maxBytes: 1 })).toMatchObject({
    pages: 2,
    reasonCode: 'maxPages',
  });
});

test('a response that asked for another try is not used', async () => {
  const answers: Record<string, Answer | string> = {
    '/': '<a href="/broken">b</a>',
    '/broken': { status: 500, body: 'broken' },
  };
  const site = await openSite('127.71.0.6', answers);
  const { again } = await crawlFirst({ seeds: [site.url('/')], maxAttempts: 1 });
  answers['/broken'] = 'repaired';
  site.asked();
  expect(await crawl(again)).toMatchObject({ pages: 2, httpStatus: { '200': 2, '404': 1 } });
  expect(site.asked()).toEqual(['GET /broken']);
});

test('own requests are repeated by the cache only where they ask for the same thing by GET', async () => {
  const site = await openSite('127.71.0.7', { '/': 'home', '/api': 'answer' });
  const own = (requests: readonly EnqueueOptions[]) => ({
    seeds: [site.url('/')],
    onPage({ url, enqueue }: PageContext) {
      if (url === site.url('/')) for (const request of requests) enqueue(site.url('/api'), request);
    },
  });
  const json = { headers: { accept: 'application/json' } };
  const post: EnqueueOptions = { method: 'POST', body: 'x' };
  const signed = { headers: { authorization: 'Bearer x' } };
  const { again } = await crawlFirst(own([post, json, signed]));
  expect(site.asked()).toEqual(['GET /', 'GET /api', 'GET /api', 'GET /robots.txt', 'POST /api']);
  await crawl({ ...again, ...own([post, json, signed, {}, { headers: { accept: 'text/csv' } }]) });
  // That of the plain request, that of another type, and that with a password.
  expect(site.asked()).toEqual(['GET /api', 'GET /api', 'GET /api', 'POST /api']);
});

test('a body that was cut is fetched again, unless this crawl would cut it there', async () => {
  const site = await openSite('127.71.0.8', { '/': 'x'.repeat(5000) });
  const { first, again } = await crawlFirst({ seeds: [site.url('/')], maxBodyBytes: 2000 });
  site.asked();
  await crawl(again);
  expect(site.asked()).toEqual([]);
  await crawl({ ...again, out: join(first, '..', 'third'), maxBodyBytes: 1000 });
  expect(site.asked()).toEqual([]);
  await crawl({ ...again, out: join(first, '..', 'fourth'), maxBodyBytes: 3000 });
  expect(site.asked()).toEqual(['GET /']);
});

test('large bodies and several threads', async () => {
  const large = Buffer.alloc(3_000_000, 'large ');
  const hosts = ['127.71.0.9', '127.71.1.9', '127.71.2.9'];
  const sites = await Promise.all(
    hosts.map((host) => openSite(host, { '/': '<a href="/large">l</a>', '/large': { body: large } })),
  );
  const { first, second, again } = await crawlFirst({ seeds: sites.map(({ url }) => url('/')), workers: 2 });
  for (const site of sites) expect(site.asked()).toHaveLength(3);
  expect(await crawl({ ...again, ...A_MINUTE })).toMatchObject({ pages: 6, cache: { hit: 9 }, bytes: 0 });
  for (const site of sites) expect(site.asked()).toEqual([]);
  expect((await capturesOf(second)).sort()).toEqual((await capturesOf(first)).sort());
});

test('damaged records are misses, which are counted and named', async () => {
  const site = await openSite('127.71.0.10', { '/': '<a href="/a">a</a>', '/a': 'a' });
  const { first, again } = await crawlFirst({ seeds: [site.url('/')] });
  await damage(first);
  site.asked();
  const messages: string[] = [];
  const { cache, pages } = await crawl({ ...again, onLog: ({ message }) => messages.push(message) });
  expect(pages).toBe(2);
  expect(site.asked()).toEqual(['GET /', 'GET /a', 'GET /robots.txt']);
  expect(cache).toEqual({ unreadable: 3 });
  expect(messages.join('\n')).toMatch(
    /cache's response of .*\/robots\.txt cannot be read, so it is fetched: strand-/,
  );
});

test('a record of another body or another page is damaged, too', async () => {
  const site = await openSite('127.71.0.11', { '/': '<a href="/ab">a</a>', '/ab': 'ab' });
  const { first, again } = await crawlFirst({ seeds: [site.url('/')] });
  const name = readdirSync(join(first, 'indexes')).find((file) => file.endsWith('.cdxj')) as string;
  const index = join(first, 'indexes', name);
  writeFileSync(index, readFileSync(index, 'utf8').replace('/ab"', '/ba"'));
  site.asked();
  expect((await crawl({ ...again, seeds: [site.url('/'), site.url('/ba')] })).cache).toEqual({
    hit: 2,
    miss: 1,
    unreadable: 1,
  });
  expect(site.asked()).toEqual(['GET /ab', 'GET /ba']);
});

test('before a site is asked for what an old cache lacks, it is asked for its robots.txt', async () => {
  const answers: Record<string, Answer | string> = {
    '/robots.txt': 'User-agent: *\nAllow: /',
    '/': '<a href="/a">a</a>',
    '/a': 'a',
    '/new': 'new',
    '/shut': 'shut',
  };
  const site = await openSite('127.71.0.12', answers);
  const { first, second, again } = await crawlFirst({ seeds: [site.url('/')] });
  await age(first);
  site.asked();
  await crawl(again);
  expect(site.asked()).toEqual([]);
  answers['/robots.txt'] = 'User-agent: *\nDisallow: /shut';
  const seeds = ['/', '/new', '/shut'].map(site.url);
  const third = join(second, '..', 'third');
  expect(await crawl({ ...again, seeds, out: third })).toMatchObject({
    pages: 3,
    byStatus: { fetched: 3, deniedByRobots: 1 },
  });
  expect(site.asked()).toEqual(['GET /new', 'GET /robots.txt']);
});

test('if an old cache lacks a page and the site is gone, the crawl ends', async () => {
  const site = await openSite('127.71.0.13', { '/': 'home' });
  const { first, again } = await crawlFirst({ seeds: [site.url('/')] });
  await age(first);
  site.close();
  const options = { ...again, seeds: [site.url('/'), site.url('/new')], maxHostFailures: 2 };
  const { pages, cache, setAside } = await crawl(options);
  expect([pages, cache?.hit, setAside.length]).toEqual([1, 2, 1]);
});

test('a host rests from a request that a middleware makes besides', async () => {
  const site = await openSite('127.71.0.14', { '/': 'home', '/login': 'welcome' });
  const { again } = await crawlFirst({ seeds: [site.url('/')] });
  const { cache, bytes } = await crawl({
    ...again,
    middleware: [
      async (request, next) => {
        if (request.url.endsWith('/')) await next({ url: site.url('/login'), method: 'POST' });
        return next(request);
      },
    ],
  });
  expect([cache, bytes]).toEqual([{ hit: 1, miss: 1 }, 4]);
});

test('a crawl that continues has its cache, another one, or none', async () => {
  const site = await openSite('127.71.0.15', {
    '/': '<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>',
    ...{ '/a': 'a', '/b': 'b', '/c': 'c' },
  });
  const { first, second, again } = await crawlFirst({ seeds: [site.url('/')] });
  const onError = () => {};
  await crawl({ ...again, maxPages: 1 });
  site.asked();
  await (await resumeCrawl(second, { maxPages: 2, onError })).done;
  expect(site.asked()).toEqual([]);
  await (await resumeCrawl(second, { maxPages: 3, cache: false, onError })).done;
  expect(site.asked()).toHaveLength(1);
  expect((await (await resumeCrawl(second, { cache: first, maxPages: 9, onError })).done).pages).toBe(4);
  expect(site.asked()).toEqual([]);
  await expect(resumeCrawl(second, { cache: second, onError })).rejects.toThrow(
    /is the folder of this crawl/,
  );
});

test('what is no earlier crawl is refused', async () => {
  const folder = newFolder();
  const start = (cache: unknown, more = {}) =>
    startCrawl({
      ...QUICK,
      seeds: ['http://127.71.0.16/'],
      out: join(folder, 'c'),
      cache: cache as string,
      ...more,
    });
  mkdirSync(join(folder, 'empty'));
  await expect(start(join(folder, 'empty'))).rejects.toThrow(/There is no crawl in .*empty, given as cache/);
  await expect(start(join(folder, 'nothing'))).rejects.toThrow(/There is no crawl in/);
  await expect(start(join(folder, 'c'))).rejects.toThrow(/is the folder of this crawl/);
  await expect(start('')).rejects.toThrow(/Expected cache to be the folder of an earlier crawl/);
  await expect(start('x', { stack: 'Strand' })).rejects.toThrow(/cache.*is on this machine/);
});

/** The map of a site: its URLs without its pages, and no other requests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { estimateSite, type MapOptions, type MapSkip, mapSite } from '../../api/index.ts';
import type { SmallAnswer } from './small-server.ts';

type Answers = Readonly<Record<string, SmallAnswer | string>>;

/** A server on a loopback address, with the log of its requests. `answers`: from its origin. */
async function serve(answersOf: (origin: string) => Answers, address = '127.81.0.1') {
  const log: string[] = [];
  const server = createServer((request, response) => {
    log.push(`${request.method} ${request.url}`);
    const known = answersOf(`http://${request.headers.host}`)[request.url ?? ''] ?? { status: 404 };
    const answer: SmallAnswer = typeof known === 'string' ? { body: known } : known;
    const { status = 200, type = 'text/html', location, headers = {}, body = '' } = answer;
    response.writeHead(status, { 'content-type': type, ...(location && { location }), ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, log };
}

const QUICK: MapOptions = { allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false };

async function map(url: string, options: MapOptions = {}) {
  const skipped: MapSkip[] = [];
  const found = [];
  for await (const one of mapSite(url, { ...QUICK, ...options, skip: (skip) => skipped.push(skip) }))
    found.push(one);
  const paths = found.map((one) => one.url.slice(url.length));
  return {
    found,
    paths,
    skipped: skipped.map(({ url: from, reason }) => `${reason} ${from.replace(url, '')}`),
  };
}

const xml = (body: string): SmallAnswer => ({
  type: 'application/xml',
  body: `<?xml version="1.0"?>${body}`,
});
const urlset = (...locs: string[]) =>
  `<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;
const index = (...locs: string[]) =>
  `<sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`;
const robots = (text: string): SmallAnswer => ({ type: 'text/plain', body: text });

const SITE = (origin: string): Answers => ({
  '/robots.txt': robots(`User-agent: *\nDisallow: /no\nSitemap: ${origin}/index.xml\n`),
  '/': '<title>Start</title><a href="/a">a</a><a href="/no/1">no</a><a href="/b" rel="nofollow">b</a><img src="/i.png"><link rel="alternate" type="application/rss+xml" href="/feed">',
  '/index.xml': xml(index(`${origin}/one.xml.gz`, `${origin}/feed.xml`, `${origin}/list.txt`)),
  '/one.xml.gz': {
    type: 'application/gzip',
    body: gzipSync(
      `<urlset><url><loc>${origin}/a</loc></url><url><loc>${origin}/c?x=1&amp;utm_source=y</loc><lastmod>2026-10-01</lastmod></url><url><loc>https://elsewhere.example/</loc></url><url><loc>${origin}/no/2</loc></url></urlset>`,
    ),
  },
  '/feed.xml': xml('<rss version="2.0"><channel><item><link>/f</link></item></channel></rss>'),
  '/feed': {
    type: 'application/atom+xml',
    body: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/news"/><updated>2026-10-02T00:00:00Z</updated></entry><entry><link href="/a"/></entry></feed>`,
  },
  '/list.txt': { type: 'text/plain', body: `${origin}/t1\n${origin}/t2\n` },
  '/llms.txt': robots('# Site\n\n- [Guide](/docs/guide.md): how to\n- [Other](https://other.example/)\n'),
});

test('the URLs of sitemaps, feeds, llms.txt and the start page are listed once, with no other requests', async () => {
  const { url, log } = await serve(SITE);
  const { found, skipped } = await map(`${url}/`);
  const rows = found.map((one) => [
    one.url.slice(url.length),
    one.source,
    one.via.slice(url.length),
    one.lastModified,
  ]);
  expect(rows).toEqual([
    ['/', 'links', '/', undefined],
    ['/a', 'links', '/', undefined],
    ['/c?x=1', 'sitemaps', '/one.xml.gz', '2026-10-01T00:00:00.000Z'],
    ['/f', 'sitemaps', '/feed.xml', undefined],
    ['/t1', 'sitemaps', '/list.txt', undefined],
    ['/t2', 'sitemaps', '/list.txt', undefined],
    ['/news', 'feeds', '/feed', '2026-10-02T00:00:00.000Z'],
    ['/docs/guide.md', 'llms', '/llms.txt', undefined],
  ]);
  expect(log).toEqual(
    ['/robots.txt', '/', '/index.xml', '/one.xml.gz', '/feed.xml', '/list.txt', '/feed', '/llms.txt'].map(
      (path) => `GET ${path}`,
    ),
  );
  expect(skipped).toEqual(
    [
      `robotsDenied ${url}/no/1`,
      `nofollow ${url}/b`,
      'scope https://elsewhere.example/',
      `robotsDenied ${url}/no/2`,
      'scope https://other.example/',
    ].map((line) => line.replace(`${url}/`, '')),
  );
});

const BY_OPTION: readonly [options: MapOptions, paths: string[], requests: string[]][] = [
  [{ source: 'llms' }, ['docs/guide.md'], ['/robots.txt', '/llms.txt']],
  [{ source: 'links' }, ['', 'a'], ['/robots.txt', '/']],
  [{ source: 'feeds' }, ['news', 'a'], ['/robots.txt', '/', '/feed']],
  [{ source: 'feeds', feeds: false, sitemaps: 'off' }, [], ['/robots.txt']],
  [
    { source: 'sitemaps', search: 'A' },
    ['a'],
    ['/robots.txt', '/index.xml', '/one.xml.gz', '/feed.xml', '/list.txt'],
  ],
  [{ limit: 2 }, ['', 'a'], ['/robots.txt', '/', '/index.xml', '/one.xml.gz']],
  [
    { source: 'sitemaps', modifiedSince: '2026-11-01', include: ['/c'] },
    [],
    ['/robots.txt', '/index.xml', '/one.xml.gz', '/feed.xml', '/list.txt'],
  ],
  [{ sitemaps: 'off', source: 'sitemaps', sitemapUrls: [] }, [], ['/robots.txt']],
  [{ robots: 'ignore', source: 'links' }, ['', 'a', 'no/1'], ['/']],
];

test.each(BY_OPTION)('%j chooses the requests and the URLs', async (options, paths, requests) => {
  const { url, log } = await serve(SITE);
  const found = await map(`${url}/`, options).catch((error: Error) => {
    expect(error.name).toBe('PageNotRead');
    return { paths: [] };
  });
  expect(found.paths).toEqual(paths);
  expect(log).toEqual(requests.map((path) => `GET ${path}`));
});

test('feeds beyond ten are said, and not requested', async () => {
  const feed = (i: number) => `<link rel="alternate" type="application/rss+xml" href="/feed${i}">`;
  const { url, log } = await serve(() => ({ '/': Array.from({ length: 12 }, (_, i) => feed(i)).join('') }));
  const { skipped } = await map(`${url}/`, { source: 'feeds' });
  expect(skipped.filter((one) => one.startsWith('limit'))).toEqual(['limit feed10']);
  expect(log.filter((one) => one.includes('feed'))).toHaveLength(10);
});

test('URLs come while further sitemaps are still to be requested', async () => {
  const { url, log } = await serve((origin) => ({
    '/robots.txt': robots(`Sitemap: ${origin}/1.xml\nSitemap: ${origin}/2.xml\n`),
    '/1.xml': xml(urlset(`${origin}/a`)),
    '/2.xml': xml(urlset(`${origin}/b`)),
  }));
  const urls = mapSite(`${url}/`, { ...QUICK, source: 'sitemaps' });
  expect((await urls.next()).value?.url).toBe(`${url}/a`);
  expect(log).toEqual(['GET /robots.txt', 'GET /1.xml']);
  await urls.return();
  expect(log).toEqual(['GET /robots.txt', 'GET /1.xml']);
});

test('without a named sitemap the well-known one is tried, and it is not reported that it is missing', async () => {
  const { url, log } = await serve(() => ({ '/': '<a href="/a">a</a>' }));
  const { paths, skipped } = await map(`${url}/`);
  expect(paths).toEqual(['', 'a']);
  expect(skipped).toEqual([]);
  expect(log).toEqual(['GET /robots.txt', 'GET /', 'GET /sitemap.xml', 'GET /llms.txt']);
});

test('a page in the place of the well-known sitemap is not reported, and a broken sitemap is', async () => {
  const page = await serve(() => ({ '/': 'x', '/sitemap.xml': '<!doctype html><p>Not here' }));
  expect((await map(`${page.url}/`)).skipped).toEqual([]);
  const broken = await serve(() => ({
    '/': 'x',
    '/sitemap.xml': xml('<urlset><url><loc>/a</loc></url><ur'),
  }));
  const { paths, skipped } = await map(`${broken.url}/`);
  expect([paths, skipped]).toEqual([['', 'a'], ['badDocument sitemap.xml']]);
});

test('an llms.txt that is a page of HTML has no URLs', async () => {
  const { url } = await serve(() => ({ '/': 'x', '/llms.txt': '<a href="/wrong">[x](/wrong)</a>' }));
  expect((await map(`${url}/`)).paths).toEqual(['']);
});

test('the start is followed to another host, which is mapped in its place', async () => {
  const www = await serve(
    (origin) => ({ '/home': '<a href="/a">a</a>', '/sitemap.xml': xml(urlset(`${origin}/s`)) }),
    '127.81.0.2',
  );
  const { url, log } = await serve(() => ({ '/': { status: 301, location: `${www.url}/home` } }));
  const { found } = await map(`${url}/`);
  expect(found.map((one) => one.url)).toEqual([`${www.url}/home`, `${www.url}/a`, `${www.url}/s`]);
  expect(log).toEqual(['GET /robots.txt', 'GET /']);
  expect(www.log).toEqual(['GET /robots.txt', 'GET /home', 'GET /sitemap.xml', 'GET /llms.txt']);
});

test('what the site forbids for the purpose is left out, and so is a start that robots.txt forbids', async () => {
  const { url, log } = await serve((origin) => ({
    '/robots.txt': robots(
      `User-agent: *\nDisallow: /start\nContent-Usage: ai-input=y\nContent-Usage: /own/ ai-input=n\nLicense: ${origin}/license.xml\nSitemap: ${origin}/map.xml`,
    ),
    '/license.xml': xml(
      '<rsl xmlns="https://rslstandard.org/rsl"><content url="/sold/"><license><prohibits type="usage">all</prohibits></license></content></rsl>',
    ),
    '/map.xml': xml(urlset(`${origin}/a`, `${origin}/own/1`, `${origin}/sold/1`)),
  }));
  const { found, skipped } = await map(`${url}/start`, { purpose: 'ai-input' });
  expect(found.map((one) => one.url)).toEqual([`${url}/a`]);
  expect(skipped).toEqual(['robotsDenied ', `usageForbidden ${url}/own/1`, `usageForbidden ${url}/sold/1`]);
  expect(log).toEqual(['/robots.txt', '/license.xml', '/map.xml', '/llms.txt'].map((path) => `GET ${path}`));
});

test('a sitemap at an address that may not be requested is not requested', async () => {
  const secret = await serve(() => ({ '/map.xml': xml(urlset('/')) }), '127.82.0.1');
  const { url } = await serve(() => ({
    '/': '<a href="/a">a</a>',
    '/robots.txt': robots(
      `Sitemap: ${secret.url}/map.xml\nSitemap: http://169.254.169.254/latest/meta-data\n`,
    ),
  }));
  const options: MapOptions = { allowPrivateAddresses: ['127.81.0.0/16'], scope: 'any' };
  const { paths, skipped } = await map(`${url}/`, options);
  expect(paths).toEqual(['', 'a']);
  expect(skipped).toEqual([
    `hostFailed ${secret.url}/map.xml`,
    'hostFailed http://169.254.169.254/latest/meta-data',
  ]);
  expect(secret.log).toEqual([]);
});

test.each<[why: string, answers: Answers, message: RegExp]>([
  [
    'robots.txt fails',
    { '/robots.txt': { status: 503 }, '/': 'x' },
    /robots\.txt: the server answered HTTP 503/,
  ],
  ['the start is missing', {}, /HTTP 404/],
  ['robots.txt forbids all', { '/robots.txt': robots('User-agent: *\nDisallow: /') }, /Disallow: \//],
])('a site of which nothing can be read is an error that says why: %s', async (_, answers, message) => {
  const { url } = await serve(() => answers);
  const reading = map(`${url}/`);
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.toMatchObject({ name: 'PageNotRead' });
});

test('an abort ends it with the reason of the signal', async () => {
  const { url } = await serve(SITE);
  const ending = new AbortController();
  ending.abort(new Error('enough'));
  await expect(map(`${url}/`, { signal: ending.signal })).rejects.toThrow('enough');
});

test.each<[options: object, message: RegExp]>([
  [{ source: 'pages' }, /Expected source to be one of all, sitemaps, links, feeds, llms, got "pages"/],
  [{ limit: 0 }, /Expected limit to be a whole number from 1 to 1000000, got 0/],
  [{ delay: 5 }, /delay/],
])('%j is refused', async (options, message) => {
  await expect(map('http://127.81.0.1/', options)).rejects.toThrow(message);
});

test('a site is named by how it can be reached', async () => {
  await expect(map('https://example.org/')).rejects.toMatchObject({ name: 'NoContact' });
});

test('an estimate counts the URLs, and takes the pace that robots.txt asks for', async () => {
  const { url } = await serve((origin) => ({
    '/robots.txt': robots(`User-agent: *\nCrawl-delay: 0.02\nSitemap: ${origin}/map.xml`),
    '/map.xml': xml(urlset(...Array.from({ length: 999 }, (_, i) => `${origin}/${i}`))),
    '/': 'x',
  }));
  const { ms, bytes, ...rest } = await estimateSite(`${url}/`, QUICK);
  expect(rest).toEqual({ pages: 1000, hasMore: false, hosts: 1, delayMs: 20 });
  expect(ms).toBeGreaterThanOrEqual(20_000);
  expect(bytes).toBeGreaterThan(1_000_000);
  const cut = await estimateSite(`${url}/`, { ...QUICK, limit: 10 });
  expect(cut).toMatchObject({ pages: 10, hasMore: true });
});

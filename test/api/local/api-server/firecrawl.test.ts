/** Firecrawl's own client against this API: its examples give the same shapes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Firecrawl } from 'firecrawl';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveApi } from '../../../../api/local/api-server/serve-api.ts';
import { verifyWebhook } from '../../../../shared/services/webhook/signature.ts';
import { serveAnswers } from '../../small-server.ts';

const WORDS = 'The harbour opens in the morning and closes in the evening, when the ships are home.';
const SITE = {
  '/': `<!doctype html><html lang="en"><head><title>Harbour</title><meta name="description" content="About ships"></head><body><nav><a href="/a">A</a></nav><main><h1>Harbour</h1><p>${WORDS}</p></main><footer>Imprint</footer><script>x()</script></body></html>`,
  '/a': `<title>A</title><main><h1>A</h1><p>${WORDS}</p><p class="note">A note.</p></main>`,
  '/private': 'secret',
  '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private' },
  '/sitemap.xml': {
    type: 'application/xml',
    body: '<urlset><url><loc>/a</loc></url><url><loc>/b?x=1</loc></url><url><loc>/private</loc></url></urlset>',
  },
};

async function open(address: string, pages: Parameters<typeof serveAnswers>[1] = SITE, token?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'strand-firecrawl-'));
  const errors: unknown[] = [];
  const tokenFile = token && join(folder, 'token');
  if (tokenFile) writeFileSync(tokenFile, token, { mode: 0o600 });
  const server = await serveApi({
    folder,
    tokenFile,
    settings: {
      contact: 'me@example.org',
      allowPrivateAddresses: ['127.0.0.0/8'],
      delayMs: 0,
      adaptive: false,
    },
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const app = new Firecrawl({ apiKey: token ?? 'fc-any', apiUrl: server.url });
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { site: await serveAnswers(address, pages), app, post, errors, folder, url: server.url };
}

test('scrape gives a document with the formats that were asked for', async () => {
  const { site, app, errors } = await open('127.81.4.1');
  const page = await app.scrape(`${site}/`, { formats: ['markdown', 'html', 'rawHtml', 'links'] });
  expect(page).toMatchObject({
    markdown: `# Harbour\n\n${WORDS}`,
    rawHtml: SITE['/'],
    links: [`${site}/a`],
    metadata: {
      title: 'Harbour',
      description: 'About ships',
      language: 'en',
      sourceURL: `${site}/`,
      url: `${site}/`,
      statusCode: 200,
    },
  });
  expect(page.html).toContain(`<p>${WORDS}</p>`);
  expect(page.html).not.toMatch(/script|Imprint|nav/);
  expect((await app.scrape(`${site}/`)).markdown).toBe(page.markdown);
  const whole = await app.scrape(`${site}/`, { onlyMainContent: false });
  expect(whole.markdown).toMatch(/Imprint/);
  expect((await app.scrape(`${site}/a`, { includeTags: ['.note'] })).markdown?.trim()).toBe('A note.');
  expect((await app.scrape(`${site}/a`, { excludeTags: ['.note'] })).markdown).not.toMatch(/A note/);
  await expect(app.scrape(`${site}/private`)).rejects.toThrow(/robots\.txt, line 2: Disallow: \/private/);
  await expect(app.scrape('http://169.254.169.254/latest/meta-data')).rejects.toThrow(/not read/);
  expect(errors).toEqual([]);
});

test('maxAge 0 requests a page again, and by default the page is taken that was read before', async () => {
  const pages: Record<string, string> = { '/': '<p>The first words of the page are these.</p>' };
  const { site, app } = await open('127.81.4.2', pages);
  await app.scrape(site);
  pages['/'] = '<p>The second words of the page are those.</p>';
  expect((await app.scrape(site)).markdown).toMatch(/first/);
  expect((await app.scrape(site, { maxAge: 0 })).markdown).toMatch(/second/);
});

test('map lists the URLs', async () => {
  const { site, app, post } = await open('127.81.4.3');
  expect((await app.map(site)).links.map(({ url }) => url)).toEqual([`${site}/`, `${site}/a`]);
  const only = await app.map(site, { sitemap: 'only', ignoreQueryParameters: false, limit: 10 });
  expect(only.links.map(({ url }) => url)).toEqual([`${site}/a`, `${site}/b?x=1`]);
  const first = await post('/v1/map', { url: site, search: 'a', ignoreSitemap: true });
  expect(first.body).toEqual({ success: true, links: [`${site}/a`] });
});

test('crawl waits for its pages, and startCrawl, getCrawlStatus, getCrawlErrors and cancelCrawl work with its job', async () => {
  const { site, app, post, url } = await open('127.81.4.4');
  const job = await app.crawl(site, {
    limit: 10,
    scrapeOptions: { formats: ['markdown', 'html'] },
    pollInterval: 1,
  });
  expect(job).toMatchObject({ status: 'completed', completed: 2, total: 2, next: null });
  expect(job.data.map(({ metadata }) => metadata?.sourceURL).sort()).toEqual([`${site}/`, `${site}/a`]);
  expect(Object.keys(job.data[0]!).sort()).toEqual(['html', 'markdown', 'metadata']);
  expect(await app.getCrawlErrors(job.id!)).toMatchObject({ robotsBlocked: [`${site}/private`] });
  const started = await app.startCrawl(site, { excludePaths: ['^/a$'], delay: 60 });
  expect(started.url).toBe(`${url}/v2/crawl/${started.id}`);
  expect((await app.getCrawlStatus(started.id)).status).toBe('scraping');
  expect(await app.cancelCrawl(started.id)).toBe(true);
  expect((await app.getCrawlStatus(started.id)).status).toBe('cancelled');
  const first = await post('/v1/crawl', { url: site, limit: 1, ignoreSitemap: true });
  expect(first.body).toMatchObject({ success: true, url: expect.stringMatching(/\/v1\/crawl\//) });
  await expect(app.getCrawlStatus('00000000-0000-0000-0000-000000000000')).rejects.toThrow(/not found/i);
  await expect(app.getCrawlStatus('../../etc/passwd')).rejects.toThrow();
});

test('a crawl of more than 100 pages comes in pages', async () => {
  const links = Array.from({ length: 130 }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
  const pages = Object.fromEntries(
    Array.from({ length: 130 }, (_, i) => [`/${i}`, `<p>Page ${i} has words.</p>`]),
  );
  const { site, app } = await open('127.81.4.5', { '/': links, ...pages });
  const { id, data } = await app.crawl(site, { pollInterval: 1 });
  expect(new Set(data.map(({ metadata }) => metadata?.sourceURL)).size).toBe(131);
  const first = await app.getCrawlStatus(id!, { autoPaginate: false });
  expect([first.data.length, first.completed]).toEqual([100, 131]);
});

test('batchScrape reads exactly its URLs', async () => {
  const { site, app } = await open('127.81.4.6');
  const job = await app.batchScrape([`${site}/`, `${site}/a`, 'nope'], {
    options: { formats: ['links'] },
    pollInterval: 1,
  });
  expect(job).toMatchObject({ status: 'completed', completed: 2 });
  expect(job.data.map(({ metadata }) => metadata?.sourceURL).sort()).toEqual([`${site}/`, `${site}/a`]);
});

test('a client watches a job: its documents come as they are fetched, and its end', async () => {
  const { site, app } = await open('127.81.4.10');
  const watched = async (id: string, kind: 'crawl' | 'batch') => {
    const watcher = app.watcher(id, { kind, timeout: 60 });
    const urls = new Set<unknown>();
    watcher.on('document', ({ metadata }) => urls.add(metadata?.sourceURL));
    const done = new Promise((resolve) => watcher.on('done', resolve));
    await watcher.start();
    return [await done, [...urls].sort()];
  };
  const crawl = await app.startCrawl(site, { delay: 0.2 });
  const both = [`${site}/`, `${site}/a`];
  expect(await watched(crawl.id, 'crawl')).toMatchObject([{ status: 'completed', total: 2 }, both]);
  const batch = await app.startBatchScrape(both);
  expect(await watched(batch.id, 'batch')).toMatchObject([{ completed: 2 }, both]);
  // A job that has ended shows all at once.
  expect(await watched(crawl.id, 'crawl')).toMatchObject([{ completed: 2 }, both]);
  const old = await app.v1.crawlUrlAndWatch(site, { limit: 1 });
  const documents: unknown[] = [];
  old.addEventListener('document', ({ detail }) => void documents.push(detail.markdown));
  await new Promise((resolve) => old.addEventListener('done', resolve));
  expect(documents).toEqual([`# Harbour\n\n${WORDS}`]);
});

test('each document of a watched job comes once, in whatever order the pages are fetched', async () => {
  const names = Array.from({ length: 24 }, (_, i) => `/${((i * 7919) % 97) + 100}`);
  const links = names.map((name) => `<a href="${name}">x</a>`).join('');
  const pages = Object.fromEntries(names.map((name) => [name, `<main><p>${WORDS}</p></main>`]));
  const { site, app } = await open('127.81.4.18', { ...pages, '/': `<main><p>${WORDS}</p></main>${links}` });
  const { id } = await app.startCrawl(site, { delay: 0.2 });
  const watcher = app.watcher(id, { kind: 'crawl', timeout: 60 });
  const urls: unknown[] = [];
  watcher.on('document', ({ metadata }) => void urls.push(metadata?.sourceURL));
  const done = new Promise((resolve) => watcher.on('done', resolve));
  await watcher.start();
  await done;
  expect(urls.sort()).toEqual(['/', ...names].map((path) => site + path).sort());
});

test('a map may take any time', async () => {
  const { site, post, errors } = await open('127.81.4.20');
  for (const timeout of [2 ** 31, 1e15])
    expect((await post('/v2/map', { url: site, timeout })).status).toBe(200);
  expect(errors).toEqual([]);
});

test.each([
  ['of another website', { origin: 'https://evil.example' }, 403],
  ['by another name', { host: 'evil.example' }, 421],
  ['that is none', { 'sec-websocket-version': '8' }, 404],
  ['without the token', { 'sec-websocket-protocol': 'fc-another-token' }, 401],
])('a watcher %s is refused', async (_, headers, expected) => {
  const token = 'a-token-of-many-letters';
  const { url } = await open('127.81.4.11', SITE, token);
  const { host, port, hostname } = new URL(url);
  const asked = {
    ...{ host, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    ...{ 'sec-websocket-key': 'x', 'sec-websocket-protocol': token, ...headers },
  };
  const path = '/v2/crawl/00000000-0000-0000-0000-000000000000';
  const status = await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: asked }, (response) =>
      resolve(response.statusCode),
    );
    sent.on('error', reject).end();
  });
  expect(status).toBe(expected);
});

test('a job sends its documents and its end to a webhook, signed by the token', async () => {
  const token = 'a-token-of-many-letters';
  const { site, app, errors } = await open('127.81.4.16', SITE, token);
  const received: { readonly event: Record<string, unknown>; readonly isSigned: boolean }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isSigned = verifyWebhook(token, String(request.headers['x-strand-signature']), body);
    received.push({ event: JSON.parse(body), isSigned });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.81.4.17', resolve));
  onTestFinished(() => void server.close(() => {}).closeAllConnections());
  const url = `http://127.81.4.17:${(server.address() as AddressInfo).port}/hook`;
  const metadata = { customer: '7' };
  const { id } = await app.startCrawl(site, { webhook: { url, metadata } });
  await vi.waitUntil(() => received.length === 4, { timeout: 60_000 });
  expect(received.map(({ event, isSigned }) => [event.type, event.id, event.metadata, isSigned])).toEqual(
    ['crawl.started', 'crawl.page', 'crawl.page', 'crawl.completed'].map((type) => [
      type,
      id,
      metadata,
      true,
    ]),
  );
  const pages = received.flatMap(({ event }) => event.data as { metadata: { sourceURL: string } }[]);
  expect(pages.map((page) => page.metadata.sourceURL).sort()).toEqual([`${site}/`, `${site}/a`]);
  const only = { url, events: ['completed' as const] };
  await app.startBatchScrape([`${site}/a`], { webhook: only });
  await vi.waitUntil(() => received.length === 5, { timeout: 60_000 });
  expect(received[4]?.event).toMatchObject({ success: true, type: 'batch_scrape.completed', data: [] });
  expect(errors).toEqual([]);
});

test('the client of version 1 works', async () => {
  const { site, app, errors } = await open('127.81.4.12');
  const { v1 } = app;
  expect(await v1.scrapeUrl(site, {})).toMatchObject({ success: true, markdown: `# Harbour\n\n${WORDS}` });
  expect(await v1.mapUrl(site, {})).toMatchObject({
    success: true,
    links: [`${site}/`, `${site}/a`, `${site}/b?x=1`],
  });
  expect(await v1.crawlUrl(site, { limit: 5 }, 1)).toMatchObject({ status: 'completed', completed: 2 });
  const batch = await v1.batchScrapeUrls([`${site}/a`], { formats: ['markdown'] }, 1);
  expect(batch).toMatchObject({ status: 'completed', completed: 1 });
  const { id } = (await v1.asyncCrawlUrl(site, {})) as { id: string };
  expect(await v1.checkCrawlStatus(id)).toMatchObject({ success: true });
  expect(await v1.checkCrawlErrors(id)).toMatchObject({ errors: [] });
  expect(errors).toEqual([]);
});

test('headers go to the host of the page alone, and no result has them', async () => {
  const seen: string[] = [];
  const note = ({ url, headers }: IncomingMessage, response: ServerResponse) => {
    if (url === '/robots.txt' || url === '/sitemap.xml') return response.writeHead(404).end();
    seen.push(`${headers.host}${url} ${headers['x-key'] ?? 'none'}`);
    const away = url === '/away' && { location: `http://127.81.4.15:${port}/there` };
    if (away) return response.writeHead(302, away).end();
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<main><p>Some words are here.</p></main>');
  };
  const server = createServer(note);
  // On all addresses of this machine.
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => void server.close(() => {}).closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const { app, folder } = await open('127.81.4.13');
  const [own, other] = [`127.81.4.14:${port}`, `127.81.4.15:${port}`];
  const secret = { headers: { 'X-Key': 'a-secret-value' } };
  await app.scrape(`http://${own}/`, secret);
  await app.scrape(`http://${own}/away`, secret);
  await app.scrape(`http://${own}/`);
  await app.crawl(`http://${own}/crawl`, { limit: 1, scrapeOptions: secret, pollInterval: 1 });
  await app.batchScrape([`http://${own}/batch`], { options: secret, pollInterval: 1 });
  expect(seen).toEqual([
    `${own}/ a-secret-value`,
    `${own}/away a-secret-value`,
    `${other}/there none`,
    `${own}/ none`,
    `${own}/crawl a-secret-value`,
    `${own}/batch a-secret-value`,
  ]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const { parentPath, name } of files.filter((one) => !one.name.startsWith('crawl.sqlite'))) {
    const bytes = readFileSync(join(parentPath, name));
    const whole = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    expect([name, whole.includes('a-secret-value')]).toEqual([name, false]);
  }
});

test.each<[path: string, fields: Record<string, unknown>, field: string]>([
  ['scrape', { actions: [{ type: 'wait', milliseconds: 1 }] }, 'actions'],
  ['scrape', { formats: ['screenshot'] }, 'formats.screenshot'],
  ['scrape', { formats: [{ type: 'json', prompt: 'x' }] }, 'formats.json'],
  ['scrape', { location: { country: 'DE' } }, 'location'],
  ['scrape', { proxy: 'stealth' }, 'proxy'],
  ['scrape', { headers: { Cookie: 1 } }, 'headers'],
  ['scrape', { waitFor: 1000 }, 'waitFor'],
  ['scrape', { unheardOf: 1 }, 'unheardOf'],
  ['scrape', { includeTags: ['[[['] }, 'includeTags'],
  ['crawl', { prompt: 'all docs' }, 'prompt'],
  ['crawl', { webhook: 'https://a.example/' }, 'webhook'],
  ['crawl', { webhook: { url: 'file:///etc/passwd' } }, 'webhook.url'],
  ['crawl', { webhook: { url: 'https://a.example/', headers: { a: 'b' } } }, 'webhook.headers'],
  ['crawl', { webhook: { url: 'https://a.example/', events: ['page', 'x'] } }, 'webhook.events'],
  ['scrape', { constructor: 1 }, 'constructor'],
  ['scrape', JSON.parse('{"__proto__":1}'), '__proto__'],
  ['crawl', { allowExternalLinks: true }, 'allowExternalLinks'],
  ['crawl', { ignoreRobotsTxt: true }, 'ignoreRobotsTxt'],
  ['crawl', { scrapeOptions: { actions: [1] } }, 'scrapeOptions.actions'],
  ['crawl', { sitemap: 'only' }, 'sitemap: only'],
  ['map', { location: { country: 'DE' } }, 'location'],
  ['batch/scrape', { urls: ['http://127.0.0.1/'], webhook: 'https://a.example/' }, 'webhook'],
])('what Strand does not do is refused by its name: %s %j', async (path, fields, field) => {
  const { site, post } = await open('127.81.4.7');
  const { status, body } = await post(`/v2/${path}`, {
    ...(path !== 'batch/scrape' && { url: site }),
    ...fields,
  });
  expect([status, body.success, body.field]).toEqual([400, false, field]);
});

test.each(['agent', 'search', 'extract', 'deep-research'])(
  '%s is not there, and that is said',
  async (path) => {
    const { post } = await open('127.81.4.8');
    expect(await post(`/v2/${path}`, {})).toMatchObject({
      status: 404,
      body: { success: false, error: /Strand does not do this/ },
    });
  },
);

test('fields that are off, or say who asks, are taken', async () => {
  const { site, post } = await open('127.81.4.9');
  const off = {
    actions: [],
    mobile: false,
    waitFor: 0,
    location: null,
    blockAds: true,
    removeBase64Images: true,
    parsers: ['pdf'],
    storeInCache: true,
    proxy: 'auto',
    origin: 'x',
    integration: 'y',
  };
  expect((await post('/v2/scrape', { url: site, ...off })).status).toBe(200);
  expect((await post('/v2/crawl', { url: site, deduplicateSimilarURLs: true })).status).toBe(200);
});

test('a URL without a scheme is read, and other texts are refused', async () => {
  const { site, post } = await open('127.81.4.42');
  expect((await post('/v2/scrape', { url: site.replace('http://', '') })).status).toBe(200);
  for (const path of ['scrape', 'map', 'crawl'])
    expect(await post(`/v2/${path}`, { url: 'not a url' })).toMatchObject({
      status: 400,
      body: { field: 'url', error: 'Expected url to be an http or https URL' },
    });
});

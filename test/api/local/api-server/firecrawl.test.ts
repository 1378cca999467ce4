/** Firecrawl's own client against this API: its examples give the same shapes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Firecrawl } from 'firecrawl';
import { expect, onTestFinished, test } from 'vitest';
import { serveApi } from '../../../../api/local/api-server/serve-api.ts';
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

async function open(address: string, pages: Parameters<typeof serveAnswers>[1] = SITE) {
  const folder = mkdtempSync(join(tmpdir(), 'strand-firecrawl-'));
  const errors: unknown[] = [];
  const server = await serveApi({
    folder,
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
  const app = new Firecrawl({ apiKey: 'fc-any', apiUrl: server.url });
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { site: await serveAnswers(address, pages), app, post, errors, url: server.url };
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

test.each<[path: string, fields: Record<string, unknown>, field: string]>([
  ['scrape', { actions: [{ type: 'wait', milliseconds: 1 }] }, 'actions'],
  ['scrape', { formats: ['screenshot'] }, 'formats.screenshot'],
  ['scrape', { formats: [{ type: 'json', prompt: 'x' }] }, 'formats.json'],
  ['scrape', { location: { country: 'DE' } }, 'location'],
  ['scrape', { proxy: 'stealth' }, 'proxy'],
  ['scrape', { headers: { Cookie: 'a' } }, 'headers'],
  ['scrape', { waitFor: 1000 }, 'waitFor'],
  ['scrape', { unheardOf: 1 }, 'unheardOf'],
  ['scrape', { includeTags: ['[[['] }, 'includeTags'],
  ['crawl', { prompt: 'all docs' }, 'prompt'],
  ['crawl', { webhook: 'https://a.example/' }, 'webhook'],
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
    origin: 'x',
    integration: 'y',
  };
  expect((await post('/v2/scrape', { url: site, ...off })).status).toBe(200);
});

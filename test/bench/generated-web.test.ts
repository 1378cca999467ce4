import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGraph, reachable } from '../../bench/harness/web/graph.ts';
import { renderPage } from '../../bench/harness/web/render.ts';
import { serveWeb, type WebServer } from '../../bench/harness/web/server.ts';
import { createWebStats, type WebCounts } from '../../bench/harness/web/stats.ts';
import { buildSynthweb } from '../../bench/harness/web/synthweb.ts';
import { createDocumentParser } from '../../shared/core/parser/document.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';

const SIZE = { hosts: 3, pages: 40 };
const authority = (host: number) => `site-${host}.example.org`;

let web: WebServer;
beforeAll(async () => {
  web = await serveWeb(SIZE);
});
afterAll(() => web.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.1.0.2:${web.port}${path}`, { headers, redirect: 'manual' });

test('a page is rendered with the links of the graph, and names no others', async () => {
  const hosts = createGraph(SIZE);
  for (const page of hosts.flatMap(({ pages }) => pages)) {
    const url = `http://${authority(page.host)}${page.path}`;
    const parser = createDocumentParser({
      url,
      headers: [['Content-Type', 'text/html']],
      maxDecodedBytes: 2e6,
      maxLinks: 1000,
      resolve: (reference, base) => canonicalize(reference, base),
    });
    parser.write(Buffer.from(renderPage(page, authority)));
    const { links } = await parser.end();
    const own = new Set(page.links.map(({ host, path }) => canonicalize(`http://${authority(host)}${path}`)));
    // `#top` and `/` are named besides.
    const besides = [canonicalize(url), `http://${authority(page.host)}/`];
    expect(links.map((link) => link.url).filter((link) => !own.has(link) && !besides.includes(link))).toEqual(
      [],
    );
    expect(links.length).toBeGreaterThanOrEqual(own.size);
  }
});

test('everything but what is forbidden or only spoken of can be reached, and the same web comes again', () => {
  const hosts = createGraph(SIZE);
  const all = reachable(hosts, false);
  for (const { pages } of hosts) for (const page of pages) expect(all).toContain(page);
  const polite = reachable(hosts, true);
  expect(polite.size).toBeLessThan(all.size);
  for (const entry of polite) expect(entry.isDisallowed).toBe(false);
  const paths = (of: ReturnType<typeof createGraph>) => of.map(({ entries }) => [...entries.keys()]);
  expect(paths(createGraph(SIZE))).toEqual(paths(hosts));
});

test('pages go out compressed to those who take it, plain to others, with the same bytes within', async () => {
  const compressed = await get('/', { 'Accept-Encoding': 'gzip' });
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  const plain = await get('/', { 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(await plain.text()).toBe(await compressed.text());
  expect((await get('/nowhere')).status).toBe(404);
  const moved = await get('/old/0');
  expect([moved.status, moved.headers.get('location')]).toEqual([
    301,
    expect.stringMatching(/^http:\/\/127\.1\./),
  ]);
});

test('the web counts its requests, and clears the counts when asked to', async () => {
  await get('/__reset');
  await get('/');
  await get('/');
  await get('/robots.txt');
  await get('/nowhere');
  const counts = (await (await get('/__stats')).json()) as WebCounts;
  expect(counts).toMatchObject({ requests: 4, pages: 2, unknown: 1, all: { found: 1, again: 1 } });
  expect(counts.all.there).toBeGreaterThan(counts.allowed.there);
  const seeds = (await (await get('/__seeds')).text()).trim().split('\n');
  expect(seeds).toHaveLength(SIZE.hosts);
  await get('/__reset');
  expect(await (await get('/__stats')).json()).toMatchObject({ requests: 0, spanMs: 0 });
});

test('completeness counts each document once', () => {
  const [host] = createGraph({ hosts: 1, pages: 40 });
  const [first, second] = host!.pages;
  let now = 5;
  const stats = createWebStats(new Set([first!, second!]), new Set([second!]), () => now++);
  stats.count(first);
  stats.count(first);
  stats.count(undefined);
  expect(stats.read()).toMatchObject({
    requests: 3,
    all: { there: 2, found: 1, again: 1 },
    allowed: { there: 1, found: 0 },
    unknown: 1,
    spanMs: 2,
  });
});

test('another web is not begun where one answers already, which would be measured in its place', async () => {
  await expect(buildSynthweb('/web', SIZE, web.port)).rejects.toThrow(
    `Expected port ${web.port} to be free for /web, but a web answers there`,
  );
});

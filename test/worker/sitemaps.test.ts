import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/crawl/config.ts';
import { type Answer, page, robots, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, recordOf, runToEnd, statesOf } from './world.ts';

const A = 'http://a.test';
const B = 'http://maps.a.test';
const C = 'http://c.test';

async function crawl(site: Site, config: CrawlOptions = {}, seeds = [`${A}/`]) {
  const world = createWorld(site);
  await begin(world, seeds, config);
  expect(await runToEnd(world)).toEqual([]);
  const totals = await world.engine.registry.totals('crawl');
  return { ...world, totals, states: await statesOf(world.engine) };
}

const xml = (body: string): Answer => ({ headers: { 'Content-Type': 'application/xml' }, body });
const urlset = (...entries: string[]) =>
  xml(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`);
const entry = (url: string, more = '') => `<url><loc>${url}</loc>${more}</url>`;
const index = (...urls: string[]) =>
  xml(`<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`);

const SITE: Site = {
  [`${A}/robots.txt`]: robots(
    `User-agent: *\nDisallow:\nSitemap: ${A}/map.xml\nSitemap: ${B}/a.xml\nSitemap: ${C}/x.xml\n`,
  ),
  [`${A}/`]: page(),
  [`${A}/map.xml`]: index(`${A}/1.xml`),
  [`${A}/1.xml`]: urlset(entry(`${A}/low`), entry(`${A}/high`, '<priority>1.0</priority>'), entry(`${B}/x`)),
  [`${B}/a.xml`]: urlset(entry(`${A}/from-b`)),
  [`${A}/low`]: page(),
  [`${A}/high`]: page(),
  [`${A}/from-b`]: page(),
};

test('sitemaps of its site that robots.txt names are read; their URLs are held to the scope, and those of other sites are not', async () => {
  const { states, totals } = await crawl(SITE);
  const asked = Object.keys(SITE).filter((url) => !url.endsWith('/robots.txt'));
  expect(states).toEqual(Object.fromEntries(asked.map((url) => [url, 'fetched'])));
  expect(totals.skipped).toEqual({ scope: 2 });
});

test('a sitemap is no page', async () => {
  const { totals, engine } = await crawl(SITE);
  expect(totals.pages).toBe(4);
  expect(await recordOf(engine, `${A}/map.xml`)).toMatchObject({ kind: 'sitemap', depth: 0 });
  expect(await recordOf(engine, `${A}/1.xml`)).toMatchObject({ kind: 'sitemap', depth: 1 });
  expect(await recordOf(engine, `${A}/low`)).toMatchObject({ depth: 1, via: `${A}/1.xml` });
});

test('what a sitemap calls important comes first', async () => {
  const { fetcher } = await crawl(SITE);
  const order = fetcher.log.map(({ url }) => url);
  expect(order.indexOf(`${A}/high`)).toBeLessThan(order.indexOf(`${A}/low`));
});

test.each([
  ['off', {}],
  ['robots', { scope: 'page' }],
  ['robots', { maxDepth: 0 }],
] as const)('none is read with sitemaps %s and %o', async (sitemaps, config) => {
  const { fetcher } = await crawl(SITE, { sitemaps, ...config });
  expect(fetcher.log.map(({ url }) => url)).toEqual([`${A}/robots.txt`, `${A}/`]);
});

test('the well-known one is tried if that is wished for and robots.txt names none', async () => {
  const site = { [`${A}/`]: page(), [`${A}/sitemap.xml`]: urlset(entry(`${A}/1`)), [`${A}/1`]: page() };
  expect((await crawl(site)).states).not.toHaveProperty([`${A}/1`]);
  expect((await crawl(site, { sitemaps: 'find' })).states[`${A}/1`]).toBe('fetched');
});

test('what was not modified since is left out', async () => {
  const site = {
    ...SITE,
    [`${A}/1.xml`]: urlset(
      entry(`${A}/low`, '<lastmod>2020-01-01</lastmod>'),
      entry(`${A}/high`, '<lastmod>2026-01-01</lastmod>'),
    ),
  };
  const { states, totals } = await crawl(site, { modifiedSince: '2025-06-01' });
  expect(states).not.toHaveProperty([`${A}/low`]);
  expect(states[`${A}/high`]).toBe('fetched');
  expect(totals.skipped).toMatchObject({ notModified: 1 });
});

test('indexes that name themselves end, and so do indexes of indexes', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: robots(`User-agent: *\nDisallow:\nSitemap: ${A}/0.xml\n`),
    [`${A}/`]: page(),
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${A}/${i}.xml`, index(`${A}/${i}.xml`, `${A}/${i + 1}.xml`)]),
    ),
  };
  const { states, totals } = await crawl(site);
  expect(Object.keys(states)).toHaveLength(1 + 4);
  expect(totals.skipped.sitemapNesting).toBeGreaterThan(0);
});

test('feeds that pages name are read, their items are links', async () => {
  const site = {
    [`${A}/`]: { body: '<link rel=alternate type=application/rss+xml href=/feed>' },
    [`${A}/feed`]: {
      headers: { 'Content-Type': 'application/rss+xml' },
      body: `<rss><channel><item><link>${A}/news</link></item></channel></rss>`,
    },
    [`${A}/news`]: page(),
  };
  expect((await crawl(site)).states[`${A}/news`]).toBe('fetched');
  expect((await crawl(site, { feeds: false })).states).toEqual({ [`${A}/`]: 'fetched' });
});

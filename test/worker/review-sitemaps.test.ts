/** What robots.txt and sitemaps can make a crawl ask for, beyond what its operator has thought of. */
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/crawl/config.ts';
import { type Answer, page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, runToEnd } from './world.ts';

const A = 'http://a.test';
const M = 'http://maps.a.test';
const V = 'http://victim.test';

async function hostsAsked(site: Site, config: CrawlOptions = {}, sitemaps: readonly string[] = []) {
  const world = createWorld(site);
  await begin(world, [`${A}/`], config);
  if (sitemaps.length > 0)
    await world.engine.exchange.send({
      crawl: 'crawl',
      links: sitemaps.map((url) => ({ url, depth: 0, isSeed: true, kind: 'sitemap' as const })),
    });
  expect(await runToEnd(world)).toEqual([]);
  const totals = await world.engine.registry.totals('crawl');
  const hosts = [...new Set(world.fetcher.log.map(({ host }) => host))].sort();
  return { hosts, totals, urls: world.fetcher.log.map(({ url }) => url) };
}

const xml = (body: string): Answer => ({ headers: { 'Content-Type': 'application/xml' }, body });
const index = (...urls: string[]) =>
  xml(`<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`);
const urlset = (...urls: string[]) =>
  xml(`<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`);
const naming = (...urls: string[]) =>
  robots(`User-agent: *\nDisallow:\n${urls.map((url) => `Sitemap: ${url}\n`).join('')}`);

test('a sitemap index has no other site asked', async () => {
  const site = {
    [`${A}/robots.txt`]: naming(`${A}/map.xml`),
    [`${A}/`]: page(),
    [`${A}/map.xml`]: index(`${V}/1.xml`, `${M}/2.xml`, `${V}/3.xml`),
    [`${M}/2.xml`]: urlset(`${A}/x`),
  };
  const { hosts, totals, urls } = await hostsAsked(site);
  expect(hosts).toEqual(['a.test', 'maps.a.test']);
  expect(urls).toContain(`${A}/x`);
  expect(totals.skipped.scope).toBe(2);
});

test('nor has one that is a page of the crawl', async () => {
  const site = { [`${A}/`]: page('/map.xml'), [`${A}/map.xml`]: index(`${V}/1.xml`) };
  expect((await hostsAsked(site)).hosts).toEqual(['a.test']);
});

test('a sitemap that redirects has no other site asked', async () => {
  const site = {
    [`${A}/robots.txt`]: naming(`${A}/map.xml`),
    [`${A}/`]: page(),
    [`${A}/map.xml`]: redirect(`${V}/victim`),
  };
  const { hosts, totals } = await hostsAsked(site);
  expect(hosts).toEqual(['a.test']);
  expect(totals.skipped.scope).toBe(1);
});

test('sitemaps may be at hosts of the crawl, whatever their domain', async () => {
  const site = {
    [`${A}/robots.txt`]: naming(`${A}/map.xml`),
    [`${A}/`]: page(),
    [`${A}/map.xml`]: index('http://b.test/1.xml'),
    'http://b.test/1.xml': urlset('http://b.test/x'),
    'http://b.test/x': page(),
  };
  expect((await hostsAsked(site, { scope: 'any' })).urls).toContain('http://b.test/x');
});

test('an index that the operator names has those of its own site read', async () => {
  const site = {
    [`${A}/`]: page(),
    [`${V}/index.xml`]: index(`${V}/1.xml`, 'http://third.test/2.xml'),
    [`${V}/1.xml`]: urlset(`${A}/x`),
    [`${A}/x`]: page(),
  };
  const { hosts, urls } = await hostsAsked(site, {}, [`${V}/index.xml`]);
  expect(hosts).toEqual(['a.test', 'victim.test']);
  expect(urls).toContain(`${A}/x`);
});

test('hosts that are asked only for sitemaps or requisites have their own sitemaps left alone, or they would spread over a domain', async () => {
  const maps = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      [
        `http://s${i}.a.test/robots.txt`,
        naming(`http://s${i + 1}.a.test/map.xml`, `http://s${i}.a.test/2.xml`),
      ],
      [`http://s${i}.a.test/map.xml`, urlset()],
    ]).flat() as [string, Answer][],
  );
  const site: Site = {
    ...maps,
    [`${A}/robots.txt`]: naming('http://s0.a.test/map.xml'),
    [`${A}/`]: { body: '<img src=http://cdn.test/x.png>' },
    'http://cdn.test/robots.txt': naming('http://cdn.test/map.xml'),
    'http://cdn.test/map.xml': urlset('http://cdn.test/1'),
    'http://cdn.test/x.png': { headers: { 'Content-Type': 'image/png' } },
  };
  const { hosts, urls } = await hostsAsked(site, { requisites: true });
  expect(hosts).toEqual(['a.test', 'cdn.test', 's0.a.test']);
  expect(urls).not.toContain('http://cdn.test/map.xml');
  // Where the whole domain is the crawl's, they are.
  expect((await hostsAsked(site, { scope: 'domain' })).hosts).toContain('s20.a.test');
});

test('below a folder, too, the sitemaps of its host are read', async () => {
  const site = {
    [`${A}/robots.txt`]: naming(`${A}/map.xml`),
    [`${A}/docs/`]: page(),
    [`${A}/map.xml`]: urlset(`${A}/docs/1`, `${A}/blog/1`),
    [`${A}/docs/1`]: page(),
  };
  const world = createWorld(site);
  await begin(world, [`${A}/docs/`], { scope: 'prefix' });
  await runToEnd(world);
  expect(world.fetcher.count(`${A}/docs/1`)).toBe(1);
  expect(world.fetcher.count(`${A}/blog/1`)).toBe(0);
});

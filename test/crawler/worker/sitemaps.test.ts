import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Answer, page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, crawlToEnd, createWorld, recordOf, runToEnd } from './world.ts';

const A = 'http://a.test';
const B = 'http://maps.a.test';
const C = 'http://c.test';
const V = 'http://victim.test';

const xml = (body: string): Answer => ({ headers: { 'Content-Type': 'application/xml' }, body });
const urlset = (...entries: string[]) =>
  xml(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`);
const entry = (url: string, more = '') => `<url><loc>${url}</loc>${more}</url>`;
const index = (...urls: string[]) =>
  xml(`<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`);

const naming = (...urls: string[]) =>
  robots(`User-agent: *\nDisallow:\n${urls.map((url) => `Sitemap: ${url}\n`).join('')}`);

const SITE: Site = {
  [`${A}/robots.txt`]: naming(`${A}/map.xml`, `${B}/a.xml`, `${C}/x.xml`),
  [`${A}/`]: page(),
  [`${A}/map.xml`]: index(`${A}/1.xml`),
  [`${A}/1.xml`]: urlset(entry(`${A}/low`), entry(`${A}/high`, '<priority>1.0</priority>'), entry(`${B}/x`)),
  [`${B}/a.xml`]: urlset(entry(`${A}/from-b`)),
  [`${A}/low`]: page(),
  [`${A}/high`]: page(),
  [`${A}/from-b`]: page(),
};

test('sitemaps of its site that robots.txt names are read; their URLs are held to the scope, and those of other sites are not', async () => {
  const { states, totals } = await crawlToEnd(SITE);
  const asked = Object.keys(SITE).filter((url) => !url.endsWith('/robots.txt'));
  expect(states).toEqual(Object.fromEntries(asked.map((url) => [url, 'fetched'])));
  expect(totals.skipped).toEqual({ scope: 2 });
});

test('a sitemap is no page', async () => {
  const { totals, engine } = await crawlToEnd(SITE);
  expect(totals.pages).toBe(4);
  expect(await recordOf(engine, `${A}/map.xml`)).toMatchObject({ kind: 'sitemap', depth: 0 });
  expect(await recordOf(engine, `${A}/1.xml`)).toMatchObject({ kind: 'sitemap', depth: 1 });
  expect(await recordOf(engine, `${A}/low`)).toMatchObject({ depth: 1, via: `${A}/1.xml` });
});

const html = (links: string): Answer => ({ body: `<!doctype html><title>Contents</title>${links}` });

test('a page that robots.txt names as a sitemap is a page, and its links are followed', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: naming(`${A}/contents`, `${B}/contents`),
    [`${A}/`]: html('<a href="/contents">'),
    [`${A}/contents`]: html('<a href="/1">'),
    [`${B}/contents`]: html(`<a href="${A}/2">`),
    [`${A}/1`]: page(),
    [`${A}/2`]: page(),
  };
  const { states, totals, engine } = await crawlToEnd(site);
  expect(states[`${A}/1`]).toBe('fetched');
  expect(totals.pages).toBe(3);
  const contents = await recordOf(engine, `${A}/contents`);
  expect(contents).toMatchObject({ kind: undefined, state: 'fetched', result: { cause: undefined } });
  expect(await recordOf(engine, `${A}/1`)).toMatchObject({ depth: 1, via: `${A}/contents` });
  // Its host is not one of the crawl.
  expect(states).not.toHaveProperty([`${A}/2`]);
  expect(await recordOf(engine, `${B}/contents`)).toMatchObject({
    kind: 'sitemap',
    result: { cause: { code: 'badDocument', detail: 'a page is not a sitemap' } },
  });
  expect((await crawlToEnd(site, { maxPages: 1 })).totals.pages).toBe(1);
});

test('a page in place of a missing file of XML is none', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: naming(`${A}/sitemap.xml`),
    [`${A}/`]: page(),
    [`${A}/sitemap.xml`]: html('<a href="/1">Home</a>'),
  };
  const { totals, engine } = await crawlToEnd(site);
  expect(totals.pages).toBe(1);
  expect(await recordOf(engine, `${A}/sitemap.xml`)).toMatchObject({ kind: 'sitemap' });
});

test('what a sitemap calls important comes first', async () => {
  const { fetcher } = await crawlToEnd(SITE);
  const order = fetcher.log.map(({ url }) => url);
  expect(order.indexOf(`${A}/high`)).toBeLessThan(order.indexOf(`${A}/low`));
});

test.each([
  ['off', {}],
  ['robots', { scope: 'page' }],
  ['robots', { maxDepth: 0 }],
] as const)('none is read with sitemaps %s and %o', async (sitemaps, config) => {
  const { fetcher } = await crawlToEnd(SITE, { sitemaps, ...config });
  expect(fetcher.log.map(({ url }) => url)).toEqual([`${A}/robots.txt`, `${A}/`]);
});

test('a crawl of its seeds alone that looks for sitemaps leaves their URLs out by their depth', async () => {
  const { states, totals } = await crawlToEnd(SITE, { sitemaps: 'find', maxDepth: 0 });
  expect(Object.keys(states).filter((url) => !url.endsWith('.xml'))).toEqual([`${A}/`]);
  expect(totals.skipped.depth).toBeGreaterThan(0);
});

test('the well-known one is tried if that is wished for and robots.txt names none', async () => {
  const site = { [`${A}/`]: page(), [`${A}/sitemap.xml`]: urlset(entry(`${A}/1`)), [`${A}/1`]: page() };
  expect((await crawlToEnd(site)).states).not.toHaveProperty([`${A}/1`]);
  expect((await crawlToEnd(site, { sitemaps: 'find' })).states[`${A}/1`]).toBe('fetched');
});

test('what was not modified since is left out', async () => {
  const site = {
    ...SITE,
    [`${A}/1.xml`]: urlset(
      entry(`${A}/low`, '<lastmod>2020-01-01</lastmod>'),
      entry(`${A}/high`, '<lastmod>2026-01-01</lastmod>'),
    ),
  };
  const { states, totals } = await crawlToEnd(site, { modifiedSince: '2025-06-01' });
  expect(states).not.toHaveProperty([`${A}/low`]);
  expect(states[`${A}/high`]).toBe('fetched');
  expect(totals.skipped).toMatchObject({ notModified: 1 });
});

test('indexes that name themselves end, and so do indexes of indexes', async () => {
  const site: Site = {
    [`${A}/robots.txt`]: naming(`${A}/0.xml`),
    [`${A}/`]: page(),
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`${A}/${i}.xml`, index(`${A}/${i}.xml`, `${A}/${i + 1}.xml`)]),
    ),
  };
  const { states, totals } = await crawlToEnd(site);
  expect(Object.keys(states)).toHaveLength(1 + 4);
  expect(totals.skipped.sitemapNesting).toBeGreaterThan(0);
});

/** An index of `children` sitemaps of `pages` pages each, all of which link to nothing. */
const flood = (children: number, pages = 200): Site => {
  const child = (n: number) => urlset(...Array.from({ length: pages }, (_, i) => entry(`${A}/${n}/${i}`)));
  const whole = index(...Array.from({ length: children }, (_, i) => `${A}/map-${i}.xml`));
  return new Proxy({} as Site, {
    get(_, url) {
      const path = String(url).slice(A.length);
      const number = /^\/map-(\d+)\.xml$/.exec(path)?.[1];
      if (number !== undefined) return child(Number(number));
      if (path === '/robots.txt') return naming(`${A}/index.xml`);
      return path === '/index.xml' ? whole : { body: `<p>${path}` };
    },
  });
};
const sitemapsAsked = ({ fetcher }: { fetcher: { log: readonly { url: string }[] } }) =>
  fetcher.log.filter(({ url }) => url.endsWith('.xml')).length;

describe('an index of many sitemaps', () => {
  test('leaves room for pages: a limit of pages is met after a few of them', async () => {
    const crawled = await crawlToEnd(flood(1000), { delayMs: 0, maxPages: 30 });
    expect(crawled.totals.pages).toBe(30);
    expect(sitemapsAsked(crawled)).toBeLessThan(8);
    expect(Object.keys(crawled.states).length).toBeLessThan(1000 + 8 * 200);
  });

  test('takes turns with pages over many turns and in several lanes', async () => {
    const crawled = await crawlToEnd(flood(60), {
      delayMs: 0,
      maxPages: 400,
      turnMaxPages: 50,
      perHost: 4,
      trapAfterPages: 0,
    });
    expect(crawled.totals.pages).toBe(400);
    const kinds = crawled.fetcher.log.map(({ url }) => url.endsWith('.xml'));
    const inTheMiddle = kinds.slice(100, 300).filter(Boolean).length;
    expect(inTheMiddle).toBeGreaterThan(10);
    expect(inTheMiddle).toBeLessThan(30);
  });

  test('is read to its end where it may be', async () => {
    const crawled = await crawlToEnd(flood(60, 20), { delayMs: 0, trapAfterPages: 0 });
    expect(sitemapsAsked(crawled)).toBe(61);
    expect(crawled.totals.pages).toBe(1 + 60 * 20);
    expect(crawled.totals.urls.waiting).toBe(0);
  });

  test('is cut at the limit, what is left out is counted, and a sitemap that the operator names is read', async () => {
    const world = createWorld(flood(100, 20));
    await begin(world, [`${A}/`], { delayMs: 0, maxSitemapsPerHost: 20, trapAfterPages: 0 });
    const named = { url: `${A}/map-777.xml`, depth: 0, isSeed: true, kind: 'sitemap' as const };
    await world.engine.exchange.send({ crawl: 'crawl', links: [named] });
    expect(await runToEnd(world)).toEqual([]);
    const totals = await world.engine.registry.totals('crawl');
    expect(sitemapsAsked(world)).toBe(21);
    expect(totals.skipped).toEqual({ sitemapsPerHost: 81 });
    expect(world.fetcher.log.map(({ url }) => url)).toContain(`${A}/map-777.xml`);
  });
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
  expect((await crawlToEnd(site)).states[`${A}/news`]).toBe('fetched');
  expect((await crawlToEnd(site, { feeds: false })).states).toEqual({ [`${A}/`]: 'fetched' });
});

/**
 * Returns the hosts that robots.txt and sitemaps can make a crawl contact, beyond those that its operator
 * chose.
 */
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

describe('other sites', () => {
  test('a sitemap index has no other site asked', async () => {
    const site = {
      [`${A}/robots.txt`]: naming(`${A}/map.xml`),
      [`${A}/`]: page(),
      [`${A}/map.xml`]: index(`${V}/1.xml`, `${B}/2.xml`, `${V}/3.xml`),
      [`${B}/2.xml`]: urlset(entry(`${A}/x`)),
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
      'http://b.test/1.xml': urlset(entry('http://b.test/x')),
      'http://b.test/x': page(),
    };
    expect((await hostsAsked(site, { scope: 'any' })).urls).toContain('http://b.test/x');
  });

  test('an index that the operator names has those of its own site read', async () => {
    const site = {
      [`${A}/`]: page(),
      [`${V}/index.xml`]: index(`${V}/1.xml`, 'http://third.test/2.xml'),
      [`${V}/1.xml`]: urlset(entry(`${A}/x`)),
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
      'http://cdn.test/map.xml': urlset(entry('http://cdn.test/1')),
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
      [`${A}/map.xml`]: urlset(entry(`${A}/docs/1`), entry(`${A}/blog/1`)),
      [`${A}/docs/1`]: page(),
    };
    const { states } = await crawlToEnd(site, { seeds: [`${A}/docs/`], scope: 'prefix' });
    expect(states[`${A}/docs/1`]).toBe('fetched');
    expect(states).not.toHaveProperty([`${A}/blog/1`]);
  });
});

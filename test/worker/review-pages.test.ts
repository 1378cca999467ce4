/** What a single hostile page, sitemap or answer can do to a crawl. */
import { expect, test } from 'vitest';
import type { HtmlLink } from '../../shared/parser/link-set.ts';
import type { PageHooks } from '../../shared/worker/page-hooks.ts';
import { type Answer, page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, recordOf, runToEnd, statesOf } from './world.ts';

const A = 'http://a.test';
const xml = (body: string): Answer => ({ headers: { 'Content-Type': 'application/xml' }, body });

async function seenBy(site: Site, seeds: readonly string[] = [`${A}/`]) {
  const seen: string[] = [];
  const hooks: PageHooks = {
    extract: async ({ facts }) => ({ facts }),
    onPage: async ({ url }) => {
      seen.push(url.slice(A.length));
      return { items: [] };
    },
    onError: async () => {},
  };
  const world = createWorld(site, { hooks });
  await begin(world, seeds);
  expect(await runToEnd(world)).toEqual([]);
  return { ...world, seen: seen.sort() };
}

test('links to other hosts, however long and many, go in parcels that can be read again', async () => {
  const site: Site = { [`${A}/`]: page() };
  // As of a sitemap of 50,000 URLs: a parcel of all could not be read.
  const links: readonly HtmlLink[] = Array.from({ length: 12_000 }, (_, i) => ({
    url: `http://b${i % 7}.test/${String(i).padStart(2000, 'x')}`,
    kind: 'a',
  }));
  const hooks: PageHooks = {
    extract: async ({ facts }) => ({ facts: { ...facts, links: [...links] } }),
    onPage: async () => ({ items: [] }),
    onError: async () => {},
  };
  const world = createWorld(site, { hooks });
  const { exchange } = world.engine;
  const { send } = exchange;
  const sent: string[] = [];
  exchange.send = async (outLinks) => {
    if (outLinks.links[0]?.isSeed) return send(outLinks);
    const chars = outLinks.links.reduce((sum, { url, via = '' }) => sum + url.length + via.length, 0);
    expect(chars).toBeLessThan(10_000_000);
    for (const { url } of outLinks.links) sent.push(url);
  };
  await begin(world, [`${A}/`], { scope: 'any' });
  expect(await runToEnd(world)).toEqual([]);
  expect(sent.sort()).toEqual(links.map(({ url }) => url).sort());
});

test('what a page says of itself is kept only so far', async () => {
  const long = 'x'.repeat(60_000);
  const site: Site = {
    [`${A}/`]: page('/1', '/2', '/3', '/4'),
    [`${A}/1`]: redirect(`/${long}`),
    [`${A}/2`]: { body: `<meta http-equiv=refresh content="0; url=/${long}">` },
    [`${A}/3`]: { headers: { 'Content-Type': `text/${long}` }, body: 'x' },
    [`${A}/4`]: { status: 200, headers: { 'X-Robots-Tag': `noindex, ${'a: '.repeat(20_000)}` }, body: 'x' },
    [`${A}/robots.txt`]: robots(`User-agent: *\nDisallow:\nSitemap: ${A}/map.xml\n`),
    [`${A}/map.xml`]: xml(`<urlset><url><${long}>`),
  };
  const world = createWorld(site);
  await begin(world, [`${A}/`]);
  expect(await runToEnd(world)).toEqual([]);
  for (const path of ['/1', '/2', '/3', '/4', '/map.xml']) {
    const { result } = (await recordOf(world.engine, A + path))!;
    expect((result?.cause ?? '').length, path).toBeLessThanOrEqual(3000);
    expect((result?.contentType ?? '').length, path).toBeLessThanOrEqual(100);
  }
});

test('of pages that call each other canonical, one is given to the project', async () => {
  const site: Site = {
    [`${A}/`]: page('/a', '/b'),
    [`${A}/a`]: { body: '<link rel=canonical href=/b>' },
    [`${A}/b`]: { body: '<link rel=canonical href=/a>' },
  };
  const { seen } = await seenBy(site);
  expect(seen).toHaveLength(2);
});

test('a page whose canonical one is known to be none is given to the project', async () => {
  const site: Site = {
    [`${A}/`]: page('/old', '/gone', '/forbidden'),
    [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /forbidden\n'),
    [`${A}/old`]: redirect('/new'),
    [`${A}/new`]: { body: '<link rel=canonical href=/old><a href=/copy>x</a><a href=/other>x</a>' },
    [`${A}/copy`]: { body: '<link rel=canonical href=/gone>' },
    [`${A}/other`]: { body: '<link rel=canonical href=/forbidden>' },
  };
  const { seen } = await seenBy(site);
  expect(seen).toEqual(['/', '/copy', '/new', '/other']);
});

test('a page of an ordinary canonical one is not, in whichever order they come', async () => {
  const site: Site = {
    [`${A}/`]: page('/list', '/list?p=2'),
    [`${A}/list`]: page('/list?p=2', '/list?p=3'),
    [`${A}/list?p=2`]: { body: '<link rel=canonical href=/list>' },
    [`${A}/list?p=3`]: { body: '<link rel=canonical href=/list>' },
  };
  expect((await seenBy(site)).seen).toEqual(['/', '/list']);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', 'http://', '//'])(
  'a page is itself where its canonical URL or its refresh is %s',
  async (url) => {
    const site: Site = {
      [`${A}/`]: {
        body: `<link rel=canonical href="${url}"><meta http-equiv=refresh content="0;url=${url}">`,
      },
    };
    const { seen, engine } = await seenBy(site);
    expect(seen).toEqual(['/']);
    expect(await statesOf(engine)).toEqual({ [`${A}/`]: 'fetched' });
  },
);

test('pages that refresh each other end', async () => {
  const to = (url: string) => ({ body: `<meta http-equiv=refresh content="0;url=${url}">` });
  const site: Site = { [`${A}/`]: to('/b'), [`${A}/b`]: to('/') };
  expect(await statesOf((await seenBy(site)).engine)).toEqual({
    [`${A}/`]: 'redirect',
    [`${A}/b`]: 'redirect',
  });
});

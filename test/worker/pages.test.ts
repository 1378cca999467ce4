import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/crawl/config.ts';
import type { Skip } from '../../shared/optional-ports.ts';
import { type Answer, page, redirect, type Site } from './scripted-fetcher.ts';
import { begin, createWorld, recordOf, runToEnd, statesOf } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';

async function crawl(site: Site, config: CrawlOptions = {}, seeds = [`${A}/`]) {
  const skips: Skip[] = [];
  const world = createWorld(site, { optional: { skips: { note: (_, skip) => skips.push(skip) } } });
  await begin(world, seeds, config);
  expect(await runToEnd(world)).toEqual([]);
  const totals = await world.engine.registry.totals('crawl');
  return { ...world, totals, skips, states: await statesOf(world.engine) };
}

const html = (text: string, headers = {}): Answer => ({ body: text, headers });

describe('what a page asks for', () => {
  test('is obeyed: links of a page that says nofollow are left out, and counted', async () => {
    const site = {
      [`${A}/`]: page('/meta', '/field', '/link'),
      [`${A}/meta`]: html('<meta name=robots content=nofollow><a href=/1>x</a>'),
      [`${A}/field`]: html('<a href=/2>x</a>', { 'X-Robots-Tag': 'nofollow' }),
      [`${A}/link`]: html('<a rel=nofollow href=/3>x</a><a href=/4>x</a>'),
    };
    const { states, totals, skips } = await crawl(site);
    expect(Object.keys(states).sort()).toEqual(
      ['/', '/4', '/field', '/link', '/meta'].map((path) => A + path),
    );
    expect(totals.skipped).toEqual({ nofollow: 3 });
    expect(skips).toContainEqual({ url: `${A}/3`, reason: 'nofollow', via: `${A}/link` });
    const free = await crawl(site, { obeyNofollow: false });
    expect(Object.keys(free.states)).toHaveLength(8);
  });

  test('for other robots is not for us, and by our own name it is', async () => {
    const site = {
      [`${A}/`]: page('/other', '/ours'),
      [`${A}/other`]: html('<meta name=otherbot content=nofollow><a href=/1>x</a>'),
      [`${A}/ours`]: html('<meta name=strand content=nofollow><a href=/2>x</a>'),
    };
    const { states } = await crawl(site);
    expect(states[`${A}/1`]).toBe('gone');
    expect(states).not.toHaveProperty([`${A}/2`]);
  });

  test('a page whose canonical URL is another one of the crawl leads there', async () => {
    const site = {
      [`${A}/`]: page('/copy'),
      [`${A}/copy`]: html('<link rel=canonical href=/original>'),
      [`${A}/original`]: page(),
    };
    const { states, engine } = await crawl(site);
    expect(states[`${A}/original`]).toBe('fetched');
    expect((await recordOf(engine, `${A}/copy`))?.result?.cause).toBe(`its canonical URL is ${A}/original`);
    expect(Object.keys((await crawl(site, { obeyCanonical: false })).states)).not.toContain(`${A}/original`);
  });

  test('a canonical URL outside the crawl changes nothing', async () => {
    const { engine, states } = await crawl({ [`${A}/`]: html(`<link rel=canonical href=${B}/>`) });
    expect(states).toEqual({ [`${A}/`]: 'fetched' });
    expect((await recordOf(engine, `${A}/`))?.result?.cause).toBeUndefined();
  });

  test('a quick meta refresh is a redirect, a slow one a link', async () => {
    const site = {
      [`${A}/`]: page('/soft', '/slow', '/self'),
      [`${A}/soft`]: html('<meta http-equiv=refresh content="0; url=/1">'),
      [`${A}/slow`]: html('<meta http-equiv=refresh content="30; url=/2">'),
      [`${A}/self`]: html('<meta http-equiv=refresh content="2; url=/self">'),
      [`${A}/1`]: page(),
      [`${A}/2`]: page(),
    };
    const { engine, totals } = await crawl(site);
    expect(await recordOf(engine, `${A}/soft`)).toMatchObject({
      state: 'redirect',
      result: { cause: `to ${A}/1 (meta refresh)` },
    });
    expect(await recordOf(engine, `${A}/1`)).toMatchObject({ state: 'fetched', depth: 1, redirects: 1 });
    expect(await recordOf(engine, `${A}/2`)).toMatchObject({ state: 'fetched', depth: 2 });
    expect((await recordOf(engine, `${A}/self`))?.state).toBe('fetched');
    expect(totals.pages).toBe(5);
    expect((await recordOf((await crawl(site, { softRedirects: false })).engine, `${A}/soft`))?.state).toBe(
      'fetched',
    );
  });
});

describe('URL rules', () => {
  test('make spellings one URL, redirects among them', async () => {
    const site = {
      [`${A}/`]: page('/p?utm_source=x', '/p?utm_source=y', '/to'),
      [`${A}/p`]: page(),
      [`${A}/to`]: redirect('/p?gclid=1'),
    };
    const { states } = await crawl(site);
    expect(states).toEqual({ [`${A}/`]: 'fetched', [`${A}/p`]: 'fetched', [`${A}/to`]: 'redirect' });
  });

  test('do not hide a page that answers only with what they would drop', async () => {
    const site = {
      [`${A}/`]: redirect('/?PHPSESSID=0123456789abcdef0123456789abcdef'),
      [`${A}/?PHPSESSID=0123456789abcdef0123456789abcdef`]: page('/1'),
      [`${A}/1`]: page(),
    };
    const { states } = await crawl(site);
    expect(states[`${A}/1`]).toBe('fetched');
  });
});

describe('folders above', () => {
  test('are tried where that is wished for', async () => {
    const site = { [`${A}/x`]: page('/a/b/c'), [`${A}/a/b/c`]: page(), [`${A}/a/b/`]: page() };
    const { states } = await crawl(site, { ascendPaths: true }, [`${A}/x`]);
    expect(states).toEqual({
      [`${A}/x`]: 'fetched',
      [`${A}/a/b/c`]: 'fetched',
      [`${A}/a/b/`]: 'fetched',
      [`${A}/a/`]: 'gone',
      [`${A}/`]: 'gone',
    });
  });
});

describe('settings of some hosts', () => {
  test('count there and nowhere else', async () => {
    const site = {
      [`${A}/`]: page('/1', '/2', '/3'),
      [`${B}/`]: page('/1', '/2', '/3'),
    };
    const config: CrawlOptions = {
      overrides: [
        { hosts: ['*.test'], delayMs: 100 },
        { hosts: ['b.test'], maxPagesPerHost: 2, exclude: ['/3$'] },
      ],
    };
    const { states, fetcher, totals } = await crawl(site, config, [`${A}/`, `${B}/`]);
    expect(fetcher.log.filter(({ host }) => host === 'a.test')).toHaveLength(5);
    expect(Object.keys(states)).not.toContain(`${B}/3`);
    expect(totals.skipped).toMatchObject({ exclude: 1 });
    expect(
      Object.entries(states).filter(([url, state]) => url.startsWith(B) && state !== 'waiting'),
    ).toHaveLength(2);
    const [first, second] = fetcher.log.filter(({ host }) => host === 'a.test');
    expect(second!.startedAt - first!.endedAt).toBe(100);
  });
});

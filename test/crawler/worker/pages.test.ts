import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { Skip } from '../../../shared/crawler/ports/skip-log.ts';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { type Answer, page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, CRAWL, crawlToEnd, createWorld, gapsOf, recordOf, runToEnd, SILENT, said } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';

async function crawl(site: Site, config: CrawlOptions = {}, seeds = [`${A}/`]) {
  const skips: Skip[] = [];
  const optional = { skips: { note: (_: string, skip: Skip) => skips.push(skip) } };
  return { ...(await crawlToEnd(site, { ...config, seeds }, { optional })), skips };
}

const html = (text: string, headers = {}): Answer => ({ body: text, headers });

describe('a page with more links than it may have', () => {
  const site = {
    [`${A}/`]: page(...Array.from({ length: 8 }, (_, n) => `/${n}`)),
    [`${A}/0`]: html('<link rel=canonical href=/1><a href=/x><a href=/y><a href=/x><a href=/z><a href=/w>'),
    [`${A}/1`]: page(),
  };

  test('says how many are left out, and why; and they are listed', async () => {
    const { states, totals, skips, engine } = await crawl(site, { maxLinksPerPage: 3 });
    expect(Object.keys(states).filter((url) => /[/]\d$/.test(url))).toEqual([`${A}/0`, `${A}/1`, `${A}/2`]);
    expect(totals.skipped).toEqual({ linksPerPage: 6 });
    expect(said(await recordOf(engine, `${A}/`))).toBe('5 links left out: more than 3 links');
    expect(said(await recordOf(engine, `${A}/0`))).toBe(
      `1 link left out: more than 3 links; its canonical URL is ${A}/1`,
    );
    expect(skips[0]).toEqual({
      url: `${A}/`,
      reason: 'linksPerPage',
      via: undefined,
      cause: { code: 'linksDropped', links: 5, detail: 'more than 3 links' },
    });
    for (const n of [3, 4, 5, 6, 7])
      expect(skips).toContainEqual({ url: `${A}/${n}`, reason: 'linksPerPage', via: `${A}/` });
  });

  test('says nothing where all are taken in', async () => {
    const { states, totals, skips, engine } = await crawl(site);
    expect(Object.keys(states)).toHaveLength(13);
    expect([totals.skipped, skips]).toEqual([{}, []]);
    expect(said(await recordOf(engine, `${A}/`))).toBeUndefined();
  });

  test('100,000 links are taken in, to this host and to others, and the next turns continue with them', async () => {
    const own = Array.from({ length: 50_000 }, (_, n) => `/p/${n}`);
    const others = Array.from({ length: 50_000 }, (_, n) => `http://h${n}.test/`);
    const site = { [`${A}/`]: page(...own, ...others) };
    const { world, sent } = watched(site);
    await begin(world, [`${A}/`], { scope: 'any', maxPagesPerHost: 2 });
    expect(await runToEnd(world)).toEqual([]);
    const counts = (await world.engine.ledgers.loadHead(CRAWL, 'a.test'))?.ledger.counts;
    expect(counts?.waiting).toBeGreaterThanOrEqual(49_999);
    // A visit that outlives its lease is made again: compression takes real time, in which this clock leaps.
    expect(new Set(sent).size).toBe(50_000);
  });
});

/** A world whose links to other hosts are noted, and go nowhere. */
function watched(site: Site) {
  const world = createWorld(site);
  const { exchange } = world.engine;
  const { send } = exchange;
  const sent: string[] = [];
  exchange.send = async (outLinks) => {
    if (outLinks.links[0]?.isSeed) return send(outLinks);
    for (const { url } of outLinks.links) sent.push(url);
  };
  return { world, sent };
}

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
    const { states, engine, totals } = await crawl(site);
    expect(states[`${A}/original`]).toBe('fetched');
    expect(totals.hints).toEqual({ canonicalCopy: 1 });
    expect(said(await recordOf(engine, `${A}/copy`))).toBe(`its canonical URL is ${A}/original`);
    expect(Object.keys((await crawl(site, { obeyCanonical: false })).states)).not.toContain(`${A}/original`);
  });

  test('a canonical URL outside the crawl changes nothing', async () => {
    const { engine, states } = await crawl({ [`${A}/`]: html(`<link rel=canonical href=${B}/>`) });
    expect(states).toEqual({ [`${A}/`]: 'fetched' });
    expect(said(await recordOf(engine, `${A}/`))).toBeUndefined();
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
      result: { cause: { code: 'redirect', to: `${A}/1`, isSoft: true } },
    });
    expect(await recordOf(engine, `${A}/1`)).toMatchObject({ state: 'fetched', depth: 1, redirects: 1 });
    expect(await recordOf(engine, `${A}/2`)).toMatchObject({ state: 'fetched', depth: 2 });
    expect((await recordOf(engine, `${A}/self`))?.state).toBe('fetched');
    expect(totals.pages).toBe(5);
    expect((await recordOf((await crawl(site, { softRedirects: false })).engine, `${A}/soft`))?.state).toBe(
      'fetched',
    );
  });

  test('pages that refresh each other end', async () => {
    const to = (url: string) => ({ body: `<meta http-equiv=refresh content="0;url=${url}">` });
    const site: Site = { [`${A}/`]: to('/b'), [`${A}/b`]: to('/') };
    expect((await crawl(site)).states).toEqual({
      [`${A}/`]: 'redirect',
      [`${A}/b`]: 'redirect',
    });
  });

  test('pages each of which refreshes to a new one end, as redirects do', async () => {
    const site: Site = new Proxy(
      {},
      {
        get: (_, url) => {
          const path = String(url).slice(A.length + 1);
          if (path === 'robots.txt') return undefined;
          const to = `/${Number(path) + 1}`;
          return { body: `<meta http-equiv=refresh content="0;url=${to}"><a href="${to}">go on</a>` };
        },
      },
    );
    const { states, engine, totals } = await crawl(site, { maxRedirects: 3, maxDepth: 30 });
    expect(Object.keys(states).length).toBe(4);
    expect(said(await recordOf(engine, `${A}/3`))).toContain('not followed: 4 redirects in a row');
    expect(totals.skipped).toEqual({ redirects: 1 });
  });

  test('is kept only so far', async () => {
    const long = 'x'.repeat(60_000);
    const site: Site = {
      [`${A}/`]: page('/1', '/2', '/3', '/4'),
      [`${A}/1`]: redirect(`/${long}`),
      [`${A}/2`]: { body: `<meta http-equiv=refresh content="0; url=/${long}">` },
      [`${A}/3`]: { headers: { 'Content-Type': `text/${long}` }, body: 'x' },
      [`${A}/4`]: { status: 200, headers: { 'X-Robots-Tag': `noindex, ${'a: '.repeat(20_000)}` }, body: 'x' },
      [`${A}/robots.txt`]: robots(`Sitemap: ${A}/map.xml\n`),
      [`${A}/map.xml`]: html(`<urlset><url><${long}>`, { 'Content-Type': 'application/xml' }),
    };
    const { engine } = await crawl(site);
    for (const path of ['/1', '/2', '/3', '/4', '/map.xml']) {
      const { result } = (await recordOf(engine, A + path))!;
      expect(JSON.stringify(result?.cause ?? '').length, path).toBeLessThanOrEqual(3000);
      expect((result?.contentType ?? '').length, path).toBeLessThanOrEqual(100);
    }
  });
});

/** The pages that onPage is called for. */
async function seenBy(site: Site, config: CrawlOptions = {}) {
  const seen: string[] = [];
  const onPage = async ({ url }: { url: string }) => {
    seen.push(url.slice(A.length));
    return { items: [] };
  };
  const world = await crawlToEnd(site, config, { hooks: { ...SILENT, onPage } });
  return { ...world, seen: seen.sort() };
}

describe('onPage is called', () => {
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

  test('a page whose canonical one proves to be none afterwards is fetched once more, and given to the project', async () => {
    const copyOf = (url: string): Answer => ({ body: `<link rel=canonical href=${url}>` });
    const site: Site = {
      [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /forbidden\n'),
      // The canonical URLs are found by their copies.
      [`${A}/`]: page('/back', '/gone1', '/gone2', '/denied', '/refresh', '/broken', '/left'),
      [`${A}/back`]: copyOf('/BACK'),
      [`${A}/BACK`]: redirect('/back'),
      [`${A}/gone1`]: copyOf('/gone'),
      [`${A}/gone2`]: copyOf('/gone'),
      [`${A}/denied`]: copyOf('/forbidden'),
      [`${A}/refresh`]: { body: '<meta http-equiv=refresh content="0; url=/refreshed">' },
      [`${A}/refreshed`]: copyOf('/refresh'),
      [`${A}/broken`]: copyOf('/error'),
      [`${A}/error`]: { status: 500 },
      // A URL that is left out as it is taken in.
      [`${A}/left`]: copyOf('/?a=1'),
      [`${A}/?a=1`]: page(),
    };
    const { seen, totals, states, fetcher } = await seenBy(site);
    const pages = ['/', '/?a=1', '/back', '/broken', '/denied', '/gone1', '/gone2', '/refreshed'];
    expect(seen).toEqual(pages);
    expect(states[`${A}/back`]).toBe('fetched');
    // Each page counts once, and is asked for twice at most; /gone and /error are pages that are not there.
    expect(totals.pages).toBe(11);
    // In the end only /left is a copy.
    expect(totals.hints).toEqual({ canonicalCopy: 1 });
    for (const path of pages) expect(fetcher.count(A + path), path).toBeLessThanOrEqual(2);
  });

  test('pages that all name the front page, or the first page of their list, are given to the project', async () => {
    const to = (url: string, ...links: string[]): Answer => ({
      body: `<head><link rel=canonical href=${url}></head><body>${links.map((link) => `<a href="${link}">x</a>`).join('')}`,
    });
    const site: Site = {
      [`${A}/`]: to('/', '/a', '/b', '/list', '/index.html'),
      [`${A}/a`]: to('/'),
      [`${A}/b`]: to('/'),
      [`${A}/index.html`]: to('/'),
      [`${A}/list`]: to('/list', '/list?page=2', '/list?sort=up'),
      [`${A}/list?page=2`]: to('/list'),
      [`${A}/list?sort=up`]: to('/list'),
    };
    const { seen, totals } = await seenBy(site);
    expect(seen).toEqual(['/', '/a', '/b', '/list', '/list?page=2']);
    expect(totals.hints).toEqual({ canonicalCopy: 2 });
  });

  test('pages that are kept from the project by noindex are counted', async () => {
    const hidden: Answer = { body: '<meta name=robots content=noindex>' };
    const site: Site = { [`${A}/`]: page('/a', '/b'), [`${A}/a`]: hidden, [`${A}/b`]: hidden };
    const { seen, totals } = await seenBy(site);
    expect(seen).toEqual(['/']);
    expect(totals.hints).toEqual({ noindex: 2 });
  });

  test('a page that names another canonical URL each time, which leads back, is fetched twice at most', async () => {
    let asked = 0;
    const site: Site = {
      [`${A}/`]: page('/a'),
      [`${A}/a`]: () => ({ body: `<link rel=canonical href=/to-${++asked}>` }),
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${A}/to-${i + 1}`, redirect('/a')])),
    };
    const { seen } = await seenBy(site);
    expect(seen).toEqual(['/', '/a']);
    expect(asked).toBe(2);
  });

  test('a page whose canonical one on another host leads back to it is given to the project', async () => {
    const site: Site = {
      [`${A}/`]: { body: `<link rel=canonical href=${B}/>` },
      [`${B}/`]: redirect(`${A}/`),
    };
    const seen: string[] = [];
    const onPage: PageHooks['onPage'] = async ({ url }) => {
      seen.push(url);
      return { items: [] };
    };
    const { totals } = await crawlToEnd(site, { scope: 'any' }, { hooks: { ...SILENT, onPage } });
    expect(seen).toEqual([`${A}/`]);
    expect(totals.pages).toBe(1);
    expect(totals.seeds).toEqual({ fetched: 1 });
  });

  test('also where that one was met first, and has led to it', async () => {
    const site: Site = {
      [`${A}/`]: { body: `<link rel=canonical href=${B}/>` },
      [`${B}/`]: redirect(`${A}/`),
    };
    const seen: string[] = [];
    const onPage: PageHooks['onPage'] = async ({ url }) => {
      seen.push(url);
      return { items: [] };
    };
    const options = { scope: 'any', seeds: [`${B}/`] } as const;
    const { totals } = await crawlToEnd(site, options, { hooks: { ...SILENT, onPage } });
    expect(seen).toEqual([`${A}/`]);
    expect(totals.pages).toBe(1);
  });

  test('a copy that is fetched once more is tried as often as any page', async () => {
    let asked = 0;
    const site: Site = {
      [`${A}/`]: page('/a'),
      [`${A}/a`]: () =>
        [2, 3].includes(++asked) ? { status: 503 } : { body: '<link rel=canonical href=/b>' },
      [`${A}/b`]: redirect('/a'),
    };
    const { seen, states } = await seenBy(site, { maxAttempts: 3 });
    expect(seen).toEqual(['/', '/a']);
    expect(states[`${A}/a`]).toBe('fetched');
    expect(asked).toBe(4);
  });

  test('copies that other visits have found are fetched once more', async () => {
    const site: Site = {
      [`${A}/`]: page('/a', '/b'),
      [`${A}/a`]: { body: '<link rel=canonical href=/none/1>' },
      [`${A}/b`]: { body: '<link rel=canonical href=/none/1>' },
      [`${A}/none/1`]: { status: 410 },
    };
    const { seen } = await seenBy(site, { turnMaxPages: 1 });
    expect(seen).toEqual(['/', '/a', '/b']);
  });

  test('a copy in a run is fetched once more, too, and counts once', async () => {
    const others = Array.from({ length: 4500 }, (_, i) => `/x${i}`);
    const site: Site = {
      [`${A}/`]: page(...others),
      [`${A}/copy`]: { body: '<link rel=canonical href=/original>' },
      [`${A}/original`]: redirect('/copy'),
    };
    const seen: string[] = [];
    const onPage: PageHooks['onPage'] = async ({ url }) => {
      seen.push(new URL(url).pathname);
      return { items: [] };
    };
    const world = createWorld(site, { hooks: { ...SILENT, onPage } });
    // The first turn fetches the two seeds.
    await begin(world, [`${A}/`, `${A}/copy`], {
      turnMaxPages: 2,
      maxPages: 6,
      trapAfterPages: 0,
      delayMs: 100,
    });
    await runToEnd(world);
    const { totals, ledger } = (await world.engine.ledgers.loadHead(CRAWL, new URL(A).host))!;
    expect(ledger.runs.length).toBeGreaterThan(0);
    expect(seen).toEqual(['/', '/copy']);
    expect(world.fetcher.count(`${A}/copy`)).toBe(2);
    expect(totals.pages).toBe(6);
    expect(totals.seeds).toEqual({ fetched: 2 });
    const counted = Object.values(ledger.counts).reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(4503);
  });

  test('on a host so large that its URLs are in runs, too', async () => {
    const others = Array.from({ length: 4500 }, (_, i) => `/x${i}`);
    const site: Site = {
      // Fetched first, and in a run when the others come.
      [`${A}/a`]: page(...others),
      [`${A}/b`]: { body: '<link rel=canonical href=/0named>' },
      [`${A}/gone`]: { status: 404 },
      // /b names this one, so that this one is the page.
      [`${A}/0named`]: { body: '<link rel=canonical href=/b>' },
      [`${A}/0copy`]: { body: '<link rel=canonical href=/a>' },
      [`${A}/0itself`]: { body: '<link rel=canonical href=/gone>' },
    };
    const seen: string[] = [];
    const onPage: PageHooks['onPage'] = async ({ url }) => {
      seen.push(new URL(url).pathname);
      return { items: [] };
    };
    const world = createWorld(site, { hooks: { ...SILENT, onPage } });
    const seeds = ['/a', '/b', '/gone', '/0named', '/0copy', '/0itself'].map((path) => A + path);
    // The first turn, which is short, fetches `/a`, `/b` and `/gone`.
    await begin(world, seeds, { turnMaxPages: 3, maxPages: 6, trapAfterPages: 0, delayMs: 100 });
    await runToEnd(world);
    const head = await world.engine.ledgers.loadHead(CRAWL, new URL(A).host);
    expect(head?.ledger.runs.length).toBeGreaterThan(0);
    expect(seen.sort()).toEqual(['/0itself', '/0named', '/a']);
  });

  test('a page with an ordinary canonical one is not, in any order', async () => {
    const site: Site = {
      [`${A}/`]: page('/list', '/list?sort=a'),
      [`${A}/list`]: page('/list?sort=a', '/list?sort=b'),
      [`${A}/list?sort=a`]: { body: '<link rel=canonical href=/list>' },
      [`${A}/list?sort=b`]: { body: '<link rel=canonical href=/list>' },
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
      const { seen, states } = await seenBy(site);
      expect(seen).toEqual(['/']);
      expect(states).toEqual({ [`${A}/`]: 'fetched' });
    },
  );
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

  test('count where the robots.txt of another host leads to theirs', async () => {
    const site: Site = {
      [`${A}/robots.txt`]: redirect(`${B}/1`),
      [`${B}/1`]: redirect(`${B}/2`),
      [`${B}/2`]: redirect(`${B}/3`),
      [`${B}/3`]: robots('User-agent: *\nDisallow: /no\n'),
      [`${A}/`]: page(),
    };
    const config: CrawlOptions = {
      delayMs: 1000,
      overrides: [
        { hosts: ['a.test'], delayMs: 0, perHost: 4 },
        { hosts: ['b.test'], delayMs: 3000 },
      ],
    };
    const { fetcher } = await crawlToEnd(site, config);
    expect(Math.min(...gapsOf(fetcher, 'b.test'))).toBeGreaterThanOrEqual(3000);
  });
});

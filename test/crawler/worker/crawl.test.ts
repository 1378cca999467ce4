import { describe, expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import { CrawlTooLarge } from '../../../shared/crawler/ports/crawl-registry.ts';
import { page, redirect, robots, type Site } from './scripted-fetcher.ts';
import { begin, crawlToEnd, createWorld, gapsOf, ledgersOf, recordOf, runToEnd, said } from './world.ts';

const A = 'http://a.test';
const B = 'http://b.test';

const crawl = (site: Site, seeds: string[], config = {}) => crawlToEnd(site, { ...config, seeds });

describe('a crawl', () => {
  test('fetches its seeds and follows links to closure, each URL once', async () => {
    const site = {
      [`${A}/`]: page('/1', '/2', `${B}/`, '/'),
      [`${A}/1`]: page('/2', '/3'),
      [`${A}/2`]: page('/1', 'http://elsewhere.test/'),
      [`${A}/3`]: page(`${B}/x#part`, 'mailto:a@b.test'),
      [`${B}/`]: page(`${A}/4`, '/gone'),
      [`${B}/x`]: page(),
      [`${A}/4`]: page(),
    };
    const { states, fetcher, totals } = await crawl(site, [`${A}/`, `${B}/`]);
    expect(states).toEqual({
      ...Object.fromEntries(Object.keys(site).map((url) => [url, 'fetched'])),
      [`${B}/gone`]: 'gone',
    });
    for (const url of Object.keys(states)) expect(fetcher.count(url), url).toBe(1);
    expect(fetcher.log.length).toBe(8 + 2);
    expect(totals).toMatchObject({ hosts: 2, pages: 8, requests: 10, skipped: { scope: 1 } });
    expect(totals.httpStatus).toEqual({ 200: 7, 404: 3 });
  });

  test('knows of each URL where it was found and how deep', async () => {
    const { engine } = await crawl({ [`${A}/`]: page('/1'), [`${A}/1`]: page('/2') }, [`${A}/`]);
    expect(await recordOf(engine, `${A}/2`)).toMatchObject({ depth: 2, via: `${A}/1`, state: 'gone' });
    expect(await recordOf(engine, `${A}/`)).toMatchObject({ depth: 0, level: 7 });
  });

  test('has archived each final response when the ledger names its location', async () => {
    const { engine } = await crawl({ [`${A}/`]: page('/1'), [`${A}/1`]: page() }, [`${A}/`]);
    const { read } = engine.archiveOf('crawl');
    for (const { records } of (await ledgersOf(engine)).values())
      for (const { result } of records.values())
        expect([...read(result!.location!).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  test('goes no deeper than maxDepth', async () => {
    const site = { [`${A}/`]: page('/1'), [`${A}/1`]: page('/2'), [`${A}/2`]: page('/3') };
    const { states, totals } = await crawl(site, [`${A}/`], { maxDepth: 1 });
    expect(states).toEqual({ [`${A}/`]: 'fetched', [`${A}/1`]: 'fetched' });
    expect(totals.skipped).toEqual({ depth: 1 });
  });

  test('records URLs that robots.txt denies, with the rule, and does not ask for them', async () => {
    const site = {
      [`${A}/robots.txt`]: robots('User-agent: *\nDisallow: /no\n'),
      [`${A}/`]: page('/no/1', '/yes'),
      [`${A}/yes`]: page('/no/2'),
    };
    const { states, fetcher, engine } = await crawl(site, [`${A}/`]);
    expect(states).toEqual({
      [`${A}/`]: 'fetched',
      [`${A}/yes`]: 'fetched',
      [`${A}/no/1`]: 'deniedByRobots',
      [`${A}/no/2`]: 'deniedByRobots',
    });
    expect(fetcher.count(`${A}/no/1`) + fetcher.count(`${A}/no/2`)).toBe(0);
    expect(said(await recordOf(engine, `${A}/no/1`))).toBe('robots.txt, line 2: Disallow: /no');
  });

  test('asks each origin of a host for its own robots.txt', async () => {
    const site = {
      'http://a.test/robots.txt': robots('User-agent: *\nDisallow: /x\n'),
      'http://a.test/': page('/x', 'https://a.test/x'),
      'https://a.test/x': page(),
    };
    const { states } = await crawl(site, ['http://a.test/']);
    expect(states).toMatchObject({ 'http://a.test/x': 'deniedByRobots', 'https://a.test/x': 'fetched' });
  });

  test.each([
    ['an answer of 5xx', 4, { status: 500 }],
    ['no answer', 4, { fails: 'timeout' as const }],
    // Where it redirects to is kept: the other host is asked again instead.
    ['a redirect to a host that does not answer', 1, redirect('http://dead.test/robots.txt')],
  ])(
    'fetches nothing of a host whose robots.txt gives %s, and sets it aside with its cause',
    async (_, requests, answer) => {
      const dead = { fails: 'connect' as const };
      const { states, fetcher, engine } = await crawl(
        { [`${A}/robots.txt`]: answer, 'http://dead.test/robots.txt': dead, [`${A}/`]: page() },
        [`${A}/`],
        { maxHostFailures: 4, keepTrying: true },
      );
      expect(states).toEqual({ [`${A}/`]: 'waiting' });
      expect(fetcher.count(`${A}/`)).toBe(0);
      expect(fetcher.count(`${A}/robots.txt`)).toBe(requests);
      const { head } = (await ledgersOf(engine)).get('a.test')!;
      expect(head.clock.failures).toBe(4);
      expect(optionalText(head.setAside?.cause)).toMatch(/^robots\.txt: /);
    },
  );

  test('ends when its last host is given up, not after the rest that the host would have had', async () => {
    const { clock, fetcher } = await crawl({ [`${A}/robots.txt`]: { fails: 'connect' } }, [`${A}/`], {
      keepTrying: true,
    });
    expect(fetcher.log.length).toBe(5);
    // The rest after the fifth failure would be 80 s.
    expect(clock.now() - fetcher.log.at(-1)!.endedAt).toBeLessThan(10_000);
  });

  test('gives a host up at the second try if its failure will last', async () => {
    const expired = { fails: 'tls', code: 'certificateExpired' } as const;
    const { engine, fetcher } = await crawl({ 'https://a.test/robots.txt': expired }, ['https://a.test/']);
    expect(fetcher.log.length).toBe(2);
    expect(gapsOf(fetcher, 'a.test')[0]).toBeLessThan(7000);
    const { head } = (await ledgersOf(engine)).get('a.test')!;
    expect(optionalText(head.setAside?.cause)).toBe('tls: https://a.test/robots.txt');
    expect(head.clock.code).toBe('certificateExpired');
  });

  test.each([
    ['http', ['http://a.test/']],
    ['https', ['https://a.test/s', 'http://a.test/']],
  ])(
    'an origin that cannot be fetched gives up its own URLs, and the other origin of the host continues (%s first)',
    async (_, seeds) => {
      const dead = { fails: 'connect' as const };
      const site = {
        'https://a.test/robots.txt': dead,
        'http://a.test/': page('https://a.test/s', 'https://a.test/t', '/1', '/2', '/3', '/4', '/5'),
        ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`http://a.test/${n}`, page()])),
      };
      const { states, fetcher, engine } = await crawl(site, seeds);
      const failed = { 'https://a.test/s': 'failed', 'https://a.test/t': 'failed' };
      const fetched = ['', 1, 2, 3, 4, 5].map((n) => [`http://a.test/${n}`, 'fetched']);
      expect(states).toEqual({ ...failed, ...Object.fromEntries(fetched) });
      expect(fetcher.count('https://a.test/s')).toBe(0);
      expect((await ledgersOf(engine)).get('a.test')?.head.setAside).toBeUndefined();
    },
  );

  test("asks for robots.txt once, though many of the host's URLs wait for it", async () => {
    const seeds = [1, 2, 3, 4].map((n) => `${A}/${n}`);
    const { fetcher } = await crawl({}, seeds, { perHost: 4 });
    expect(fetcher.count(`${A}/robots.txt`)).toBe(1);
  });

  test('continues with a host whose robots.txt comes back', async () => {
    const { states } = await crawl(
      { [`${A}/robots.txt`]: (before) => ({ status: before < 3 ? 503 : 404 }), [`${A}/`]: page() },
      [`${A}/`],
    );
    expect(states).toEqual({ [`${A}/`]: 'fetched' });
  });
});

describe('limits', () => {
  test.each([1, 7, 20, 31])('maxPages is met exactly over many hosts at once: %i', async (maxPages) => {
    const hosts = Array.from({ length: 10 }, (_, i) => `http://h${i}.test`);
    const site = Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}/`, page('/1', '/2', '/r', '/3')],
        [`${host}/1`, page()],
        [`${host}/2`, { status: 403 }],
        [`${host}/3`, page()],
        [`${host}/r`, redirect('/3')],
      ]),
    );
    const { totals, fetcher } = await crawl(
      site,
      hosts.map((host) => `${host}/`),
      { maxPages },
    );
    expect(totals.pages).toBe(maxPages);
    const pages = fetcher.log.filter(({ url }) => !/(robots\.txt|\/r)$/.test(url)).length;
    expect(pages).toBe(maxPages);
  });

  test('maxPages beyond what there is ends with what there is', async () => {
    const { totals } = await crawl({ [`${A}/`]: page('/1', '/r'), [`${A}/r`]: redirect('/1') }, [`${A}/`], {
      maxPages: 3,
    });
    expect(totals.pages).toBe(2);
  });

  test.each([1, 4])('no host gives more than maxPagesPerHost, with %i requests at once', async (perHost) => {
    const links = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const { totals, states } = await crawl(
      { [`${A}/`]: page(...links, `${B}/`), [`${B}/`]: page(...links) },
      [`${A}/`, `${B}/`],
      { maxPagesPerHost: 10, perHost, delayMs: 100 },
    );
    expect(totals.pages).toBe(20);
    expect(Object.values(states).filter((state) => state === 'waiting').length).toBe(62 - 20);
  });

  test('a limit that is met ends all turns, and what waits still waits', async () => {
    const { states, totals } = await crawl({ [`${A}/`]: page('/1', '/2', '/3') }, [`${A}/`], { maxPages: 2 });
    expect(totals.urls).toMatchObject({ fetched: 1, gone: 1, waiting: 2 });
    expect(Object.keys(states).length).toBe(4);
  });
});

describe('redirects', () => {
  test('are links of the same depth, within the host and to others', async () => {
    const site = {
      [`${A}/`]: redirect('/home'),
      [`${A}/home`]: redirect(`${B}/home`, 302),
      [`${B}/home`]: page(),
    };
    const { states, engine } = await crawl(site, [`${A}/`, `${B}/`]);
    expect(states).toMatchObject({
      [`${A}/`]: 'redirect',
      [`${A}/home`]: 'redirect',
      [`${B}/home`]: 'fetched',
    });
    expect(await recordOf(engine, `${B}/home`)).toMatchObject({ depth: 0, redirects: 2, via: `${A}/home` });
    expect(said(await recordOf(engine, `${A}/`))).toBe(`to ${A}/home`);
  });

  test('are followed maxRedirects times in a row', async () => {
    const { fetcher, engine, totals } = await crawl(
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${A}/${i}`, redirect(`/${i + 1}`)])),
      [`${A}/0`],
      { maxRedirects: 3 },
    );
    expect(fetcher.count(`${A}/3`)).toBe(1);
    expect(fetcher.count(`${A}/4`)).toBe(0);
    expect(totals.skipped).toEqual({ redirects: 1 });
    expect(said(await recordOf(engine, `${A}/3`))).toContain('not followed: 4 redirects in a row');
  });

  test.each([
    ['in a circle', redirect('/')],
    ['without Location', { status: 301 }],
    ['to no http(s) URL', redirect('javascript:void(0)')],
    ['to nonsense', redirect('http://[')],
  ])('that lead nowhere end: %s', async (_, answer) => {
    const { states, fetcher } = await crawl({ [`${A}/`]: answer }, [`${A}/`]);
    expect(states).toEqual({ [`${A}/`]: 'redirect' });
    expect(fetcher.count(`${A}/`)).toBe(1);
  });

  test('a seed that leads to another host of its site widens the scope, with all that is linked there', async () => {
    const www = 'http://www.example.com';
    const site = {
      'http://example.com/': redirect(`${www}/`),
      [`${www}/`]: page('/1', 'http://other.example.com/'),
      [`${www}/1`]: page(),
    };
    const { states, engine } = await crawl(site, ['http://example.com/']);
    expect(states).toEqual({
      'http://example.com/': 'redirect',
      [`${www}/`]: 'fetched',
      [`${www}/1`]: 'fetched',
    });
    expect((await engine.registry.load('crawl'))?.scopeSeeds).toEqual(['http://example.com/', `${www}/`]);
  });

  test('the widened scope holds in the turn that widened it', async () => {
    const site = {
      'http://example.com/': redirect('http://www.example.com/'),
      'http://example.com/about': page('http://www.example.com/x'),
    };
    const { states } = await crawl(site, ['http://example.com/', 'http://example.com/about']);
    expect(states).toMatchObject({ 'http://www.example.com/x': 'gone' });
  });

  test('a seed that has moved to another site brings that site into the crawl, by its own robots.txt', async () => {
    const site = {
      'http://example.com/': redirect('http://example.org/'),
      'http://example.org/robots.txt': robots('User-agent: *\nDisallow: /no\n'),
      'http://example.org/': page('/yes', '/no', 'http://example.net/'),
      'http://example.org/yes': page(),
    };
    const { states, engine } = await crawl(site, ['http://example.com/']);
    expect(states).toEqual({
      'http://example.com/': 'redirect',
      'http://example.org/': 'fetched',
      'http://example.org/yes': 'fetched',
      'http://example.org/no': 'deniedByRobots',
    });
    expect(said(await recordOf(engine, 'http://example.com/'))).toBe(
      'to http://example.org/ (another site, which joins the crawl like a seed)',
    );
  });

  test('a seed that has moved does not bring in what is excluded, and under the scope page only its target', async () => {
    const site = {
      'http://example.com/': redirect('http://example.org/'),
      'http://example.org/': page('/1'),
    };
    const seeds = ['http://example.com/'];
    const excluded = await crawl(site, seeds, { exclude: ['example\\.org'] });
    expect(excluded.states).toEqual({ 'http://example.com/': 'redirect' });
    const { states } = await crawl(site, seeds, { scope: 'page' });
    expect(states).toEqual({ 'http://example.com/': 'redirect', 'http://example.org/': 'fetched' });
  });

  test('a page that leads to another host or site widens nothing', async () => {
    const site = {
      'http://example.com/': page('/r', '/s'),
      'http://example.com/r': redirect('http://www.example.com/'),
      'http://example.com/s': redirect('http://example.org/'),
    };
    const { states } = await crawl(site, ['http://example.com/']);
    expect(Object.keys(states)).toHaveLength(3);
  });
});

test('one URL that answers with something else than HTTP does not make a host that speaks HTTP be given up', async () => {
  const garbage = { fails: 'protocol', code: 'notHttp' } as const;
  const site = {
    [`${A}/`]: page('/garbage', '/1'),
    [`${A}/garbage`]: garbage,
    [`${A}/1`]: page('/2'),
    [`${A}/2`]: page(),
  };
  const { states, engine } = await crawlToEnd(site, { maxAttempts: 3, maxHostFailures: 4 });
  expect(states).toMatchObject({ [`${A}/garbage`]: 'failed', [`${A}/1`]: 'fetched', [`${A}/2`]: 'fetched' });
  expect((await ledgersOf(engine)).get('a.test')!.head.setAside).toBeUndefined();
});

test('a seed that leads elsewhere ends as a redirect if the record of the crawl has no room for its scope', async () => {
  const world = createWorld({ [`${A}/`]: redirect('http://www.a.test/') });
  const { registry } = world.engine;
  registry.addScopeSeeds = async () => {
    throw new CrawlTooLarge('no room');
  };
  await begin(world, [`${A}/`]);
  expect(await runToEnd(world)).toEqual([]);
  expect(await recordOf(world.engine, `${A}/`)).toMatchObject({
    state: 'redirect',
    result: { cause: { code: 'redirect', notFollowed: 'scopeFull' } },
  });
});

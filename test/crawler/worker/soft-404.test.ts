/** Hosts that answer 200, or redirect, for pages that do not exist. */
import { describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import { type Answer, redirect, type Site } from './scripted-fetcher.ts';
import { crawlToEnd, leastGap, ledgersOf, recordOf, SILENT } from './world.ts';

const HOST = 'http://a.test';
const WORDS =
  'time person year way day thing man world life hand part child eye woman place work week case point'.split(
    ' ',
  );
const wordsOf = (n: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(n * 7 + i * i * (n + 3) + i) % WORDS.length]).join(' ');

const MENU = `<nav>${WORDS.map((word) => `<li><a href="/">About the ${word}</a></li>`).join('')}</nav>`;
const FOOTER = '<footer><p>All rights reserved by the makers of this site</p></footer>';
const framed = (title: string, main: string): string =>
  `<title>${title} - A site</title>${MENU}<main>${main}</main>${FOOTER}`;
const paths = (folder: string, count: number) =>
  Array.from({ length: count }, (_, i) => `/${folder}/${folder}-${wordsOf(i, 1)}-${i}`);
const REAL = paths('article', 40);
const STUBS = paths('stub', 10);
const DEAD = paths('dead', 15);
const urlsOf = (list: readonly string[]) => list.map((path) => HOST + path);

/** A site with a menu around every page: its articles, stubs of three words, and links to pages that are not there. */
function siteWith(missing: Answer | ((url: string) => Answer), pages: Site = {}): Site {
  const all = [...REAL, ...STUBS, ...DEAD].map((path) => `<a href="${path}">x</a>`);
  const known: Site = {
    [`${HOST}/`]: { body: framed('Home', `<p>${wordsOf(1, 30)}</p>${all.join(' ')}`) },
    [`${HOST}/robots.txt`]: { status: 404 },
    ...Object.fromEntries(
      REAL.map((path, i) => [
        HOST + path,
        { body: framed(`Article ${wordsOf(i, 2)}`, `<p>${wordsOf(i, 120)}</p>`) },
      ]),
    ),
    ...Object.fromEntries(
      STUBS.map((path, i) => [
        HOST + path,
        { body: framed(wordsOf(i, 1), `<p>A ${wordsOf(i, 1)} is good</p>`) },
      ]),
    ),
    ...pages,
  };
  return new Proxy(known, {
    get: (site, url: string) => site[url] ?? (typeof missing === 'function' ? missing(url) : missing),
  });
}

const SORRY: Answer = {
  body: framed(
    'Page not found',
    '<h1>Sorry</h1><p>This page does not exist any more. <a href="/never">Next</a></p>',
  ),
};
const echo = (url: string): Answer => ({
  body: framed(
    'Not found',
    `<p>There is nothing called ${url.slice(HOST.length + 1).replace(/\W/g, ' ')} here, sorry</p>`,
  ),
});
const statesIn = async (site: Site, config: CrawlOptions = {}) => {
  const world = await crawlToEnd(site, { soft404: true, ...config });
  const probes = world.fetcher.log.filter(({ url }) => /[a-z]{14}$/.test(url)).map(({ url }) => url);
  return { ...world, probes };
};
const LINKED = [`${HOST}/`, ...urlsOf([...REAL, ...STUBS])];

describe('a host that answers 200 for what does not exist', () => {
  test.each<[string, Answer | ((url: string) => Answer)]>([
    ['with one page', SORRY],
    ['and repeats the name of the page', echo],
    [
      'with other news each time',
      (url) => ({
        body: framed(
          'Oops',
          `<p>We cannot find this page, sorry. Try another page of our site.</p><p>${url.length % 7} new</p>`,
        ),
      }),
    ],
  ])('%s: all such pages are gone, and no other', async (_, missing) => {
    const { states, totals, probes, engine, fetcher } = await statesIn(siteWith(missing));
    for (const url of urlsOf(DEAD)) expect([url, states[url]]).toEqual([url, 'gone']);
    for (const url of LINKED) expect([url, states[url]]).toEqual([url, 'fetched']);
    expect(probes).toHaveLength(1);
    // And perhaps a page that one of the first of them links to.
    expect(totals.hints?.softNotFound).toBeGreaterThanOrEqual(DEAD.length);
    const { result } = (await recordOf(engine, HOST + DEAD[14]!))!;
    expect(result).toMatchObject({ httpStatus: 200, cause: { code: 'softNotFound', probe: probes[0] } });
    expect(result?.location).toBeDefined();
    expect(leastGap(fetcher)).toBeGreaterThanOrEqual(1000);
  });

  test('their links are not followed and no hook is called for those that come after the probe', async () => {
    const called: string[] = [];
    const hooks = {
      ...SILENT,
      async onPage({ url }: { url: string }) {
        called.push(url);
        return { items: [] };
      },
    };
    const world = await crawlToEnd(siteWith(SORRY), { soft404: true }, { hooks });
    const probedAt = world.fetcher.log.findIndex(({ url }) => /[a-z]{14}$/.test(url));
    const after = world.fetcher.log.slice(probedAt + 1).map(({ url }) => url);
    expect(probedAt).toBeLessThan(12);
    expect(called.filter((url) => after.includes(url) && urlsOf(DEAD).includes(url))).toEqual([]);
    expect(called.filter((url) => LINKED.includes(url))).toHaveLength(LINKED.length);
  });

  test('is asked once, also over several turns and processes', async () => {
    const { probes, states } = await statesIn(siteWith(SORRY), { turnMaxPages: 5 });
    expect(probes).toHaveLength(1);
    for (const url of urlsOf(DEAD)) expect(states[url]).toBe('gone');
  });

  test('with the same page for everything, as an app of scripts does: nothing is gone', async () => {
    const shell: Answer = {
      body: '<title>App</title><div id=root></div><p>Loading the app of this site, please wait</p>',
    };
    const site = siteWith(shell, Object.fromEntries([...REAL, ...STUBS].map((path) => [HOST + path, shell])));
    const { states, probes } = await statesIn(site);
    expect(Object.values(states)).not.toContain('gone');
    expect(probes).toEqual([]);
  });

  test('with its front page: what is linked as the front page is not gone', async () => {
    const body = framed('Home', `<p>${wordsOf(1, 30)}</p>`);
    const links = [...REAL, ...DEAD, '/index.html'].map((path) => `<a href="${path}">x</a>`).join(' ');
    const { states } = await statesIn(siteWith({ body }, { [`${HOST}/`]: { body: body + links } }));
    expect(states[`${HOST}/index.html`]).toBe('fetched');
    for (const url of urlsOf(DEAD)) expect(states[url]).toBe('gone');
  });

  test('with a login page: nothing is gone', async () => {
    const login = {
      body: framed('Sign in', '<form><input type=password></form><p>Please sign in first</p>'),
    };
    const { states, totals, probes } = await statesIn(siteWith(login));
    expect(Object.values(states)).not.toContain('gone');
    expect(totals.hints?.softNotFound).toBeUndefined();
    expect(probes).toHaveLength(1);
  });
});

test.each(['/', '/login?next=x'])(
  'redirects to where the probe was sent (%s) are counted, and stay redirects',
  async (to) => {
    const { states, totals, engine } = await statesIn(
      siteWith(redirect(to, 302), { [`${HOST}/login?next=x`]: { body: framed('Sign in', '<p>Here</p>') } }),
    );
    expect(urlsOf(DEAD).map((url) => states[url])).toEqual(DEAD.map(() => 'redirect'));
    const marked = [...(await ledgersOf(engine)).values()]
      .flatMap(({ records }) => [...records.values()])
      .filter(({ result }) => result?.cause?.code === 'redirect' && result.cause.isNotFound);
    expect(totals.hints).toEqual({ softNotFound: marked.length });
    expect(marked.length).toBeGreaterThan(DEAD.length - 8);
  },
);

test('a redirect to a URL that is longer than any of the crawl says nothing, and is not kept', async () => {
  const { engine } = await statesIn(siteWith(redirect(`/${'a'.repeat(200_000)}`, 302)));
  const { head } = (await ledgersOf(engine)).get('a.test')!;
  expect(head.soft404?.kind).toBe('unknown');
  expect(JSON.stringify(head).length).toBeLessThan(10_000);
});

test('a redirect to another form of the URL says nothing', async () => {
  const slashed = (url: string): Answer => (url.endsWith('/') ? SORRY : redirect(`${url}/`, 301));
  const { totals } = await statesIn(siteWith(slashed));
  expect(totals.hints?.softNotFound).toBeUndefined();
});

describe('no host is asked', () => {
  const asked = async (config: CrawlOptions, site = siteWith(SORRY), seeds?: string[]) => {
    const world = await crawlToEnd(site, { soft404: true, ...config, ...(seeds && { seeds }) });
    return world.fetcher.log.filter(({ url }) => /[a-z]{14}(?:\.html)?\/?$/.test(url)).length;
  };
  test('if the crawl is of a few pages, or switches it off', async () => {
    expect(await asked({})).toBe(1);
    expect(await asked({ soft404: false })).toBe(0);
    expect(await asked({ maxPages: 49 })).toBe(0);
    expect(await asked({ maxPagesPerHost: 49 })).toBe(0);
    expect(await asked({ scope: 'page' }, siteWith(SORRY), urlsOf([...REAL, ...STUBS, ...DEAD]))).toBe(0);
  });

  test('if it has few pages', async () => {
    const links = REAL.map((path) => `<a href="${path}">x</a>`).join('');
    expect(await asked({}, siteWith(SORRY, { [`${HOST}/`]: { body: `<p>${links}` } }))).toBe(0);
  });

  test('against its robots.txt, or outside of the scope', async () => {
    const robots = {
      body: 'User-agent: *\nAllow: /*-\nAllow: /$\nDisallow: /',
      headers: { 'Content-Type': 'text/plain' },
    };
    expect(await asked({}, siteWith(SORRY, { [`${HOST}/robots.txt`]: robots }))).toBe(0);
    expect(await asked({ include: ['-\\d+$'] })).toBe(0);
  });
});

test('an honest host is asked once, and what fails says nothing', async () => {
  for (const missing of [{ status: 404 }, { status: 410 }, { status: 403 }, { fails: 'reset' }] as Answer[]) {
    const once = (url: string): Answer => (/[a-z]{14}$/.test(url) ? missing : { status: 404 });
    const { probes, states, totals } = await statesIn(siteWith(once));
    expect(probes).toHaveLength(1);
    expect(states[HOST + DEAD[0]!]).toBe('gone');
    expect(totals.hints).toBeUndefined();
  }
});

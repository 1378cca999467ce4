import { expect, test } from 'vitest';
import { wakeAllHosts } from '../../../shared/crawler/routing/waker.ts';
import { T0 } from './fake-clock.ts';
import { type Answer, page, redirect, type Site } from './scripted-fetcher.ts';
import {
  begin,
  CRAWL,
  crawlToEnd,
  createWorld,
  recordOf,
  runToEnd,
  startProcess,
  statesOf,
} from './world.ts';

const A = 'http://a.test';
const CDN = 'http://cdn.test';

const of = (type: string, body = ''): Answer => ({ headers: { 'Content-Type': type }, body });

const SITE: Site = {
  [`${A}/`]: {
    body: `<link rel=stylesheet href=${CDN}/s.css><img src=/own.png srcset="${CDN}/2.png 2x"><script src=${CDN}/a.js></script>
      <iframe src=${CDN}/frame.html></iframe><a href=${CDN}/page.html>x</a><a href=${CDN}/2.png>x</a><a href=/deep>x</a>`,
  },
  [`${A}/own.png`]: of('image/png', '1'),
  [`${A}/deep`]: { body: `<img src=/deep.png><a href=/deeper>x</a>` },
  [`${A}/deep.png`]: of('image/png', '2'),
  [`${CDN}/s.css`]: of('text/css', '@import "more.css"; a { background: url(bg.png) }'),
  [`${CDN}/more.css`]: redirect('/moved.css'),
  [`${CDN}/moved.css`]: of('text/css', '@font-face { src: url(font.woff2) }'),
  [`${CDN}/bg.png`]: of('image/png', '3'),
  [`${CDN}/font.woff2`]: of('font/woff2', '4'),
  [`${CDN}/2.png`]: of('image/png', '5'),
  [`${CDN}/a.js`]: of('text/javascript', ''),
  [`${CDN}/frame.html`]: { body: `<img src=in-frame.png><a href=/page.html>x</a>` },
  [`${CDN}/in-frame.png`]: of('image/png', '6'),
};

test('are fetched wherever they are, what they need among them, and no page more', async () => {
  const { states } = await crawlToEnd(SITE, { requisites: true, maxDepth: 1 });
  const redirected = { [`${CDN}/more.css`]: 'redirect' };
  expect(states).toEqual({
    ...Object.fromEntries(Object.keys(SITE).map((url) => [url, 'fetched'])),
    ...redirected,
  });
});

test('are known as such, within the scope and outside it', async () => {
  const { engine } = await crawlToEnd(SITE, { requisites: true });
  expect((await recordOf(engine, `${CDN}/s.css`))?.kind).toBe('requisite');
  expect((await recordOf(engine, `${CDN}/moved.css`))?.kind).toBe('requisite');
  expect((await recordOf(engine, `${A}/own.png`))?.kind).toBe('requisite');
  expect((await recordOf(engine, `${A}/deep`))?.kind).toBeUndefined();
});

test('are left alone unless they are wished for', async () => {
  const { states } = await crawlToEnd(SITE);
  expect(Object.keys(states).sort()).toEqual([`${A}/`, `${A}/deep`, `${A}/deeper`].sort());
});

test('are left out where a pattern excludes them', async () => {
  const { states, totals } = await crawlToEnd(SITE, { requisites: true, exclude: ['\\.png$'] });
  expect(Object.keys(states).some((url) => url.endsWith('.png'))).toBe(false);
  expect(totals.skipped.exclude).toBe(5);
});

test('that need ever more end', async () => {
  const site: Site = {
    [`${A}/`]: { body: `<link rel=stylesheet href=${CDN}/0.css>` },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`${CDN}/${i}.css`, of('text/css', `@import "${i + 1}.css";`)]),
    ),
  };
  const { states, totals } = await crawlToEnd(site, { requisites: true });
  expect(Object.keys(states)).toHaveLength(1 + 6);
  expect(totals.skipped).toEqual({ requisiteHops: 1 });
});

test('do not count as pages, and are counted by themselves', async () => {
  const { totals } = await crawlToEnd(SITE, { requisites: true, maxDepth: 1 });
  expect(totals.pages).toBe(2);
  expect(totals.requisites).toEqual({ fetched: 10, waiting: 0, awaited: 0, sent: 4 });
});

const isFetched = ([, state]: [string, string]) => state === 'fetched';

test('make a page whole when the limit of pages is met, and no further page is fetched', async () => {
  const { states, totals } = await crawlToEnd(SITE, { requisites: true, maxPages: 1 });
  const parts = ['s.css', 'moved.css', 'bg.png', 'font.woff2', '2.png', 'a.js', 'frame.html', 'in-frame.png'];
  expect(
    Object.entries(states)
      .filter(isFetched)
      .map(([url]) => url)
      .sort(),
  ).toEqual([`${A}/`, `${A}/own.png`, ...parts.map((part) => `${CDN}/${part}`)].sort());
  expect(states[`${A}/deep`]).toBe('waiting');
  expect(totals).toMatchObject({ pages: 1, requisites: { waiting: 0 } });
});

test('make the pages of a host whole that has had all its pages', async () => {
  const { states, totals } = await crawlToEnd(SITE, { requisites: true, maxPagesPerHost: 1 });
  expect(states[`${A}/own.png`]).toBe('fetched');
  expect(states[`${CDN}/font.woff2`]).toBe('fetched');
  expect(states[`${A}/deep`]).toBe('waiting');
  expect(totals.pages).toBe(1);
});

test('that the page links to as pages, too, or other pages do, make it whole like any others', async () => {
  const site: Site = {
    [`${A}/`]: { body: `<a href=/1>x</a><a href=/2.png><img src=/2.png></a><a href=/3.png>x</a>` },
    [`${A}/1`]: { body: '<img src=/3.png><a href=/4>x</a>' },
    [`${A}/2.png`]: of('image/png', '2'),
    [`${A}/3.png`]: of('image/png', '3'),
  };
  for (const maxPages of [1, 2, 3]) {
    const { states, totals } = await crawlToEnd(site, { requisites: true, maxPages });
    expect(states[`${A}/2.png`]).toBe('fetched');
    // By the second page it is a part of one, and by the first one a page.
    if (states[`${A}/1`] === 'fetched') expect(states[`${A}/3.png`]).toBe('fetched');
    expect(totals.pages).toBe(maxPages);
  }
});

const FRAMES: Site = {
  [`${A}/`]: { body: '<iframe src=/frame></iframe><object data=/object></object><a href=/z>x</a>' },
  [`${A}/frame`]: { body: '<img src=/in-frame.png><a href=/1>x</a>' },
  [`${A}/in-frame.png`]: of('image/png', '1'),
  [`${A}/object`]: page('/2'),
  [`${A}/z`]: page(),
  [`${A}/1`]: page(),
  [`${A}/2`]: page(),
};

test('that are documents of the crawl, as frames are, become pages of it', async () => {
  const { states, totals, engine } = await crawlToEnd(FRAMES, { requisites: true });
  expect(Object.values(states).every((state) => state === 'fetched')).toBe(true);
  expect((await recordOf(engine, `${A}/frame`))?.kind).toBeUndefined();
  expect(totals).toMatchObject({ pages: 6, requisites: { fetched: 1 } });
});

test('that are documents of the crawl are fetched with the last page, and count as none', async () => {
  const world = createWorld(FRAMES);
  await begin(world, [`${A}/`], { requisites: true, maxPages: 1 });
  await runToEnd(world);
  const { registry } = world.engine;
  expect(await registry.totals(CRAWL)).toMatchObject({ pages: 1, requisites: { fetched: 3 } });
  const fetched = Object.entries(await statesOf(world.engine)).filter(isFetched);
  expect(fetched.map(([url]) => url).sort()).toEqual(
    ['', 'frame', 'in-frame.png', 'object'].map((path) => `${A}/${path}`),
  );
  // Their links are known, so that nothing is missing when the crawl continues.
  await registry.configure(CRAWL, { maxPages: 9 });
  await registry.setStatus(CRAWL, 'running');
  await wakeAllHosts(world.engine, CRAWL, 1);
  await runToEnd(world);
  expect(Object.values(await statesOf(world.engine)).every((state) => state === 'fetched')).toBe(true);
});

test('a crawl at its limit of pages ends by its other limits all the same', async () => {
  const images = Array.from({ length: 50 }, (_, i) => [`${A}/${i}.png`, of('image/png', 'x'.repeat(100))]);
  const site: Site = {
    [`${A}/`]: { body: images.map(([url]) => `<img src=${url}>`).join('') },
    ...Object.fromEntries(images),
  };
  const { states, engine } = await crawlToEnd(site, { requisites: true, maxPages: 1, maxBytes: 3000 });
  expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text: '3000 bytes' } });
  const count = Object.values(states).filter((state) => state === 'fetched').length;
  expect(count).toBeGreaterThan(5);
  expect(count).toBeLessThan(50);
});

test('a crawl with a limit of pages ends though style sheets name ever more', async () => {
  const sheet = (url: string) => {
    const names = Array.from(
      { length: 30 },
      (_, i) => `@import "${url.slice(CDN.length + 1, -4)}-${i}.css";`,
    );
    return of('text/css', names.join(''));
  };
  const start: Site = { [`${A}/`]: { body: `<link rel=stylesheet href=${CDN}/0.css><a href=/2>x</a>` } };
  const site = new Proxy(start, {
    get: (known, url: string) => (url.endsWith('.css') ? sheet(url) : known[url]),
  });
  const { totals, engine } = await crawlToEnd(site, { requisites: true, maxPages: 1, delayMs: 100 });
  const text = '1000 requisites for each of 1 pages';
  expect(await engine.registry.load(CRAWL)).toMatchObject({ status: 'limited', why: { text } });
  expect(totals.requisites?.fetched).toBeLessThan(1500);
});

test('of a host that rests for long, and of one given up, are not awaited', async () => {
  const site: Site = {
    [`${A}/`]: {
      body: `<img src=/own.png><img src=${CDN}/busy.png><img src=http://gone.test/1.png><a href=/2>x</a>`,
    },
    [`${A}/own.png`]: of('image/png', '1'),
    [`${CDN}/busy.png`]: { status: 503, headers: { 'Retry-After': '3000' } },
  };
  const { clock, engine, fetcher, ...world } = createWorld(site);
  await begin({ engine, ...world }, [`${A}/`], { requisites: true, maxPages: 1 });
  const process = startProcess(engine, fetcher);
  await clock.drive(process.ended, async () => (await engine.registry.load(CRAWL))?.status === 'limited');
  process.stop();
  await clock.drive(process.ended);
  const states = await statesOf(engine);
  expect(states).toMatchObject({ [`${A}/own.png`]: 'fetched', [`${CDN}/busy.png`]: 'waiting' });
  expect((await engine.registry.totals(CRAWL)).requisites).toMatchObject({ waiting: 1, awaited: 0 });
  expect(clock.now() - T0).toBeLessThan(300_000);
});

test('of a host that cannot be fetched do not keep a crawl from its end', async () => {
  const { [`${CDN}/s.css`]: _, ...rest } = SITE;
  const site: Site = Object.fromEntries(Object.entries(rest).filter(([url]) => !url.startsWith(CDN)));
  const { states } = await crawlToEnd(site, { requisites: true, maxPages: 1 });
  expect(states[`${A}/own.png`]).toBe('fetched');
  expect(states[`${CDN}/s.css`]).not.toBe('fetched');
});

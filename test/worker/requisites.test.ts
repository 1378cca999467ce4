import { expect, test } from 'vitest';
import { type Answer, page, redirect, type Site } from './scripted-fetcher.ts';
import { crawlToEnd, recordOf } from './world.ts';

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

test('are known as such, unless they belong to the crawl by themselves', async () => {
  const { engine } = await crawlToEnd(SITE, { requisites: true });
  expect((await recordOf(engine, `${CDN}/s.css`))?.kind).toBe('requisite');
  expect((await recordOf(engine, `${CDN}/moved.css`))?.kind).toBe('requisite');
  expect((await recordOf(engine, `${A}/own.png`))?.kind).toBeUndefined();
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

test('that are linked as pages too, are pages', async () => {
  const site: Site = {
    [`${A}/`]: { body: `<iframe src=/frame></iframe><a href=/1>x</a>` },
    [`${A}/1`]: page('/frame'),
    [`${A}/frame`]: page('/2'),
    [`${A}/2`]: page(),
  };
  expect((await crawlToEnd(site, { requisites: true })).states[`${A}/2`]).toBe('fetched');
});

import { expect, test } from 'vitest';
import { type Answer, page, type Site } from './scripted-fetcher.ts';
import { crawlToEnd } from './world.ts';

const A = 'http://a.test';
const COLUMNS = ['N', 'M', 'S', 'D'];

/** Apache's listing of `/` with a folder, each in all of its orders. */
function listings(): Site {
  const site: Record<string, Answer> = {};
  const folders = { '/': ['a.html', 'sub/'], '/sub/': ['/', 'b.html'] };
  for (const [folder, files] of Object.entries(folders)) {
    const orders = COLUMNS.flatMap((column) => [`?C=${column};O=A`, `?C=${column};O=D`]);
    for (const order of ['', ...orders]) site[A + folder + order] = page(...orders, ...files);
  }
  return { ...site, [`${A}/a.html`]: page('/sub/?C=M;O=D'), [`${A}/sub/b.html`]: page() };
}

test('each folder of a server is fetched once, and all of its files', async () => {
  const site = listings();
  const { states, totals } = await crawlToEnd({ ...site, [`${A}/a.html`]: page() });
  const all = ['/', '/a.html', '/sub/', '/sub/b.html'];
  expect(states).toEqual(Object.fromEntries(all.map((path) => [A + path, 'fetched'])));
  expect(totals.skipped).toEqual({ listingOrder: 16 });
});

test('a listing in an order that another page links to, or a seed names, is fetched', async () => {
  const { states } = await crawlToEnd(listings(), { seeds: [`${A}/?C=S;O=A`] });
  const all = ['/?C=S;O=A', '/', '/a.html', '/sub/', '/sub/?C=M;O=D', '/sub/b.html'];
  expect(states).toEqual(Object.fromEntries(all.map((path) => [A + path, 'fetched'])));
});

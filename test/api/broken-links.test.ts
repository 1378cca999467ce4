import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallAnswer, serveAnswers } from './small-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-broken-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function brokenOf(answers: Record<string, SmallAnswer | string>, requisites = true) {
  const origin = await serveAnswers('127.78.0.61', answers);
  const running = await startCrawl({ ...QUICK, seeds: [origin], requisites, out: join(folder, 'c') });
  await running.done;
  await using crawl = await openCrawl(join(folder, 'c'));
  const skipped: string[] = [];
  const found = await crawl.brokenLinks((url) => skipped.push(url));
  const short = (url: string) => url.replace(origin, '');
  const list = found.broken.map(({ url, httpStatus, links, pages }) => [
    `${short(url)} ${httpStatus} ${links}`,
    ...pages.map(
      ({ page, text, element, by }) => `${short(page)} ${element} ${text}${by ? ` by ${short(by)}` : ''}`,
    ),
  ]);
  return { ...found, list, skipped };
}

test('each broken URL has the pages that link to it, with the text of the link, also by a redirect', async () => {
  const { list, checked, pages, skipped } = await brokenOf({
    '/': '<a href=/ok>fine</a> <a href="/gone">The <b>lost</b>\n page</a><img src=/no.png alt="a picture"><a href=/moved>m</a><a href="/e?x=1&amp;y=2">error',
    '/ok': '<base href="/sub/"><a href="../gone#a"><img src="/ok.png" alt="logo"></a><a href=missing>m</a>',
    '/ok.png': { type: 'image/png', body: 'png' },
    '/moved': { status: 302, location: '/gone' },
    '/e?x=1&y=2': { status: 403 },
  });
  expect(list).toEqual([
    ['/gone 404 3', '/ a The lost page', '/ a m by /moved', '/ok a logo'],
    ['/e?x=1&y=2 403 1', '/ a error'],
    ['/no.png 404 1', '/ img a picture'],
    ['/sub/missing 404 1', '/ok a m'],
  ]);
  expect({ checked, pages, skipped }).toEqual({ checked: 8, pages: 2, skipped: [] });
});

test('a page that is archived as a revisit is searched, too', async () => {
  const body = '<a href=/gone>x</a>';
  const { list } = await brokenOf({ '/': '<a href=/a>a</a><a href=/b>b</a>', '/a': body, '/b': body });
  expect(list).toEqual([['/gone 404 2', '/a a x', '/b a x']]);
});

test('a broken seed is named though no page links to it; a sound site has none', async () => {
  expect((await brokenOf({})).list).toEqual([['/ 404 0']]);
  rmSync(join(folder, 'c'), { recursive: true });
  expect(
    (await brokenOf({ '/': '<a href="mailto:a@b.test">mail</a><a href="http://elsewhere.test/">x</a>' }))
      .list,
  ).toEqual([]);
});

test('a hostile page costs time linear in its length', async () => {
  const { list } = await brokenOf({
    '/': `${'<a href=/gone>'.repeat(30_000)}${'<b>'.repeat(50_000)}${'<a href=/gone'.repeat(30_000)}`,
  });
  expect(list[0]?.[0]).toMatch(/^\/gone 404/);
});

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

test('redirects that lead nowhere are broken: loops, without Location, to no URL, too many in a row', async () => {
  const to = (location?: string) => ({ status: 302, ...(location !== undefined && { location }) });
  const chain = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`/long${i}`, to(`/long${i + 1}`)] as const),
  );
  const links = (...urls: string[]) => urls.map((url) => `<a href="${url}">l</a>`).join('');
  const { broken, list } = await brokenOf({
    '/': links(
      '/loop',
      '/into',
      '/self',
      '/noloc',
      '/bad',
      '/app',
      '/long0',
      '/moved',
      '/refused',
      '/show1',
      '/cookie',
    ),
    '/loop': to('/loop2'),
    '/loop2': to('/loop3'),
    '/loop3': to('/loop'),
    '/into': to('/loop3'),
    '/self': to('/self'),
    '/noloc': to(),
    '/bad': to('http://[::x'),
    '/app': to('market://details?id=x'),
    ...chain,
    '/moved': to('/fine'),
    '/fine': 'fine',
    '/refused': to('/private/x'),
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' },
    '/show1': '<meta http-equiv=refresh content="3; url=/show2">a picture',
    '/show2': '<meta http-equiv=refresh content="3; url=/show1">another picture',
    '/cookie': { status: 302, location: '/cookie', headers: { 'Set-Cookie': 'a=b' } },
  });
  const origin = new URL(broken[0]!.url).origin;
  expect(broken.every(({ status }) => status === 'redirect')).toBe(true);
  expect(list).toEqual([
    ['/loop undefined 2', '/ a l', '/ a l by /into'],
    ['/bad 302 1', '/ a l'],
    [expect.stringMatching(/^\/long\d+ 302 1$/), '/ a l by /long0'],
    ['/noloc 302 1', '/ a l'],
    ['/self undefined 1', '/ a l'],
  ]);
  const causes = broken.map(({ cause }) => cause.replaceAll(origin, ''));
  expect(causes).toEqual([
    'a loop of redirects: to /loop2, then to /loop3, then to /loop',
    'to http://[::x, which is not an http(s) URL',
    expect.stringMatching(/^to \/long\d+, not followed: \d+ redirects in a row$/),
    'a redirect without Location',
    'a loop of redirects: to /self',
  ]);
  expect(broken[0]!.loop).toEqual([`${origin}/loop`, `${origin}/loop2`, `${origin}/loop3`]);
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type ExtractionMiddleware, openPages, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { serveAnswers } from './small-server.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

const serve = () =>
  serveAnswers('127.78.0.61', {
    '/': '<title>Start</title><meta name="robots" content="noindex"><h1>One</h1><a href="/a">a</a><a href="/no">n</a>',
    '/a': '<h1>Two</h1>',
    '/moved': { status: 301, location: '/a' },
    '/gone': { status: 410, body: '<h1>Gone</h1>' },
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /no\n' },
  });

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'strand-pages-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'c');
}

const strand = (...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

test('gives pages as onPage gets them: after redirects, with an error status, though they say noindex', async () => {
  const origin = await serve();
  const asked: string[] = [];
  await using pages = await openPages({
    ...QUICK,
    middleware: [
      (request, next) => {
        asked.push(new URL(request.url).pathname);
        return next(request);
      },
    ],
  });
  const { title, $, links } = await pages.fetch(`${origin}/`);
  expect([title, $('h1').text(), links.map(({ url }) => url)]).toEqual([
    'Start',
    'One',
    [`${origin}/a`, `${origin}/no`],
  ]);
  expect((await pages.fetch(`${origin}/moved`)).url).toBe(`${origin}/a`);
  expect((await pages.fetch(`${origin}/gone`)).response.httpStatus).toBe(410);
  await expect(pages.fetch(`${origin}/no`)).rejects.toThrow(
    '/no was not read: denied by robots.txt, line 2: Disallow: /no',
  );
  await expect(pages.fetch('ftp://x/')).rejects.toThrow('Expected an http or https URL, got ftp://x/');
  await pages.fetch(`${origin}/`);
  // Each URL once, robots.txt too.
  expect(asked).toEqual(['/robots.txt', '/', '/moved', '/a', '/gone']);
});

test('obeys the address guard', async () => {
  const origin = await serve();
  await using pages = await openPages({ ...QUICK, allowPrivateAddresses: [], retryMs: 1, backoffMs: 1 });
  await expect(pages.fetch(`${origin}/`)).rejects.toThrow('not of the public internet');
});

test('with the folder of a crawl, reads its archive and makes no request', async () => {
  const origin = await serve();
  const out = newFolder();
  await (await startCrawl({ ...QUICK, seeds: [`${origin}/moved`, `${origin}/a`], out })).done;
  const seen: string[] = [];
  const extraction: ExtractionMiddleware[] = [
    (page, next) => {
      seen.push(page.url);
      return next();
    },
  ];
  await using pages = await openPages(out, { extraction });
  expect((await pages.fetch(`${origin}/moved`)).text).toBe('Two');
  expect(seen).toEqual([`${origin}/a`]);
  await expect(pages.fetch(`${origin}/gone`)).rejects.toThrow(
    '/gone was not read: the crawl does not know the URL',
  );
});

test('strand shell --eval prints the value of an expression, and its fetch replaces the page', async () => {
  const origin = await serve();
  const guard = ['--allow-private-addresses', '--delay', '0', '--no-adaptive'];
  const evaluate = (text: string, ...more: string[]) =>
    strand('shell', `${origin}/`, ...guard, '--eval', text, ...more);
  expect(await evaluate('$("h1").text()')).toMatchObject({ code: 0, out: 'One\n' });
  expect(
    await evaluate('[url, (await fetch("/moved")).response.httpStatus, url, text]', '--json'),
  ).toMatchObject({ out: `${JSON.stringify([`${origin}/`, 200, `${origin}/a`, 'Two'])}\n` });
  expect(await evaluate('nothing.here')).toMatchObject({
    code: 1,
    err: 'strand: --eval: ReferenceError: nothing is not defined\n',
  });
  expect(await evaluate('await fetch("/no")')).toMatchObject({
    code: 4,
    err: expect.stringContaining('/no was not read: denied by robots.txt'),
  });
});

/** Crawls that use pages in some languages alone. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

const ENGLISH =
  'The ships come in the morning, when the harbour is still quiet, and leave it in the evening.';
const GERMAN = 'Die Schiffe kommen am Morgen, wenn der Hafen noch still ist, und verlassen ihn am Abend.';
const pageOf = (lang: string, text: string, links = ''): string =>
  `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>A page</title><main><p>${text} ${links}</p></main>`;

let site: SmallSite;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-languages-'));
  site = await startSite(
    {
      '/': pageOf('de', ENGLISH, '<a href="/de">1</a> <a href="/short">2</a> <a href="/en">3</a>'),
      '/de': pageOf('en', GERMAN),
      '/en': pageOf('en', ENGLISH, '<a href="/behind">4</a>'),
      '/behind': pageOf('de', GERMAN),
      '/short': '<!doctype html><p>Hi',
    },
    { address: '127.78.0.93' },
  );
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('pages in other languages are archived and followed, and have neither items nor documents', async () => {
  const out = join(folder, 'c');
  const running = await startCrawl({
    ...QUICK,
    seeds: [`${site.url}/`],
    out,
    languages: ['de-CH'],
    onPage: ({ url, language }) => ({ path: new URL(url).pathname, language }),
  });
  const summary = await running.done;
  expect(summary).toMatchObject({ pages: 5, hints: { otherLanguage: 2 } });
  const crawl = await openCrawl(out);
  const items: unknown[] = [];
  for await (const item of crawl.items()) items.push(item);
  expect(items).toHaveLength(3);
  expect(items).toEqual(
    expect.arrayContaining([
      { path: '/de', language: 'de' },
      { path: '/behind', language: 'de' },
      { path: '/short' },
    ]),
  );
  const paths: string[] = [];
  for await (const { url } of crawl.documents()) paths.push(new URL(url).pathname);
  expect(paths.sort()).toEqual(['/behind', '/de', '/short']);
  const english = await crawl.url(`${site.url}/en`);
  expect(english).toMatchObject({ causeCode: 'otherLanguage', cause: 'it is in another language (en)' });
  await crawl.close();
});

test('a language that is none is refused', async () => {
  await expect(startCrawl({ ...QUICK, seeds: [`${site.url}/`], languages: ['german'] })).rejects.toThrow(
    'a language, such as de',
  );
});

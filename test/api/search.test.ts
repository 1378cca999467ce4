import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateSearch } from '../../api/exports/search.ts';
import { openSearchIndex } from '../../api/exports/search-index.ts';
import { openCrawl, resumeCrawl, type StoredCrawl, startCrawl } from '../../api/index.ts';
import type { DocumentOptions, SearchOptions } from '../../api/stored-crawl.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallSite, startSite } from '../local-crawl/small-site.ts';

const pageOf = (title: string, lang: string, text: string, links = '') =>
  `<html lang="${lang}"><title>${title}</title><main><h1>${title}</h1><p>${`${text} `.repeat(6)}</p><p>${text} ${links}</p></main></html>`;

const pages: Record<string, string> = {
  '/': pageOf(
    'Harbour',
    'en',
    'Ships come to the quay every morning, and leave at night.',
    '<a href="/b">b</a> <a href="/c">c</a>',
  ),
  '/b': pageOf(
    'Railway',
    'en-GB',
    'The railway came in 1871, and warehouses with it.',
    'See the harbour in 1900.',
  ),
  '/c': pageOf('Hafen', 'de', 'Die Schiffe kommen jeden Morgen an den Kai, und fahren abends wieder fort.'),
  '/later': pageOf('Lighthouse', 'en', 'A lighthouse shows the ships their way through the night.'),
};

let site: SmallSite;
let folder: string;
let crawl: StoredCrawl;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-search-'));
  site = await startSite(pages, { address: '127.78.0.46' });
  const out = join(folder, 'c');
  const running = await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out });
  await running.done;
  crawl = await openCrawl(out);
});
afterAll(async () => {
  await crawl.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function found(words: string, options?: SearchOptions): Promise<string[]> {
  return (await crawl.search(words, options)).map(({ url }) => new URL(url).pathname);
}

test('of a word that very many pages have, those with it in their titles come first, and words that are not wanted are heeded', () => {
  const index = openSearchIndex(join(folder, 'many.sqlite'));
  for (let n = 0; n < 10_500; n++)
    index.add({
      url: `https://a.test/${n}`,
      title: n > 10_400 ? `Harbour ${n}` : `Page ${n}`,
      types: [],
      fetchedAt: '2026-01-01T00:00:00.000Z',
      depth: 0,
      textDigest: '',
      text: n % 2 ? 'harbour and quay' : 'harbour',
      markdown: '',
      location: { file: 'a', offset: n, length: 1 },
    });
  index.setState('');
  const titles = (words: string) => index.search(words, { limit: 30 }).map(({ title }) => title);
  expect(titles('harbour')).toHaveLength(30);
  for (const words of ['harbour', 'harbour -quay', 'harb*'])
    expect(titles(words).filter((title) => title?.startsWith('Harbour'))).toHaveLength(30);
  expect(titles('harbour -quay').every((title) => Number(title?.split(' ')[1]) % 2 === 0)).toBe(true);
  expect(index.search('harbour', { limit: 1, marks: ['[', ']'] })[0]?.snippet).toContain('[harbour]');
  index.close();
});

test('pages are found by all words, phrases, beginnings, and without words', async () => {
  // The title counts more than the text.
  expect(await found('harbour')).toEqual(['/', '/b']);
  expect(await found('"harbour in 1900"')).toEqual(['/b']);
  expect(await found('ware*')).toEqual(['/b']);
  expect(await found('harbour -railway')).toEqual(['/']);
  expect(await found('SCHIFFE')).toEqual(['/c']);
  expect(await found('lighthouse')).toEqual([]);
});

test('a hit has what is known of the page, and the words in their context', async () => {
  const [hit] = await crawl.search('quay', { marks: ['<', '>'] });
  expect(hit).toMatchObject({ url: `${site.url}/`, title: 'Harbour', language: 'en' });
  expect(hit!.snippet).toContain('the <quay> every morning');
  const record = await crawl.readRecord(hit!.place!);
  expect(record.url).toBe(`${site.url}/`);
});

test('hits are limited by host, language, time and number', async () => {
  expect(await found('harbour', { language: 'en' })).toEqual(['/', '/b']);
  expect(await found('harbour', { language: 'en-gb' })).toEqual(['/', '/b']);
  expect(await found('harbour', { language: 'de' })).toEqual([]);
  expect(await found('harbour', { language: '%' })).toEqual([]);
  expect(await found('harbour', { host: new URL(site.url).host })).toHaveLength(2);
  expect(await found('harbour', { host: 'example.org' })).toEqual([]);
  expect(await found('harbour', { since: new Date('2100-01-01') })).toEqual([]);
  expect(await found('harbour', { limit: 1 })).toEqual(['/']);
});

test('the index is made once, and takes up what the crawl has fetched since', async () => {
  let indexed = 0;
  const onIndexed = () => indexed++;
  await found('harbour', { onIndexed });
  expect(indexed).toBe(0);
  await crawl.addSeeds([`${site.url}/later`]);
  const resumed = await resumeCrawl(crawl.folder, {});
  const { pages: all } = await resumed.done;
  expect(all).toBe(4);
  expect(await found('lighthouse', { onIndexed })).toEqual(['/later']);
  expect(indexed).toBe(1);
});

test('a page that is indexed again or gone leaves nothing behind', () => {
  const path = join(folder, 'index.sqlite');
  const page = (url: string, text: string, offset: number) =>
    ({ url, text, fetchedAt: '2026-01-02T03:04:05Z', location: { file: 'a', offset, length: 1 } }) as never;
  let index = openSearchIndex(path);
  index.add(page('https://a.test/', 'old words', 1));
  index.add(page('https://b.test/', 'other words', 2));
  index.setState('1');
  index.close();
  index = openSearchIndex(path);
  expect(index.state()).toBe('1');
  expect(index.has(page('https://a.test/', '', 9))).toBe(false);
  index.add(page('https://a.test/', 'new words', 9));
  index.deleteOthers();
  index.setState('2');
  expect(index.search('words', {}).map(({ url }) => url)).toEqual(['https://a.test/']);
  expect(index.search('old', {})).toEqual([]);
  expect(index.search('new', {})).toHaveLength(1);
  index.add(page('https://c.test/', 'Die Do\u00adnau\u200bdampf\ufeffschiffahrt', 10));
  index.setState('3');
  for (const words of ['Donaudampfschiffahrt', 'donau\u00addampf*'])
    expect(index.search(words, {}).map(({ url }) => url)).toEqual(['https://c.test/']);
  index.close();
});

test('the index has no Markdown made', async () => {
  const asked: (boolean | undefined)[] = [];
  const source = {
    index: join(folder, 'asked.sqlite'),
    archiveState: async () => 'one',
    async *documents(options?: DocumentOptions) {
      asked.push(options?.withoutMarkdown);
      yield* crawl.documents(options);
    },
  };
  expect(await updateSearch(source)).toBeGreaterThan(2);
  expect(asked).toEqual([true]);
});

test('documents and an index that are brought up to date together read each page once, and the index is as one made alone', async () => {
  const out = join(folder, 'outputs');
  await (await startCrawl({ ...QUICK, seeds: [`${site.url}/`], out })).done;
  const read: string[] = [];
  const module = {
    mediaTypes: ['text/html'],
    read: ({ url, text }: { readonly url: string; readonly text: string }) => {
      read.push(new URL(url).pathname);
      return { text: text.replace(/<[^>]*>/g, ' ') };
    },
  };
  await using stored = await openCrawl(out, { modules: [module] });
  const index = join(folder, 'alone.sqlite');
  const alone = await stored.search('ships', { index });
  read.length = 0;
  expect(await stored.updateOutputs({ documents: true, search: true })).toEqual({
    documents: { documents: 3, added: 3, skipped: 0 },
    search: 3,
  });
  expect(read.sort()).toEqual(['/', '/b', '/c']);
  expect(await stored.search('ships')).toEqual(alone);
  expect(alone.length).toBeGreaterThan(0);
  await stored.updateOutputs({ documents: true, search: true });
  expect(read).toHaveLength(3);
});

import { expect, test } from 'vitest';
import { optionalText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlOptions } from '../../../shared/core/crawl/config.ts';
import type { Engine } from '../../../shared/crawler/ports/engine.ts';
import { page, type Site } from './scripted-fetcher.ts';
import { crawlToEnd, ledgersOf, recordOf } from './world.ts';

const A = 'http://a.test';

/** A site whose pages are made as they are requested. */
const endless = (make: (path: string) => ReturnType<typeof page> | undefined): Site =>
  new Proxy({} as Site, { get: (_, url) => make(String(url).slice(A.length)) });

const crawl = (site: Site, config: CrawlOptions = {}) =>
  crawlToEnd(site, { delayMs: 0, maxPages: 5000, ...config });

/** 40 real pages, and a calendar whose months lead to the next ones and to their days. */
const CALENDAR = endless((path) => {
  if (path === '/')
    return page('/calendar?month=0', ...Array.from({ length: 40 }, (_, i) => `/page-${'x'.repeat(i)}`));
  if (path.startsWith('/page-')) return page('/');
  const month = /^\/calendar\?month=(-?\d+)$/.exec(path)?.[1];
  if (month !== undefined)
    return {
      body: `<h1>Month ${month}</h1>${
        page(
          `/calendar?month=${Number(month) + 1}`,
          `/calendar?month=${Number(month) - 1}`,
          ...Array.from({ length: 28 }, (_, day) => `/calendar?month=${month}&day=${day + 1}`),
        ).body
      }`,
    };
  if (path.startsWith('/calendar?month=')) return { body: 'Nothing on this day' };
  return undefined;
});

test('a calendar without an end ends by itself', async () => {
  const { totals, engine } = await crawl(CALENDAR);
  expect(totals.pages).toBeLessThan(500);
  expect(totals.urls.waiting).toBe(0);
  expect(totals.skipped.trap).toBeGreaterThan(0);
  const known = (await ledgersOf(engine)).get('a.test');
  expect(known?.head.templates).toContainEqual(
    expect.objectContaining({ template: '/calendar?day&month', isClosed: true }),
  );
  for (let i = 0; i < 40; i++)
    expect((await recordOf(engine, `${A}/page-${'x'.repeat(i)}`))?.state).toBe('fetched');
});

test('what waited when its template closed says why it was not fetched', async () => {
  const { engine } = await crawl(CALENDAR);
  expect(await causesOfSkipped(engine)).toEqual([
    'a trap: the last pages with URLs like /calendar?day&month brought nothing new (--trap-after-pages 0 fetches them)',
    'a trap: the last pages with URLs like /calendar?month brought nothing new (--trap-after-pages 0 fetches them)',
  ]);
});

/** Each one once. */
async function causesOfSkipped(engine: Engine): Promise<(string | undefined)[]> {
  const records = [...(await ledgersOf(engine)).values()].flatMap(({ records }) => [...records.values()]);
  const skipped = records.filter(({ state }) => state === 'skipped');
  return [...new Set(skipped.map(({ result }) => optionalText(result?.cause)))];
}

/** 60 articles, each with six pages that edit its parts: the text is another one, and nothing of it is to be used. */
const WIKI = endless((path) => {
  const [n = 0, part] = (path.match(/\d+/g) ?? []).map(Number);
  const words = `${'x'.repeat(n + 1)} ${'y'.repeat((part ?? 0) + 1)}`;
  if (part !== undefined)
    return { body: `<meta name=robots content="noindex,nofollow"><p>Edit ${words}</p>` };
  const parts = Array.from({ length: 6 }, (_, i) => `/w?title=${n}&part=${i}`);
  return { body: `<p>${words}</p>${page(`/wiki/${Math.min(n + 1, 59)}`, ...parts).body}` };
});

test('pages that forbid any use, such as those that edit a wiki, end', async () => {
  const { totals, engine } = await crawl(WIKI);
  expect(totals.pages).toBeLessThan(240);
  expect((await recordOf(engine, `${A}/wiki/59`))?.state).toBe('fetched');
  expect((await ledgersOf(engine)).get('a.test')?.head.templates).toContainEqual(
    expect.objectContaining({ template: '/w?part&title', isClosed: true, unused: 50 }),
  );
  expect(await causesOfSkipped(engine)).toEqual([
    'a trap: the last pages with URLs like /w?part&title said noindex and nofollow (--trap-after-pages 0 fetches them)',
  ]);
});

test.each([{ obeyNoindex: false }, { obeyNofollow: false }])(
  'with %j they are used, and do not end',
  async (config) => {
    const { totals } = await crawl(WIKI, config);
    expect(totals.pages).toBe(1 + 59 + 60 * 6);
  },
);

test('the watch can be switched off', async () => {
  const { totals } = await crawl(CALENDAR, { trapAfterPages: 0, maxPages: 600 });
  expect(totals.pages).toBe(600);
});

test('a folder in itself ends', async () => {
  const site = endless((path) =>
    path === '/' || path.startsWith('/deeper/') ? page(`${path}deeper/`) : undefined,
  );
  const { totals } = await crawl(site);
  expect(totals.pages).toBe(1 + 3);
  expect(totals.skipped).toEqual({ repeatedSegments: 1 });
});

test.each<[string, (path: string, n: number) => string]>([
  ['names itself in the path of the next', (path, n) => `/share${n}/${encodeURIComponent(path)}`],
  ['names itself in the query of the next', (path, n) => `/login${n}?next=${encodeURIComponent(path)}`],
  ['escapes its query once more', (path, n) => `/v?${path.slice(3).replaceAll('&', '&amp;')}&p=${n}`],
])('a page that %s ends', async (_, next) => {
  const links = (path: string) => [1, 2].map((n) => next(path, n).replaceAll('&', '&amp;'));
  const { totals } = await crawl(
    endless((path) => page(...links(path))),
    { maxPages: 300 },
  );
  expect(totals.pages).toBeLessThan(100);
  expect(totals.skipped.repeatedEscapes).toBeGreaterThan(0);
});

test('a large shop is crawled whole', async () => {
  const site = endless((path) => {
    if (path === '/') return page(...Array.from({ length: 30 }, (_, i) => `/list?page=${i}`));
    const list = /^\/list\?page=(\d+)$/.exec(path)?.[1];
    if (list !== undefined)
      return page(...Array.from({ length: 30 }, (_, i) => `/item/${30 * Number(list) + i}`));
    const item = /^\/item\/(\d+)$/.exec(path)?.[1];
    return item === undefined
      ? undefined
      : { body: `A thing called ${Number(item).toString(2).replaceAll('0', 'o').replaceAll('1', 'l')}` };
  });
  const { totals } = await crawl(site);
  expect(totals.pages).toBe(1 + 30 + 900);
  expect(totals.skipped).toEqual({});
});

test('pictures, which have no text, are judged by their bytes', async () => {
  const site = endless((path) => {
    if (path === '/') return page(...Array.from({ length: 300 }, (_, i) => `/${i}.png`));
    return { headers: { 'Content-Type': 'image/png' }, body: path };
  });
  expect((await crawl(site)).totals.pages).toBe(301);
});

const WORDS = [
  'red',
  'blue',
  'green',
  'large',
  'small',
  'wool',
  'silk',
  'linen',
  'new',
  'sale',
  'short',
  'long',
];

test('words of a path that are filters in any order end, and folders whose names only repeat do not', async () => {
  const others = (words: readonly string[]) => WORDS.filter((word) => !words.includes(word));
  const site = endless((path) => {
    if (path === '/')
      return page(...WORDS.map((word) => `/shop/${word}`), ...WORDS.map((word) => `/docs/${word}/index`));
    const words = path.slice('/shop/'.length).split('/');
    if (path.startsWith('/shop/') && words.length <= 4)
      return page(...others(words).map((word) => `${path}/${word}`));
    const [, word, name] = /^\/docs\/(\w+)\/(\w+)$/.exec(path) ?? [];
    if (word && name === 'index') return page(...WORDS.map((other) => `/docs/${word}/${other}`));
    return name ? page('/docs/red/index') : undefined;
  });
  const { totals, engine } = await crawl(site);
  expect(totals.pages).toBeLessThan(400);
  const records = [...((await ledgersOf(engine)).get('a.test')?.records.values() ?? [])];
  const causes = records.flatMap(({ state, result }) => (state === 'skipped' ? [result?.cause?.code] : []));
  expect(new Set(causes)).toEqual(new Set(['trap']));
  const docs = records.filter(({ url }) => url.includes('/docs/'));
  expect(docs).toHaveLength(WORDS.length * (WORDS.length + 1));
  expect(new Set(docs.map(({ state }) => state))).toEqual(new Set(['fetched']));
});

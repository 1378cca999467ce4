/** The parser of a page: it looks for what the parts of the turn want to know, and no more. */
import { expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import {
  createPageParser,
  createPageResolver,
  type PageParserOptions,
} from '../../../../shared/crawler/turn/page/page-parser.ts';

const HTML =
  '<title>T</title><p>some text of a page that is long enough</p><a href="/1">1</a><a href="/2">2</a>';

interface Wants {
  readonly kind?: UrlRecord['kind'];
  readonly depth?: number;
  readonly pages?: number;
  readonly config?: object;
  readonly text?: boolean;
  readonly watching?: boolean;
  readonly recrawl?: boolean;
  readonly missing?: boolean;
  readonly copies?: boolean;
  readonly rendered?: boolean;
}

async function parse(wants: Wants, text = HTML, type = 'text/html'): Promise<DocumentFacts> {
  const { kind, depth = 1, pages = 10, config, rendered } = wants;
  const settings = {
    maxDecodedBytes: 1e6,
    maxLinksPerPage: 100,
    requisites: false,
    feeds: false,
    userAgent: 'Bot/1',
  };
  const options = {
    crawl: { id: 'c', config: { ...settings, ...config } },
    counters: { totals: { pages } },
    traps: { wantsText: () => wants.text === true },
    links: { isWatchingTraps: () => wants.watching === true },
    recrawl: { isOn: wants.recrawl === true },
    soft404: { wantsBlocks: () => wants.missing === true },
    nearDuplicates: { wantsBlocks: () => wants.copies === true },
    rendering: rendered === undefined ? undefined : { wantsSigns: () => rendered },
  } as unknown as PageParserOptions;
  const work = { run: (_id: string, _url: string, _what: string, part: () => unknown) => part() };
  const record = { url: 'http://a.test/page', kind, depth } as UrlRecord;
  const head = { headers: [['Content-Type', type]] as [string, string][] };
  const parser = createPageParser({ work } as never, options, record, head);
  parser.write(Buffer.from(text));
  return parser.end();
}

/** The names of what was looked for. */
const lookedFor = async (wants: Wants) => {
  const { textHash, blocks, signs } = await parse(wants);
  return Object.keys({
    ...(textHash !== undefined && { textHash }),
    ...(blocks !== undefined && { blocks }),
    ...(signs !== undefined && { signs }),
  });
};

test.each<[looked: string[], wants: Wants]>([
  [[], {}],
  [['textHash'], { watching: true, text: true }],
  [[], { text: true }],
  [[], { watching: true }],
  [['blocks'], { recrawl: true }],
  [[], { recrawl: true, kind: 'requisite' }],
  [['blocks'], { missing: true }],
  [['blocks'], { copies: true }],
  [['signs'], { depth: 0 }],
  [['signs'], { pages: 9 }],
  [['signs'], { rendered: true }],
  [[], { rendered: false }],
])('%j is looked for by %o', async (looked, wants) => {
  expect(await lookedFor(wants)).toEqual(looked);
});

test('a page has as many links and bytes as the crawl allows', async () => {
  const linksOf = async (config = {}) => (await parse({ config })).links.map(({ url }) => url);
  expect(await linksOf()).toEqual(['http://a.test/1', 'http://a.test/2']);
  expect(await linksOf({ maxLinksPerPage: 1 })).toHaveLength(1);
  expect(await linksOf({ maxDecodedBytes: 40 })).toEqual([]);
});

test('a sitemap has the limits of sitemaps', async () => {
  const urls = Array.from({ length: 200 }, (_, i) => `<url><loc>http://a.test/${i}</loc></url>`).join('');
  const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  const config = { maxDecodedBytes: 80, maxLinksPerPage: 1 };
  const { links } = await parse({ kind: 'sitemap', config }, xml, 'application/xml');
  expect(links).toHaveLength(200);
});

test('requisites and feeds are links only where the crawl wants them', async () => {
  const html = '<link rel="alternate" type="application/rss+xml" href="/feed"><img src="/i.png">';
  const urls = async (config: object) => (await parse({ config }, html)).links.map(({ url }) => url);
  expect(await urls({})).toEqual([]);
  expect(await urls({ requisites: true, feeds: true })).toEqual([
    'http://a.test/feed',
    'http://a.test/i.png',
  ]);
});

test('references are resolved by the base that is given, also if it changes', () => {
  const resolve = createPageResolver();
  expect(resolve('x', 'http://a.test/dir/')).toBe('http://a.test/dir/x');
  expect(resolve('y', 'http://a.test/dir/')).toBe('http://a.test/dir/y');
  expect(resolve('x', 'http://b.test/')).toBe('http://b.test/x');
  expect(resolve('javascript:x', 'http://b.test/')).toBeUndefined();
});

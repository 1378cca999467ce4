/** The links of JSON feeds, and of gzip files of XML that are pages. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createDocumentParser } from '../../../shared/core/parser/document.ts';

const FEED = {
  version: 'https://jsonfeed.org/version/1.1',
  home_page_url: 'https://a.test/',
  next_url: 'feed.json?page=2',
  items: [
    {
      id: '1',
      url: '/one#top',
      date_published: '2026-01-02T00:00:00Z',
      date_modified: '2026-02-03T00:00:00Z',
      attachments: [{ url: '/one.mp3', mime_type: 'audio/mpeg' }],
    },
    { id: 'https://a.test/two', content_text: 'two' },
    { id: 'tag:three', external_url: 'https://b.test/three' },
    { id: 4 },
    null,
    'five',
  ],
};

async function read(body: string | Uint8Array, type: string | undefined, options: object = {}, step = 1e9) {
  const headers: [string, string][] = type === undefined ? [] : [['content-type', type]];
  const url = 'https://a.test/feed.json';
  const parser = createDocumentParser({
    url,
    headers,
    maxDecodedBytes: 1e7,
    maxLinks: 100,
    ...options,
  });
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return parser.end();
}

const LINKS = [
  { url: 'https://a.test/one', kind: 'item', modifiedAt: Date.UTC(2026, 1, 3) },
  { url: 'https://a.test/two', kind: 'item' },
  { url: 'https://b.test/three', kind: 'item' },
  { url: 'https://a.test/feed.json?page=2', kind: 'link' },
];

test.each(['application/feed+json', 'application/json; charset=utf-8', 'application/json'])(
  'the items of a JSON feed that is served as %s are links, however its bytes are cut',
  async (type) => {
    for (const step of [1, 7, 1e9])
      expect(await read(JSON.stringify(FEED), type, {}, step)).toMatchObject({
        type: 'feed',
        mimeType: 'application/feed+json',
        charset: 'utf-8',
        links: LINKS,
      });
    expect((await read(JSON.stringify(FEED).replaceAll('/', '\\/'), type)).links).toEqual(LINKS);
    expect((await read(`\ufeff${JSON.stringify(FEED)}`, type)).links).toEqual(LINKS);
  },
);

test('attachments are requisites', async () => {
  const { links } = await read(JSON.stringify(FEED), 'application/feed+json', { wantsRequisites: true });
  expect(links).toContainEqual({ url: 'https://a.test/one.mp3', kind: 'media' });
});

test('other JSON is not read, and has no fault', async () => {
  for (const text of ['{}', '[1]', '{"version":"1.1","items":[{"url":"/a"}]}', '{"x":'])
    expect(await read(text, 'application/json')).toMatchObject({
      type: 'other',
      links: [],
      fault: undefined,
    });
});

test.each([
  ['{"version":"https://jsonfeed.org/version/1","items":[', 'no JSON'],
  [`"${'x'.repeat(9_000_000)}"`, 'longer than'],
  [
    JSON.stringify({ items: Array.from({ length: 200 }, (_, i) => ({ url: `/${i}` })) }),
    'more than 100 links',
  ],
])('a feed that is broken or too large has a fault (%#)', async (text, fault) => {
  expect((await read(text, 'application/feed+json')).fault).toContain(fault);
});

test('a feed of other shapes has no links', async () => {
  const wrong = [null, [], 7, 'x', { items: {} }, { items: [[], { url: {}, id: null, attachments: 7 }] }];
  for (const feed of [...wrong, JSON.parse('{"__proto__":{"items":[{"url":"/a"}]}}')])
    expect(await read(JSON.stringify(feed), 'application/feed+json')).toMatchObject({
      links: [],
      fault: undefined,
    });
});

test('a page may name it as its alternate', async () => {
  const html = '<link rel="alternate" type="application/feed+json" href="/feed.json">';
  const { links } = await read(html, 'text/html', { url: 'https://a.test/', wantsFeeds: true });
  expect(links).toEqual([{ url: 'https://a.test/feed.json', kind: 'feed' }]);
});

const SITEMAP = '<urlset><url><loc>https://a.test/1</loc></url></urlset>';
const RSS = '<rss><channel><item><link>https://a.test/1</link></item></channel></rss>';
const PACKED = { url: 'https://a.test/sitemap.xml.gz' };

test.each(['application/gzip', 'application/x-gzip', 'application/octet-stream', 'text/xml', undefined])(
  'a sitemap or feed in a gzip file of type %s is read, by its name',
  async (type) => {
    expect(await read(gzipSync(SITEMAP), type, PACKED)).toMatchObject({
      type: 'sitemap',
      links: [{ url: 'https://a.test/1', kind: 'url' }],
    });
    expect(await read(gzipSync(RSS), type, PACKED)).toMatchObject({
      type: 'feed',
      links: [{ kind: 'item' }],
    });
    const elsewhere = { url: 'https://a.test/sitemap.gz' };
    expect((await read(gzipSync(SITEMAP), type, elsewhere)).links).toEqual([]);
  },
);

test('other gzip files of that name have no links and no fault', async () => {
  for (const text of ['<dump><page/></dump>', 'https://a.test/1\n', ''])
    expect(await read(gzipSync(text), 'application/gzip', PACKED)).toMatchObject({
      type: 'other',
      links: [],
      fault: undefined,
    });
});

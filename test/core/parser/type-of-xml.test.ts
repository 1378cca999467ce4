import { describe, expect, test } from 'vitest';
import { createDocumentParser } from '../../../shared/core/parser/document.ts';
import { typeToRead } from '../../../shared/core/parser/whole-types.ts';

const RSS = '<rss version="2.0"><channel><item><link>http://a.test/item</link></item></channel></rss>';
const ATOM =
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a.test/item"/></entry></feed>';
const RDF =
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><link>http://a.test/item</link></item></rdf:RDF>';
const SITEMAP = '<urlset><url><loc>http://a.test/item</loc></url></urlset>';
const INDEX = '<sitemapindex><sitemap><loc>http://a.test/item</loc></sitemap></sitemapindex>';
const XHTML =
  '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title><script src="a.js"/></head><body><a href="http://a.test/item"/></body></html>';
const PROLOGUE = '\ufeff <?xml version="1.0"?>\n<!-- > --><!DOCTYPE x SYSTEM "y"><?p q?>\n';

async function read(body: string, type: string) {
  const parser = createDocumentParser({
    url: 'http://a.test/x',
    headers: [['Content-Type', type]],
    maxDecodedBytes: 1_000_000,
    maxLinks: 10,
  });
  for (const byte of Buffer.from(body)) parser.write(Uint8Array.of(byte));
  const { type: kind, mimeType, links } = await parser.end();
  return { kind, mimeType, urls: links.map(({ url }) => url) };
}

const urls = ['http://a.test/item'];

describe('a list with a wrong type is read', () => {
  const wrong = ['text/html', 'text/plain', 'application/octet-stream', 'TEXT/HTML; charset=utf-8'];
  test.each(
    [
      ['RSS', RSS, 'feed', 'application/rss+xml'],
      ['Atom', ATOM, 'feed', 'application/atom+xml'],
      ['RSS 1.0', RDF, 'feed', 'application/rss+xml'],
      ['a sitemap', SITEMAP, 'sitemap', 'application/xml'],
      ['a sitemap index', INDEX, 'sitemapIndex', 'application/xml'],
    ].flatMap(([name, body, kind, mimeType]) =>
      wrong.map((type) => [name, type, body, kind, mimeType] as const),
    ),
  )('%s as %s', async (_, type, body, kind, mimeType) => {
    expect(await read(body as string, type)).toEqual({ kind, mimeType, urls });
    expect(await read(PROLOGUE + body, type)).toEqual({ kind, mimeType, urls });
  });
});

test.each(['application/xml', 'text/xml', 'application/xhtml+xml', 'application/vnd.wap.xhtml+xml'])(
  'XHTML as %s is a page',
  async (type) => {
    const page = { kind: 'html', mimeType: 'application/xhtml+xml', urls };
    expect(await read(XHTML, type)).toEqual(page);
    expect(await read(PROLOGUE + XHTML, type)).toEqual(page);
  },
);

test.each([
  ['text/html', '<p><rss>'],
  ['text/html', 'x<rss>'],
  ['text/html', '<rss2>'],
  ['text/html', '<!-- <rss>'],
  ['text/html', `<?xml version="1.0"?>${XHTML}`],
  ['text/html', '<rdf:RDF xmlns="http://purl.org/rss/1.0/">'],
  ['text/css', RSS],
  ['application/json', RSS],
  ['application/xml', '<html>'],
  ['application/xml', '<html xmlns="http://www.w3.org/1999/xhtm">'],
  ['application/xml', '<x xmlns="http://www.w3.org/1999/xhtml">'],
  [
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><html xmlns="http://www.w3.org/1999/xhtml"/></svg>',
  ],
])('of %s, %s is what its server says', (type, start) => {
  expect(typeToRead(type, Buffer.from(start), 'http://a.test/')).toBe(type);
});

import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDocumentParser, type DocumentParserOptions } from '../../../shared/core/parser/document.ts';

async function parse(
  body: string | Uint8Array,
  contentType?: string,
  options: Partial<DocumentParserOptions> = {},
  step = 1000,
) {
  const parser = createDocumentParser({
    url: 'http://h/sitemap',
    headers: contentType === undefined ? [] : [['Content-Type', contentType]],
    maxDecodedBytes: 10_000_000,
    maxLinks: 10,
    kind: 'sitemap',
    ...options,
  });
  const bytes = Buffer.from(body as Uint8Array);
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return await parser.end();
}
const xml = '<?xml version="1.0"?><urlset><url><loc>http://h/a</loc></url></urlset>';
const text = '\ufeffhttp://h/a\r\n\n  https://h/b#c \nno URL\nftp://h/\nhttp://h/a';

describe('what was fetched as a sitemap', () => {
  test.each(['application/xml', 'text/html', 'text/plain', 'application/octet-stream', undefined])(
    'is read as XML whatever its type says: %s',
    async (type) => {
      for (const body of [xml, ` \n${xml}`, `\ufeff${xml}`])
        expect(await parse(body, type)).toMatchObject({
          type: 'sitemap',
          charset: 'utf-8',
          links: [{ url: 'http://h/a', kind: 'url' }],
          isWhole: true,
          fault: undefined,
        });
    },
  );

  test('is read as a list of URLs', async () => {
    const facts = await parse(text, 'text/plain');
    expect(facts).toMatchObject({ type: 'sitemap', fault: undefined });
    expect(facts.links).toEqual([
      { url: 'http://h/a', kind: 'url' },
      { url: 'https://h/b', kind: 'url' },
    ]);
  });

  test.each(['\n', '\r\n', '\r'])('is read as a list of URLs whose lines end with %j', async (end) => {
    for (const step of [1, 7, 1000]) {
      const facts = await parse(['http://h/a', '', 'http://h/b', ''].join(end), 'text/plain', {}, step);
      expect(facts.links.map(({ url }) => url)).toEqual(['http://h/a', 'http://h/b']);
    }
  });

  test('has URLs as people write them', async () => {
    const xml = (...locs: string[]) => locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('');
    const links = async (body: string, type?: string) =>
      (await parse(body, type)).links.map(({ url }) => url);
    const odd = ['h/a', 'www.h.b/c', '\u200bhttp://h/b\u200e', 'http:/h/c', 'http:\\\\h\\d', 'H/e'];
    expect(await links(`<urlset>${xml(...odd)}</urlset>`)).toEqual([
      'http://h/h/a',
      'http://h/www.h.b/c',
      'http://h/b',
      'http://h/c',
      'http://h/d',
      'http://h/H/e',
    ]);
    const options = { url: 'https://www.h.b/sitemap.xml' };
    const names = ['h.b/a', 'WWW.h.b/b', 'h.b', 'a.html', 'b.h.b/c', 'www.h.b:81/d'];
    expect(
      (await parse(`<urlset>${xml(...names)}</urlset>`, undefined, options)).links.map(({ url }) => url),
    ).toEqual([
      'https://h.b/a',
      'https://www.h.b/b',
      'https://h.b/',
      'https://www.h.b/a.html',
      'https://www.h.b/b.h.b/c',
    ]);
    expect((await parse('h.b/a\nother\n\u200bhttps://h.b/b', 'text/plain', options)).links).toHaveLength(2);
  });

  test('has a loc without an entry around it, and several in one', async () => {
    const { links } = await parse('<urlset><loc>/a</loc><url><loc>/b</loc><loc>/c</loc></url></urlset>');
    expect(links.map(({ url }) => url)).toEqual(['http://h/a', 'http://h/b', 'http://h/c']);
    const index = await parse('<sitemapindex><loc>/s.xml</loc></sitemapindex>');
    expect(index.links).toEqual([{ url: 'http://h/s.xml', kind: 'sitemap' }]);
  });

  test('is read from a gzip file', async () => {
    for (const body of [xml, text]) {
      const facts = await parse(zlib.gzipSync(body), 'application/x-gzip');
      expect(facts).toMatchObject({ type: 'sitemap', isWhole: true, decodedBytes: Buffer.byteLength(body) });
      expect(facts.links[0]?.url).toBe('http://h/a');
    }
  });

  test('may be a feed, or an index', async () => {
    expect((await parse('<rss><item><link>/a</link></item></rss>')).type).toBe('feed');
    expect((await parse('<sitemapindex></sitemapindex>')).type).toBe('sitemapIndex');
  });

  test.each([
    ['http://h/contents', 'text/html', { type: 'html', fault: 'a page is not a sitemap' }],
    ['http://h/contents', 'text/plain', { type: 'other', fault: '<html> is not a sitemap' }],
    ['http://h/sitemap.xml?page=1', 'text/html', { type: 'other', fault: '<html> is not a sitemap' }],
    ['http://h/sitemap.XML.gz', 'text/html', { type: 'other', fault: '<html> is not a sitemap' }],
  ])('may be a page, if its name is not that of a list: %s as %s', async (url, type, facts) => {
    const body = `\n<!doctype html><html><title>Contents</title><a href=/x>${' '.repeat(2000)}`;
    for (const step of [1, 1000, 5000])
      expect(await parse(body, type, { url }, step)).toMatchObject({
        ...facts,
        links: facts.type === 'html' ? [{ url: 'http://h/x' }] : [],
      });
  });

  test.each([
    '<html><a href=/x>',
    '\ufeff\n<!-- made by hand --><!DOCTYPE html><a href=/x>',
    '<title>Contents</title><a href=/x>',
    '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><a href="/x"/></html>',
  ])('may be a page however that begins: %s', async (body) => {
    expect(await parse(body, 'text/html')).toMatchObject({ type: 'html', links: [{ url: 'http://h/x' }] });
    expect(await parse(`<br />Warning: no time zone<br />${xml}${body}`, 'text/html')).toMatchObject({
      type: 'sitemap',
      links: [{ url: 'http://h/a' }],
    });
  });

  const warning = '<br />\n<b>Warning</b>: a &amp; b in <b>/var/www/x.php</b> on line <b>3</b><br />\n';
  test.each([
    ['warnings of PHP', warning.repeat(200)],
    [
      'a warning with its table',
      `<br><font size=1><table dir=ltr><tr><td>x</td></tr></table></font>${warning}`,
    ],
    ['a warning as plain text', '\nNotice: Undefined index: x < 3 in /var/www/x.php on line 3\n\n'],
    ['a script', '<script>a(1)</script>'],
  ])('is read behind %s', async (_, before) => {
    for (const type of ['application/xml', 'text/html', 'text/plain', undefined])
      for (const step of [1, 1000, 100_000])
        expect(await parse(before + xml, type, { url: 'http://h/sitemap.xml' }, step)).toMatchObject({
          type: 'sitemap',
          links: [{ url: 'http://h/a', kind: 'url' }],
          fault: undefined,
        });
  });

  test('a warning alone is no sitemap, and neither is what stands in another document', async () => {
    const fault = '<br> is not a sitemap';
    for (const body of [warning, '<br>'.repeat(10_001) + xml])
      expect(await parse(body, 'text/xml')).toMatchObject({ type: 'other', fault, links: [] });
    expect(await parse(`<opml>${xml}</opml>`, 'text/xml')).toMatchObject({ links: [] });
  });

  test('may be a page of XHTML', async () => {
    const body = '<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="/x"/></body></html>';
    expect(await parse(body, 'application/xhtml+xml')).toMatchObject({ type: 'html', links: [{}] });
  });

  test('may have more links than a page', async () => {
    const lines = Array.from({ length: 50_001 }, (_, n) => `http://h/${n}`).join('\n');
    const { links, droppedLinks, fault } = await parse(lines);
    expect([links.length, droppedLinks, fault]).toEqual([50_000, 1, 'more than 50000 links']);
  });
});

describe('faults of sitemaps', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['a page that says that there is none', '<!doctype html><html><a>', '<html> is not a sitemap'],
    ['a text without URLs', 'Not found', 'neither XML nor a list of URLs'],
    ['nothing', '', 'neither XML nor a list of URLs'],
    ['gzip inside of gzip', zlib.gzipSync(zlib.gzipSync(xml)), 'gzip inside of gzip'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), 'neither XML nor a list of URLs'],
  ])('%s', async (_, body, fault) => {
    for (const type of [undefined, 'text/html'])
      expect(await parse(body, type, { url: 'http://h/sitemap.xml' })).toMatchObject({ fault, links: [] });
  });

  test('a gzip bomb stops at the limit', async () => {
    const bomb = zlib.gzipSync(`${text}\n${'x'.repeat(30_000_000)}`);
    const { decodedBytes, isWhole, fault, links } = await parse(bomb, 'application/gzip');
    expect([decodedBytes, isWhole, fault, links.length]).toEqual([
      10_000_000,
      false,
      'more than 10000000 decoded bytes',
      2,
    ]);
  });

  test('a cut gzip file gives what it holds', async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `http://h/${(n * 7919) % 5003}`).join('\n');
    const body = zlib.gzipSync(lines);
    const { links, isWhole, fault } = await parse(body.subarray(0, body.length / 2));
    expect(links.length).toBeGreaterThan(1000);
    expect([isWhole, fault]).toEqual([false, expect.stringContaining('gzip')]);
  });

  test('a document that is too large says so', async () => {
    expect(await parse(xml + ' '.repeat(500), 'text/xml', { maxDecodedBytes: 200 })).toMatchObject({
      fault: 'more than 200 decoded bytes',
      isWhole: false,
      links: [{ url: 'http://h/a' }],
    });
  });

  test('a resolver that fails loses the links and no more', async () => {
    const resolve = () => {
      throw new Error('broke');
    };
    for (const body of [xml, text, zlib.gzipSync(xml)])
      expect(await parse(body, undefined, { resolve })).toMatchObject({ error: 'parser: broke', links: [] });
  });
});

describe('other documents', () => {
  test('a feed or sitemap that was fetched as a page is read, too', async () => {
    const options = { kind: undefined };
    expect(await parse(xml, 'text/xml', options)).toMatchObject({
      type: 'sitemap',
      links: [{ kind: 'url' }],
    });
    expect(await parse(xml, undefined, options)).toMatchObject({ type: 'sitemap', mimeType: 'text/xml' });
    expect(await parse('<feed/>', 'application/atom+xml', options)).toMatchObject({ type: 'feed' });
    expect(await parse('<svg/>', 'image/svg+xml', options)).toMatchObject({
      type: 'other',
      fault: undefined,
    });
    expect(await parse(text, 'text/plain', options)).toMatchObject({ type: 'other', links: [] });
  });

  test('style sheets have requisites, if these are wanted', async () => {
    const options = { kind: 'requisite' as const, wantsRequisites: true };
    expect(await parse('a{b:url(c)}', 'text/css', options)).toMatchObject({
      type: 'css',
      links: [{ url: 'http://h/c', kind: 'css' }],
    });
    expect(await parse('a{b:url(c)}', 'text/css', { kind: undefined })).toMatchObject({
      type: 'css',
      links: [],
    });
  });
});

test('however a sitemap arrives, the result is the same', async () => {
  const fragments = [
    'http://h/a\n',
    '<urlset>',
    '<url><loc>/b</loc></url>',
    '\ufeff',
    ' \r\n',
    '\x1f\x8b',
    'x'.repeat(9000),
    '\n',
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...fragments), { maxLength: 8 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 3000 }),
      async (list, isGzip, step) => {
        const body = Buffer.from(list.join(''), 'utf8');
        const bytes = isGzip ? zlib.gzipSync(body) : body;
        expect(await parse(bytes, undefined, {}, step)).toEqual(await parse(bytes, undefined, {}, 1e9));
      },
    ),
    { numRuns: 200 },
  );
});

import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { STEADY_BODY_BYTES } from '../../../shared/core/outcome/fetch-request.ts';
import { createDocumentParser, type DocumentParserOptions } from '../../../shared/core/parser/document.ts';

async function parse(
  body: string | Uint8Array,
  headers: [string, string][],
  options: Partial<DocumentParserOptions> = {},
  step = 100,
) {
  const parser = createDocumentParser({
    url: 'http://example.com/',
    headers,
    maxDecodedBytes: 1_000_000,
    maxLinks: 100,
    ...options,
  });
  const bytes = Buffer.from(body as Uint8Array);
  const given: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    const piece = Uint8Array.from(bytes.subarray(at, at + step));
    parser.write(piece);
    given.push(piece);
    // The memory of a longer body is somebody else's when the call is over.
    if (at + piece.length > STEADY_BODY_BYTES) for (const each of given.splice(0)) each.fill(0);
  }
  return await parser.end();
}
/** A member whose header names a file. */
function gzipNamed(text: string, nameBytes: number): Buffer {
  const member = zlib.gzipSync(text);
  member[3] = 8;
  return Buffer.concat([
    member.subarray(0, 10),
    Buffer.alloc(nameBytes, 'n'),
    Buffer.alloc(1),
    member.subarray(10),
  ]);
}

const html = '<!doctype html><title>T</title><a href=/x>x</a>';

describe('createDocumentParser', () => {
  test('reads what is too large to be decoded at once, piece by piece', async () => {
    const noise = Array.from({ length: 60_000 }, (_, i) => Math.imul(i + 1, 2_654_435_761).toString(36));
    const page = `${html}<p>${noise.join(' ')}</p><a href=/last>`;
    const body = zlib.gzipSync(page);
    expect(body.length).toBeGreaterThan(256 * 1024);
    const headers: [string, string][] = [
      ['content-type', 'text/html'],
      ['content-encoding', 'gzip'],
    ];
    const { links, isWhole, decodedBytes } = await parse(body, headers, {}, 60_000);
    expect([isWhole, decodedBytes]).toEqual([true, page.length]);
    expect(links.map(({ url }) => url)).toEqual(['http://example.com/x', 'http://example.com/last']);
  });

  test.each([STEADY_BODY_BYTES - 1, STEADY_BODY_BYTES, STEADY_BODY_BYTES + 1, 2 * STEADY_BODY_BYTES])(
    'reads a coded body of %i bytes, of which the pieces stay only while it is short',
    async (size) => {
      const page = `${html}<a href=/last>`;
      // The header of gzip may name a file.
      const body = gzipNamed(page, size - gzipNamed(page, 0).length);
      expect(body.length).toBe(size);
      const { links, decodedBytes } = await parse(
        body,
        [
          ['content-type', 'text/html'],
          ['content-encoding', 'gzip'],
        ],
        {},
        10_000,
      );
      expect(decodedBytes).toBe(page.length);
      expect(links.map(({ url }) => url)).toEqual(['http://example.com/x', 'http://example.com/last']);
    },
  );

  test('gives the facts of a compressed page', async () => {
    const headers: [string, string][] = [
      ['CONTENT-TYPE', 'Text/HTML; charset=Shift_JIS'],
      ['content-Encoding', 'gzip'],
    ];
    expect(await parse(zlib.gzipSync(html), headers)).toEqual({
      type: 'html',
      mimeType: 'text/html',
      charset: 'shift_jis',
      links: [{ url: 'http://example.com/x', kind: 'a' }],
      droppedLinks: 0,
      title: 'T',
      robots: { nofollow: false, noindex: false },
      decodedBytes: html.length,
      isWhole: true,
    });
  });

  test('of several Content-Type fields the last counts', async () => {
    const headers: [string, string][] = [
      ['Content-Type', 'text/plain'],
      ['Content-Type', 'text/html'],
    ];
    expect((await parse(html, headers)).links).toHaveLength(1);
  });

  test.each([
    ['  <!DOCTYPE HTML><a href=/x>', 'text/html', 1],
    ['\ufeff<html><a href=/x>', 'text/html', 1],
    [`<!-- ${'-'.repeat(2000)} --><a href=/x>`, 'text/html', 1],
    ['<bold><a href=/x>', 'text/plain', 0],
    ['<?xml version="1.0"?><urlset/>', 'text/xml', 0],
    ['%PDF-1.7', 'application/pdf', 0],
    ['\x01\x02', 'application/octet-stream', 0],
    ['', undefined, 0],
  ])('a document without a type, %j, is %s', async (body, mimeType, links) => {
    for (const headers of [[], [['Content-Type', 'unknown/unknown']]] as [string, string][][]) {
      const facts = await parse(body, headers);
      expect([facts.mimeType, facts.links.length, facts.error]).toEqual([mimeType, links, undefined]);
    }
  });

  test('other types have no links, and their bytes are counted', async () => {
    expect(await parse(html, [['Content-Type', 'text/plain']])).toMatchObject({
      mimeType: 'text/plain',
      links: [],
      decodedBytes: html.length,
      isWhole: true,
    });
  });

  test('XHTML has links', async () => {
    expect((await parse(html, [['Content-Type', 'application/xhtml+xml']])).links).toHaveLength(1);
  });

  test('the field Refresh counts like a meta refresh, unless there is one', async () => {
    const refreshed = (value: string, body: string | Uint8Array = html, type = 'text/html') =>
      parse(body, [
        ['Content-Type', type],
        ['Refresh', value],
      ]);
    const next = 'http://example.com/next';
    const found = await refreshed('3; url=/next#top');
    expect([found.refresh, found.refreshMs]).toEqual([next, 3000]);
    expect(found.links).toEqual([
      { url: 'http://example.com/x', kind: 'a' },
      { url: next, kind: 'refresh' },
    ]);
    expect((await refreshed('0;url=/x')).links).toHaveLength(1);
    // As Chromium reads it: as Latin-1, and its query is encoded in the page's charset.
    expect((await refreshed('0;url=/\u00e9')).refresh).toBe('http://example.com/%C3%A9');
    expect((await refreshed('0;url=/?\u00e9', html, 'text/html; charset=windows-1251')).refresh).toBe(
      'http://example.com/?%26%23233%3B',
    );
    const meta = '<meta http-equiv=refresh content="9;url=/meta">';
    expect((await refreshed('0;url=/next', meta)).refresh).toBe('http://example.com/meta');
    for (const value of ['5', '0;url=mailto:x']) expect((await refreshed(value)).refresh).toBeUndefined();
    expect((await refreshed('0;url=/next', '{}', 'application/json')).refresh).toBeUndefined();
  });

  test('X-Robots-Tag counts like the markup, unless it names another robot', async () => {
    const headers: [string, string][] = [
      ['Content-Type', 'application/pdf'],
      ['X-Robots-Tag', 'otherbot: nofollow'],
      ['x-robots-tag', 'noarchive, NOINDEX'],
    ];
    expect((await parse('', headers)).robots).toEqual({ nofollow: false, noindex: true });
  });

  test('a page beyond the limit gives the links of its beginning', async () => {
    const facts = await parse(html + 'x'.repeat(1000), [['Content-Type', 'text/html']], {
      maxDecodedBytes: 200,
    });
    expect(facts).toMatchObject({
      decodedBytes: 200,
      isWhole: false,
      links: [{ url: 'http://example.com/x' }],
    });
  });

  test('a failing parser loses the links and not the page', async () => {
    const resolve = () => {
      throw new Error('resolver broke');
    };
    expect(await parse(html, [['Content-Type', 'text/html']], { resolve })).toMatchObject({
      mimeType: 'text/html',
      links: [],
      decodedBytes: html.length,
      isWhole: false,
      error: 'parser: resolver broke',
    });
  });
});

test('XML that is neither a sitemap nor a feed has no fault, unless somebody called it a sitemap', async () => {
  const of = async (body: string, kind?: 'sitemap') => {
    const parser = createDocumentParser({
      url: 'http://a.test/x.xml',
      headers: [['Content-Type', 'text/xml']],
      maxDecodedBytes: 100_000,
      maxLinks: 100,
      ...(kind && { kind }),
    });
    parser.write(Buffer.from(body));
    return (await parser.end()).fault;
  };
  const broken = '<?xml version="1.0"?><instructionals module="Qt"><examples></demos></instructionals>';
  expect(await of(broken)).toBeUndefined();
  expect(
    await of('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><QDOCINDEX><page/></QDOCINDEX>'),
  ).toBeUndefined();
  expect(await of(broken, 'sitemap')).toEqual(expect.any(String));
  const feed = '<rss version="2.0"><channel><item><link>http://a.test/1</link></item></channels></rss>';
  expect(await of(feed)).toEqual(expect.any(String));
});

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeMember, fieldOf } from '../../../shared/core/archive/read-warc.ts';
import type { ModuleReading } from '../../../shared/services/outputs/page-document.ts';
import type { SourceRecord } from '../../../shared/services/outputs/warc/source-record.ts';
import { type WatOptions, watRecord } from '../../../shared/services/outputs/warc/wat.ts';
import { wetRecord } from '../../../shared/services/outputs/warc/wet.ts';

const URL_OF_PAGE = 'https://example.org/a';
let ids = 0;
const newId = () => `<urn:uuid:${++ids}>`;

function sourceOf(block: Buffer, fields: Readonly<Record<string, string>> = {}, isCut = false): SourceRecord {
  const given = {
    'WARC-Type': 'response',
    'WARC-Date': '2026-01-02T03:04:05Z',
    'WARC-Target-URI': URL_OF_PAGE,
    'WARC-Record-ID': '<urn:uuid:source>',
    'Content-Type': 'application/http; msgtype=response',
    ...fields,
  };
  const record = { version: 'WARC/1.1', fields: Object.entries(given), blockLength: block.length };
  return { record, file: 'a.warc.gz', offset: 17, length: 99, headLength: 200, block, isCut } as never;
}

const http = (
  body: string | Uint8Array,
  headers = 'Content-Type: text/html; charset=utf-8',
  status = '200 OK',
) => Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`), Buffer.from(body)]);

function read(pieces: Uint8Array[] | undefined) {
  const { record, text } = (() => {
    const decoded = decodeMember(Buffer.concat(pieces!));
    return { record: decoded, text: Buffer.from(decoded.block).toString() };
  })();
  return { field: (name: string) => fieldOf(record, name), text };
}

const PAGE = `<!doctype html><title>The  title</title><meta name=description content="A page"><link rel=stylesheet href=s.css>
<script src=x.js></script><style>p{}</style><nav><a href="/b" rel=nofollow> To <b>B</b></a></nav><p>Caf\u00e9, one<br>two</p><img src=i.png alt=Image>`;

/** Inflates to more than is looked at. */
const BOMB = http(gzipSync(Buffer.alloc(70_000_000)), 'Content-Type: text/html\r\nContent-Encoding: gzip');

const NOTES = {
  markdown: '',
  metadata: { title: 'Notes', author: 'A. U. Thor', pages: 3, types: [] },
  links: ['b.html', 'https://other.test/'],
};

/** The modules of a project. */
const MODULES: ModuleReading = {
  reads: (mediaType) => mediaType === 'text/x-notes',
  async read(_url, _type, { body }) {
    const given = Buffer.from(body).toString();
    if (given === 'broken') throw new Error('it is broken');
    return { ...NOTES, text: `read: ${given}`, ...(given === 'long' && { cut: 'it is long' }) };
  },
};

describe('WET', () => {
  test('a page becomes a conversion record with all its text, a line for each block', async () => {
    const { field, text } = read(await wetRecord(sourceOf(http(PAGE)), newId));
    expect(text).toBe('The title\nTo B\nCaf\u00e9, one two\n');
    expect(field('WARC-Type')).toBe('conversion');
    expect(field('WARC-Target-URI')).toBe(URL_OF_PAGE);
    expect(field('WARC-Refers-To')).toBe('<urn:uuid:source>');
    expect(field('WARC-Date')).toBe('2026-01-02T03:04:05Z');
    expect(field('Content-Type')).toBe('text/plain');
  });

  test('content codings and charsets are undone', async () => {
    const headers = 'Content-Type: text/plain; charset=latin1\r\nContent-Encoding: gzip';
    const { text } = read(
      await wetRecord(sourceOf(http(gzipSync(Buffer.from('Caf\u00e9', 'latin1')), headers)), newId),
    );
    expect(text).toBe('Caf\u00e9\n');
  });

  test('what is no page with a text gives no record', async () => {
    const none = [
      sourceOf(http('not found', undefined, '404 Not Found')),
      sourceOf(http('x', 'Content-Type: image/png')),
      sourceOf(http('<script>only</script>')),
      sourceOf(http(PAGE), { 'WARC-Type': 'revisit' }),
      sourceOf(Buffer.from('no HTTP head')),
      sourceOf(Buffer.from('a: b\r\n'), {
        'WARC-Type': 'warcinfo',
        'Content-Type': 'application/warc-fields',
      }),
    ];
    for (const source of none) expect(await wetRecord(source, newId)).toBeUndefined();
  });

  test('a body that is cut or damaged is an error, a long page is marked', async () => {
    await expect(wetRecord(sourceOf(http(PAGE), {}, true), newId)).rejects.toThrow(/more than/);
    const damaged = sourceOf(BOMB);
    await expect(wetRecord(damaged, newId)).rejects.toThrow();
    const { field } = read(await wetRecord(sourceOf(http('<p>a'.repeat(30_000))), newId));
    expect(field('WARC-Truncated')).toBe('length');
  });

  test('a document has the text that a module of the project reads, or the cause why it has none', async () => {
    const wetOf = (body: string, isCut = false) =>
      wetRecord(sourceOf(http(body, 'Content-Type: text/x-notes'), {}, isCut), newId, MODULES);
    expect(await wetRecord(sourceOf(http('A text', 'Content-Type: text/x-notes')), newId)).toBeUndefined();
    const { text, field } = read(await wetOf('A text'));
    expect([text, field('WARC-Truncated')]).toEqual(['read: A text\n', undefined]);
    expect(read(await wetOf('long')).field('WARC-Truncated')).toBe('length');
    await expect(wetOf('broken')).rejects.toThrow('it is broken');
    await expect(wetOf('A text', true)).rejects.toThrow(/more than/);
  });
});

describe('WAT', () => {
  const jsonOf = async (source: SourceRecord, options?: WatOptions) =>
    JSON.parse(read(await watRecord(source, newId, options)).text);

  test('a response has its place, its heads, and the head and links of its page', async () => {
    const block = http(PAGE, 'Content-Type: text/html\r\nSet-Cookie: a\r\nSet-Cookie: b');
    const { Container, Envelope } = await jsonOf(sourceOf(block, { 'WARC-Payload-Digest': 'sha1:X' }));
    expect(Container).toMatchObject({ Filename: 'a.warc.gz', Offset: '17', Compressed: true });
    expect(Envelope['WARC-Header-Metadata']['WARC-Target-URI']).toBe(URL_OF_PAGE);
    const response = Envelope['Payload-Metadata']['HTTP-Response-Metadata'];
    expect(response).toMatchObject({
      'Response-Message': { Status: '200', Version: 'HTTP/1.1', Reason: 'OK' },
      Headers: { 'Content-Type': 'text/html', 'Set-Cookie': ['a', 'b'] },
      'Entity-Digest': 'sha1:X',
      'Entity-Length': String(Buffer.byteLength(PAGE)),
    });
    expect(response['HTML-Metadata']).toEqual({
      Head: {
        Title: 'The title',
        Metas: [{ name: 'description', content: 'A page' }],
        Link: [{ path: 'LINK@/href', url: 's.css', rel: 'stylesheet' }],
        Scripts: [{ path: 'SCRIPT@/src', url: 'x.js' }],
      },
      Links: [
        { path: 'A@/href', url: '/b', text: 'To B', rel: 'nofollow' },
        { path: 'IMG@/src', url: 'i.png', alt: 'Image' },
      ],
    });
  });

  test('requests, metadata and warcinfo have their fields', async () => {
    const request = sourceOf(Buffer.from('GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n'), {
      'WARC-Type': 'request',
    });
    expect((await jsonOf(request)).Envelope['Payload-Metadata']['HTTP-Request-Metadata']).toMatchObject({
      'Request-Message': { Method: 'GET', Path: '/a', Version: 'HTTP/1.1' },
      Headers: { Host: 'example.org' },
    });
    const info = { 'WARC-Type': 'warcinfo', 'Content-Type': 'application/warc-fields' };
    const { Envelope } = await jsonOf(sourceOf(Buffer.from('software: S\r\nnote: a: b\r\n'), info));
    expect(Envelope['Payload-Metadata']['WARC-Info-Metadata']).toEqual({ software: 'S', note: 'a: b' });
    const metadata = { 'WARC-Type': 'metadata', 'Content-Type': 'application/warc-fields' };
    const found = await jsonOf(sourceOf(Buffer.from('seed: \r\nfetchTimeMs: 18\r\n'), metadata));
    expect(found.Envelope['Payload-Metadata']).toEqual({
      'Actual-Content-Type': 'application/warc-fields',
      'Actual-Content-Length': '25',
      'Trailing-Slop-Length': '0',
      'WARC-Metadata-Metadata': {
        'Metadata-Records': [
          { Name: 'seed', Value: '' },
          { Name: 'fetchTimeMs', Value: '18' },
        ],
      },
    });
  });

  test('whatever a page is, there is a record, without its links where it cannot be read', async () => {
    const damaged = sourceOf(BOMB);
    expect(
      (await jsonOf(damaged)).Envelope['Payload-Metadata']['HTTP-Response-Metadata']['HTML-Metadata'],
    ).toBeUndefined();
    for (const page of [
      '<a href=x>'.repeat(200_000),
      '<a href=x>'.repeat(500) + 'text '.repeat(1_000_000),
      '<img src=',
    ])
      expect(await jsonOf(sourceOf(http(page)))).toHaveProperty('Envelope');
    expect(await jsonOf(sourceOf(Buffer.from('nothing'), { 'Content-Type': 'x/y' }))).toHaveProperty(
      'Container',
    );
  });

  const responseOf = async (source: SourceRecord, options?: WatOptions) =>
    (await jsonOf(source, options)).Envelope['Payload-Metadata']['HTTP-Response-Metadata'];

  test('a document that a module reads has its metadata and links; one that it cannot read is named', async () => {
    const faults: unknown[] = [];
    const options = { modules: MODULES, onUnread: (error: unknown) => faults.push(error) };
    const response = await responseOf(sourceOf(http('A text', 'Content-Type: text/x-notes')), options);
    expect(response['Document-Metadata']).toEqual({
      Head: {
        Title: 'Notes',
        Metas: [
          { name: 'author', content: 'A. U. Thor' },
          { name: 'pages', content: '3' },
        ],
      },
      Links: [{ url: 'b.html' }, { url: 'https://other.test/' }],
    });
    expect(response).not.toHaveProperty('HTML-Metadata');
    const broken = await responseOf(sourceOf(http('broken', 'Content-Type: text/x-notes')), options);
    expect(broken).not.toHaveProperty('Document-Metadata');
    expect(broken).toMatchObject({ 'Entity-Length': '6' });
    expect(faults).toEqual([new Error('it is broken')]);
    // Nothing is read of answers of other kinds.
    for (const source of [
      sourceOf(http('broken', 'Content-Type: text/x-notes', '404 Not Found')),
      sourceOf(http('broken', 'Content-Type: text/x-notes'), {}, true),
      sourceOf(http(PAGE)),
    ])
      expect(await responseOf(source, options)).not.toHaveProperty('Document-Metadata');
    expect(faults).toHaveLength(1);
  });

  test('more links than anybody follows are cut, and so is what is long', async () => {
    const linksOf = async (count: number, link: string) => {
      const links = Array.from({ length: count }, () => link);
      const modules = { ...MODULES, read: async () => ({ ...NOTES, text: '', links }) };
      const source = sourceOf(http('', 'Content-Type: text/x-notes'));
      return (await responseOf(source, { modules }))['Document-Metadata'].Links as { url: string }[];
    };
    expect(await linksOf(30_000, 'x')).toHaveLength(20_000);
    const long = await linksOf(2000, 'x'.repeat(5000));
    expect([long.length, long[0]?.url.length]).toEqual([1024, 4096]);
  });

  test('a page has what its project reads beside its own links', async () => {
    const modules = { ...MODULES, reads: (type: string) => type === 'text/html' };
    const response = await responseOf(sourceOf(http(PAGE)), { modules });
    expect(response['HTML-Metadata'].Links).toHaveLength(2);
    expect(response['Document-Metadata'].Links).toHaveLength(2);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeCapture, encodeRevisit } from '../../../shared/core/archive/capture.ts';
import { cdxjLine, scanCaptures } from '../../../shared/core/archive/cdxj.ts';
import { decodeMember, fieldOf } from '../../../shared/core/archive/read-warc.ts';
import { surt } from '../../../shared/core/archive/surt.ts';
import { encodeRecord, type WarcFields, warcDate } from '../../../shared/core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../../shared/core/archive/warcinfo.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { captureOf, joined, newId, RECORDS, T0 } from './captures.ts';

const ID32 = '0123456789abcdef0123456789abcdef';
const ASP = '4hqa0555fwsecu455xqckv45';

describe('SURT', () => {
  // Each as the `surt` package has it, which pywb asks its indexes with.
  test.each([
    ['http://example.com/', 'com,example)/'],
    ['https://www.example.com', 'com,example)/'],
    ['http://www12.example.com/A/B?Q=1', 'com,example)/a/b?q=1'],
    ['http://ww2.example.com/', 'com,example,ww2)/'],
    ['http://sub.www.example.com/', 'com,example,www,sub)/'],
    ['http://www.com/', 'com)/'],
    ['http://www.a.com./x', 'com,a)/x'],
    ['https://example.com:443/', 'com,example)/'],
    ['https://example.com:80/', 'com,example:80)/'],
    ['http://127.0.0.1:8000/x', '1,0,0,127:8000)/x'],
    ['http://[::1]:8000/x', '::1:8000)/x'],
    ['http://user:pw@example.com/x#frag', 'com,example)/x'],
    ['http://bücher.example/ä?ö=ü', 'example,xn--bcher-kva)/%c3%a4?%c3%b6=%c3%bc'],
    ['http://example.com/a//b/', 'com,example)/a/b'],
    ['http://example.com/a/%252e%252e/b/', 'com,example)/b'],
    ['http://example.com/%252e%252e/b', 'com,example)/../b'],
    ['http://example.com/a%20b/%7e%2F%c3%a4?q=%2f%20+&z=%41', 'com,example)/a%20b/~/%c3%a4?q=/%20+&z=a'],
    ['http://example.com/100%/a%25b%2525c%%34%31?y=%zz', 'com,example)/100%25/a%25b%ca?y=%25zz'],
    ['http://example.com/a%3Fb%23c', 'com,example)/a?b%23c'],
    ['http://example.com/a?', 'com,example)/a'],
    ['http://example.com/a?&', 'com,example)/a?&'],
    ['http://example.com/a/?b=2&&a=1', 'com,example)/a?&a=1&b=2'],
    ['http://example.com/a?b&a=&a&a=2&A=1&a!=0', 'com,example)/a?a&a=&a=1&a=2&a!=0&b'],
    [`http://example.com/a?jsessionid=${ID32}`, 'com,example)/a'],
    [`http://example.com/a?x=1&PHPSESSID=${ID32}`, 'com,example)/a?&x=1'],
    [`http://example.com/a?sid=${ID32}0&x=1`, `com,example)/a?sid=${ID32}0&x=1`],
    ['http://example.com/a?ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM&x=1', 'com,example)/a?x=1'],
    ['http://example.com/a?cfid=1&CFTOKEN=2&x=1', 'com,example)/a?x=1'],
    ['http://example.com/a?cfid=cfid=&cftoken=1', 'com,example)/a'],
    [`http://example.com/(${ASP})/x.aspx?a=1`, 'com,example)/x.aspx?a=1'],
    [`http://example.com/(a(${ASP})S(${ASP}))/x.ASPX`, 'com,example)/x.aspx'],
    [`http://example.com/(${ASP})/x.html`, `com,example)/(${ASP})/x.html`],
    ['urn:some:id', 'urn:some:id'],
  ])('of %s is %s', (url, key) => {
    expect(surt(url)).toBe(key);
  });

  const urls = fc
    .tuple(
      fc.constantFrom('example.com', 'www.a-b.co.uk', 'x.example:8080', '[2001:db8::1]', '10.0.0.1'),
      fc.array(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('/', '%', '%25', '&', '=', '?', '..')),
        {
          maxLength: 8,
        },
      ),
    )
    .map(([host, pieces]) => `http://${host}/${pieces.join('')}`)
    .filter((url) => canonicalize(url) !== undefined);

  test('is printable ASCII, and the same for whatever it leaves out of account', () => {
    fc.assert(
      fc.property(urls, (url) => {
        const key = surt(url);
        expect(key).toMatch(/^[!-~]+\)\/[!-~]*$/);
        expect(key).toBe(key.toLowerCase());
        expect(surt(canonicalize(url)!)).toBe(key);
        expect(surt(`${canonicalize(url)}#fragment`)).toBe(key);
        expect(surt(canonicalize(url)!.replace('http:', 'https:'))).toBe(key);
        expect(surt(canonicalize(url)!.replace(/%[0-9A-F]{2}/g, (octet) => `%25${octet.slice(1)}`))).toBe(
          key,
        );
      }),
    );
  });

  test('keeps a site together, and its order of parameters does not matter', () => {
    const parameter = fc.stringMatching(/^[a-z0-9]{1,5}(=[a-z0-9]{0,5})?$/);
    fc.assert(
      fc.property(fc.array(parameter, { minLength: 1, maxLength: 6 }), (parameters) => {
        const key = surt(`http://a.example.com/p?${parameters.join('&')}`);
        expect(surt(`http://a.example.com/p?${parameters.toReversed().join('&')}`)).toBe(key);
        expect(key.startsWith('com,example,a)/p?')).toBe(true);
      }),
    );
  });

  test('takes no long time for any URL', () => {
    for (const piece of ['%25', 'cfid=', `(${ASP})/`, '/..', '&a', 'sid=', '%2525'])
      expect(surt(`http://a.example/${piece.repeat(20_000)}?${piece.repeat(20_000)}.aspx`)).toContain('a)/');
  });
});

async function fileOf(members: Promise<Buffer>[]): Promise<{ file: Buffer; offsets: number[] }> {
  const pieces = await Promise.all(members);
  const offsets = pieces.map((_, i) => pieces.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  return { file: Buffer.concat(pieces), offsets };
}

async function linesOf(file: Buffer, base?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const capture of scanCaptures(async (offset, length) => file.subarray(offset, offset + length)))
    lines.push(cdxjLine(capture, 'x.warc.gz', base));
  return lines;
}

const record = (fields: Partial<WarcFields>, text: string) =>
  joined(
    encodeRecord(
      { 'WARC-Type': 'response', 'WARC-Record-ID': newId(), 'WARC-Date': warcDate(T0), ...fields },
      Buffer.from(text),
    ),
  );

describe('CDXJ', () => {
  test('has a line for a response and for a revisit, and none for other records', async () => {
    const url = 'http://www.example.test/A?b=%C3%A4';
    const capture = await encodeCapture(
      captureOf({ url, headers: [['content-type', 'text/html; charset=utf-8']], body: Buffer.from('abc') }),
      RECORDS,
    );
    const http = { 'Content-Type': 'application/http;msgtype=response' };
    const revisit = {
      'WARC-Type': 'revisit',
      'WARC-Target-URI': url,
      'WARC-Payload-Digest': 'sha1:X',
      ...http,
    };
    const { file, offsets } = await fileOf([
      joined(encodeWarcinfo({ id: newId(), filename: 'x.warc.gz', date: T0, software: 'test' })),
      joined(capture.members[0]),
      joined(capture.members[1]),
      record(revisit, 'HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n'),
    ]);
    const key = 'test,example)/a?b=%c3%a4 20260102030405';
    const places = offsets.map((offset, i) => ({ offset, length: (offsets[i + 1] ?? file.length) - offset }));
    expect(await linesOf(file, 1000)).toEqual([
      `${key} {"url": "${url}", "mime": "text/html", "status": "200", ` +
        `"digest": "${capture.payloadDigest}", "length": "${places[1]!.length}", ` +
        `"offset": "${places[1]!.offset + 1000}", "filename": "x.warc.gz"}\n`,
      `${key} {"url": "${url}", "mime": "warc/revisit", "status": "304", "digest": "sha1:X", ` +
        `"length": "${places[3]!.length}", "offset": "${places[3]!.offset + 1000}", "filename": "x.warc.gz"}\n`,
    ]);
  });

  const http = 'application/http;msgtype=response';
  test.each([
    ['no headers', http, 'HTTP/1.1 200\r\n\r\nbody', '"status": "200"'],
    ['an empty type', http, 'HTTP/1.1 200 OK\r\nContent-Type: ;x\r\n\r\n', '"mime": "", "status": "200"'],
    ['a type in the body only', http, 'HTTP/1.0 404 No\r\n\r\nContent-Type: a/b\r\n\r\n', '"status": "404"'],
    [
      'two types',
      http,
      'HTTP/1.1 200 \r\ncontent-TYPE:a/b x\r\nContent-Type: c/d\r\n\r\n',
      '"mime": "a/b", "status": "200"',
    ],
    ['no HTTP at all', http, 'hello', undefined],
    ['a head without an end', http, 'HTTP/1.1 200 OK\r\nContent-Type: a/b', '"mime": "a/b", "status": "200"'],
    ['another kind of block', 'text/dns', 'HTTP/1.1 200 OK\r\n\r\n', undefined],
    [
      'a type that is no ASCII',
      http,
      'HTTP/1.1 200 OK\r\nContent-Type: "\xe9\r\n\r\n',
      '"mime": "\\"\\u00c3\\u00a9", "status": "200"',
    ],
  ])('of a response with %s says what there is', async (_, type, text, expected) => {
    const fields = { 'WARC-Target-URI': 'http://a.test/', 'Content-Type': type };
    const [line] = await linesOf(await record(fields, text));
    expect(line!.slice(0, line!.indexOf(', "length"'))).toBe(
      `test,a)/ 20260102030405 {"url": "http://a.test/"${expected ? `, ${expected}` : ''}`,
    );
  });

  test('a date may be short, and any address is text', async () => {
    const fields = { 'WARC-Date': '2026-03', 'WARC-Target-URI': 'urn:ä"\\' };
    const [line] = await linesOf(await record(fields, ''));
    expect(line).toMatch(/^urn:%c3%a4"\\ 20260301000000 \{"url": "urn:\\u00e4\\"\\\\", "length": /);
  });

  test('each line names a member that holds its record, and lines are sorted by their bytes', async () => {
    const exchanges = fc.array(
      fc.record({
        url: fc.webUrl({ withQueryParameters: true }).map((url) => canonicalize(url)!),
        type: fc.constantFrom('text/html', 'image/png'),
        size: fc.constantFrom(0, 100, 300_000),
      }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(exchanges, async (given) => {
        const members = given.map(async ({ url, type, size }) => {
          const capture = captureOf({
            url,
            headers: [['Content-Type', type]],
            body: Buffer.alloc(size, url),
          });
          return Buffer.concat(
            await Promise.all((await encodeCapture(capture, RECORDS)).members.map(joined)),
          );
        });
        const { file } = await fileOf(members);
        const lines = (await linesOf(file)).sort();
        const bytes = lines.map((line) => Buffer.from(line));
        expect(bytes.toSorted(Buffer.compare)).toEqual(bytes);
        for (const line of lines) {
          const [, key, json] = /^(\S+) \d{14} (\{.*\})\n$/.exec(line)!;
          const { url, mime, status, digest, offset, length } = JSON.parse(json!);
          const found = decodeMember(file.subarray(+offset, +offset + +length));
          expect([fieldOf(found, 'WARC-Type'), fieldOf(found, 'WARC-Target-URI')]).toEqual(['response', url]);
          expect(digest).toBe(fieldOf(found, 'WARC-Payload-Digest'));
          expect([key, status]).toEqual([surt(url), '200']);
          expect(given).toContainEqual(expect.objectContaining({ url, type: mime }));
        }
        expect(lines.length).toBe(given.length);
      }),
      { numRuns: 30 },
    );
  });

  const text = fc.string({
    unit: fc.constantFrom('a', 'Ä', '\u2028', ' ', '\r', '\n', ';', ':', '"', '<', '>', '\ud800', '%'),
  });
  test('what an encoder says about its record is what scanning finds in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          url: fc.oneof(
            fc.webUrl(),
            text.map((path) => `http://example.test/${path}`),
            text,
          ),
          statusText: text,
          httpStatus: fc.integer({ min: 100, max: 1200 }),
          headers: fc.array(fc.tuple(fc.oneof(fc.constant('Content-Type'), text), text), { maxLength: 4 }),
          startedAt: fc.nat({ max: 2 ** 42 }),
        }),
        // Heads beyond what is read of a block.
        fc.constantFrom(0, 300_000),
        fc.boolean(),
        async (given, filler, isRevisit) => {
          const capture = captureOf({
            ...given,
            url: given.url || 'x',
            headers: [['X-Filler', 'a'.repeat(filler)], ...given.headers],
            body: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n'),
          });
          const original = { url: 'http://a.test/', date: warcDate(T0), recordId: newId() };
          const encoded = isRevisit
            ? await encodeRevisit(capture, original, RECORDS)
            : await encodeCapture(capture, RECORDS);
          const lines = await linesOf(Buffer.concat(await Promise.all(encoded.members.map(joined))));
          expect(lines.map((line) => line.slice(0, line.indexOf(', "length"')))).toEqual([encoded.capture]);
        },
      ),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { captureLineStart, cdxjLine, scanCaptures } from '../../../shared/core/archive/cdxj.ts';
import { keyedUrl, requestQuery } from '../../../shared/core/archive/request-query.ts';

const request = (type: string, body: string | Uint8Array, method = 'POST', length?: string) => {
  const bytes = Buffer.from(body as string);
  const fields = [
    `Content-Length: ${length ?? bytes.length}`,
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
  ];
  return Buffer.concat([
    Buffer.from(`${method} /api HTTP/1.1\r\nHost: a.test\r\n${fields.join('\r\n')}\r\n\r\n`),
    bytes,
  ]);
};
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';
const part = (name: string, value: string, more = '') =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

// As cdxj-indexer 1.5.0 writes it with `-p`.
describe('the query of a request', () => {
  test.each<[string, string | Uint8Array, string]>([
    [form, 'a=1&b=2', 'a=1&b=2'],
    [form, 'q=a+b%20c&x=%C3%A9', 'q=a b c&x=é'],
    [form, 'q=%ff&x=1', 'q=\ufffd&x=1'],
    [form, Uint8Array.of(0x71, 0x3d, 0xff), '__wb_post_data=cT3/'],
    [form, 'a=%26b%3Dc#frag', 'a=&b=c#frag'],
    [form, 'a=%zz&b=%', 'a=%zz&b=%'],
    [form, '', ''],
    [`${form}; charset=utf-8`, 'z=1&a=2', 'z=1&a=2'],
    [form, `a=${'x'.repeat(5000)}`, `a=${'x'.repeat(4094)}`],
    [
      json,
      '{"a":1,"b":"x y","c":[1,2,{"d":null}],"e":true,"f":1.0}',
      'a=1&b=x+y&c=1&c.2_=2&d=None&e=True&f=1.0',
    ],
    [json, '{"b":1,"1":2,"a":{"b":3,"c":{"b":4}}}', 'b=1&1=2&b.2_=3&b.3_=4'],
    [
      json,
      '{"n":1e5,"m":1e16,"o":0.00001,"p":-0.0,"q":-0,"r":1.5e300,"s":123456789012345678901234567890,"u":1E400}',
      'n=100000.0&m=1e%2B16&o=1e-05&p=-0.0&q=0&r=1.5e%2B300&s=123456789012345678901234567890&u=inf',
    ],
    [json, '{"a":NaN,"b":-Infinity,"c":Infinity}', 'a=nan&b=-inf&c=inf'],
    [json, '{"a":"é/?&=+ \\u65e5\\ud83d\\ude00"}', 'a=%C3%A9%2F%3F%26%3D%2B+%E6%97%A5%F0%9F%98%80'],
    [json, '{"a":1}\n{"a":2}', 'a=1&a.2_=2'],
    [json, '{"a":1}\nbroken', ''],
    [json, '{"a":1,"a":2}', 'a=2'],
    [json, '{"a":1,}', ''],
    [json, '{"a":01}', ''],
    [json, '{"a":"\\ud83d"}', ''],
    [json, '[1,2]', ''],
    [json, 'no json', ''],
    [json, `${'['.repeat(100_000)}`, ''],
    ['text/plain;charset=UTF-8', '{"t":"x"}', 't=x'],
    ['text/plain', 'hello', '__wb_post_data=aGVsbG8='],
    ['application/octet-stream', '', '__wb_post_data='],
    ['', 'abc', '__wb_post_data=YWJj'],
    ['application/xml', '<a/>', '__wb_post_data=PGEvPg=='],
    [
      'multipart/form-data; boundary=B',
      `${part('a', 'v & w')}${part('é', '~-._*')}--B--\r\n`,
      'a=v+%26+w&%C3%A9=~-._%2A',
    ],
    [
      'multipart/form-data; boundary="B"',
      `${part('f', '\u0000é', '; filename="x"\r\nContent-Type: x/y')}--B--`,
      'f=%00%C3%A9',
    ],
    ['multipart/form-data', 'none', '__wb_post_data=bm9uZQ=='],
    ['multipart/form-data; boundary=B', 'none', '__wb_post_data=bm9uZQ=='],
  ])('%s %j', (type, body, query) => {
    expect(requestQuery(request(type, body))).toEqual({ method: 'POST', query });
  });

  test('is there for all methods but GET and HEAD', () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect(requestQuery(request(form, 'a=1', method))).toEqual({ method, query: 'a=1' });
    for (const method of ['GET', 'HEAD', '', '\x16\x03'])
      expect(requestQuery(request(form, 'a=1', method))).toBeUndefined();
    expect(requestQuery(new Uint8Array())).toBeUndefined();
    expect(requestQuery(request(form, 'a=1', 'POST', 'many'))).toEqual({ method: 'POST', query: '' });
  });

  test('is a part of the URL by which its answer is found', () => {
    expect(keyedUrl('http://a.test/', { method: 'POST', query: 'a=1' })).toBe(
      'http://a.test/?__wb_method=POST&a=1',
    );
    expect(keyedUrl('http://a.test/?b', { method: 'PUT', query: '' })).toBe(
      'http://a.test/?b&__wb_method=PUT',
    );
  });
});

test('the line of a capture that is made beside the record says what a scan would find', async () => {
  const fields = {
    'WARC-Type': 'response',
    'WARC-Target-URI': 'http://a.test/api',
    'WARC-Date': '2026-01-02T03:04:05Z',
  };
  const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n');
  const lineStart = captureLineStart(fields as never, head, request(form, 'q=B'));
  expect(cdxjLine({ lineStart, offset: 1, length: 2 }, 'x.warc.gz')).toBe(
    'test,a)/api?__wb_method=post&q=b 20260102030405 {"url": "http://a.test/api", "mime": "text/html", "status": "200", "length": "2", "offset": "1", "filename": "x.warc.gz", "requestBody": "q=B", "method": "POST"}\n',
  );
  expect(captureLineStart(fields as never, head, request('', '', 'GET'))).toBe(
    captureLineStart(fields as never, head),
  );

  const record = (type: string, id: number, beside: number, block: Buffer, url = 'http://a.test/api') =>
    Buffer.concat([
      Buffer.from(
        `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:x:${id}>\r\nWARC-Concurrent-To: <urn:x:${beside}>\r\nWARC-Target-URI: ${url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http\r\nContent-Length: ${block.length}\r\n\r\n`,
      ),
      block,
      Buffer.from('\r\n\r\n'),
    ]);
  const keysOf = async (...records: Buffer[]) => {
    const file = Buffer.concat(records);
    const keys: string[] = [];
    for await (const capture of scanCaptures(async (offset, length) =>
      file.subarray(offset, offset + length),
    ))
      keys.push(capture.lineStart.slice('test,a)/'.length).split(' ')[0]!);
    return keys;
  };
  const post = request(form, 'q=1');
  const key = 'api?__wb_method=post&q=1';
  // As Strand writes them, and as others do.
  expect(await keysOf(record('response', 1, 2, head), record('request', 2, 1, post))).toEqual([key]);
  expect(await keysOf(record('request', 2, 1, post), record('response', 1, 2, head))).toEqual([key]);
  // Another exchange, another URL, the end of what could be read.
  expect(await keysOf(record('response', 1, 2, head), record('request', 4, 3, post))).toEqual(['api']);
  expect(
    await keysOf(record('response', 1, 2, head), record('request', 2, 1, post, 'http://a.test/b')),
  ).toEqual(['api']);
  expect(await keysOf(record('response', 1, 2, head))).toEqual(['api']);
  expect(
    await keysOf(
      record('response', 1, 9, head),
      record('response', 2, 3, head),
      record('request', 3, 2, post),
      record('response', 4, 9, head),
    ),
  ).toEqual(['api', key, 'api']);
});

import { createHash } from 'node:crypto';
import { type GivenResponse, responseOf } from 'strand-crawler';
import { expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import type { ResponseHead } from '../../../shared/core/outcome/response-head.ts';
import { RECORDS } from '../../core/archive/captures.ts';

const request: FetchRequest = { url: 'http://a.test/x?y', headers: { 'X-Mine': '1' } };

test('a response by a middleware is one like any: read, digested, archived', async () => {
  const response = responseOf(request, {
    httpStatus: 200,
    statusText: 'OK',
    headers: [['Content-Type', 'text/html']],
    body: 'h\u00e9',
    startedAt: 1,
    endedAt: 2,
  });
  expect(response).toMatchObject({
    status: 'response',
    url: request.url,
    httpStatus: 200,
    headers: [['Content-Type', 'text/html']],
    ipAddress: '0.0.0.0',
  });
  const body = Buffer.from('h\u00e9');
  expect(response.body.size).toBe(3);
  expect(await response.body.bytes()).toEqual(body);
  expect(response.body.sha1).toEqual(createHash('sha1').update(body).digest());
  expect(Buffer.from(response.requestHead).toString()).toBe(
    'GET /x?y HTTP/1.1\r\nHost: a.test\r\nX-Mine: [removed]\r\n\r\n',
  );
  expect((await encodeCapture(response, RECORDS)).members.length).toBeGreaterThan(0);
});

test.each([
  ['of the request', undefined],
  [
    'that the middleware gives',
    'POST / HTTP/1.1\r\nauthorization: Basic eA==\r\nX-Mine: 1\r\nCOOKIE: a=b\r\n\r\nCookie: of the body',
  ],
])('cookies and passwords %s are kept out of the archive', (_, requestHead) => {
  const headers = { Authorization: 'Basic eA==', 'X-Mine': '1', Cookie: 'a=b' };
  const sent: FetchRequest = { ...request, method: 'POST', headers, body: 'Cookie: of the body' };
  const archived = responseOf(sent, { httpStatus: 200, ...(requestHead && { requestHead }) });
  const lines = Buffer.from(archived.requestHead).toString().split('\r\n');
  expect(lines.filter((line) => line.includes(': ') && !line.startsWith('Host')).join('; ')).toMatch(
    /^authorization: \[removed\]; X-Mine: \[removed\]; cookie: \[removed\]; Cookie: of the body$/i,
  );
});

test('it is parsed as it comes', () => {
  const heard: (ResponseHead | string)[] = [];
  const onHead = (head: ResponseHead) => {
    heard.push(head);
    return (chunk: Uint8Array) => void heard.push(Buffer.from(chunk).toString());
  };
  responseOf({ ...request, onHead }, { httpStatus: 200, body: 'text' });
  expect(heard).toEqual([{ httpStatus: 200, statusText: '', headers: [] }, 'text']);
});

test.each<[GivenResponse['headers'], [string, string][]]>([
  [new Headers({ A: '1' }), [['a', '1']]],
  [
    { A: '1', 'Set-Cookie': ['b=1', 'c=2'] },
    [
      ['A', '1'],
      ['Set-Cookie', 'b=1'],
      ['Set-Cookie', 'c=2'],
    ],
  ],
  [
    [
      ['A', '1'],
      ['A', '2'],
    ],
    [
      ['A', '1'],
      ['A', '2'],
    ],
  ],
  [undefined, []],
])('its headers may be given in any of the usual ways: %j', (headers, pairs) => {
  expect(responseOf(request, { httpStatus: 200, headers }).headers).toEqual(pairs);
});

test('a body that is decoded already loses the fields that would say otherwise', () => {
  const headers = {
    'Content-Encoding': 'gzip',
    'Content-Length': '7',
    'Transfer-Encoding': 'chunked',
    ETag: '"1"',
  };
  expect(responseOf(request, { httpStatus: 200, headers, isDecoded: true }).headers).toEqual([
    ['ETag', '"1"'],
  ]);
});

test('a longer body than is wanted is cut, and says so', () => {
  const response = responseOf({ ...request, maxBodyBytes: 2 }, { httpStatus: 200, body: 'abc' });
  expect(response).toMatchObject({ truncated: 'length', body: { size: 2 } });
});

test.each([100, 99, 600, Number.NaN, 200.5])('the status %s is refused', (httpStatus) => {
  expect(() => responseOf(request, { httpStatus })).toThrow(/^Expected httpStatus to be a final status/);
});

import { describe, expect, test } from 'vitest';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { createSameRequest } from '../../../shared/crawler/fetcher/same-request.ts';

const url = 'http://a.test/x:y';
const HEAD = [
  'GET /x:y HTTP/1.1',
  'host: a.test',
  'connection: keep-alive',
  'User-Agent: Older/1.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Encoding: gzip',
  'Accept-Language: en;q=0.8, *;q=0.5',
];
const block = (...more: string[]) => Buffer.from(`${[...HEAD, ...more].join('\r\n')}\r\n\r\n`, 'latin1');

const same = (archived: Uint8Array, request: Partial<FetchRequest> = {}, headers = {}): boolean =>
  createSameRequest({ userAgent: 'Test/1.0', headers: { '*': headers } }, () => 0)(
    { url, ...request },
    archived,
  );

describe('an archived request asked for the same thing', () => {
  test('under another name, and with other cookies', () => {
    expect(same(block())).toBe(true);
    expect(same(block('Cookie: [removed]', 'From: a@b.test'))).toBe(true);
  });

  test('with the same headers of its own, in any case and order', () => {
    expect(same(block('X-A: 1', 'X-B: 2'), { headers: { 'x-b': '2', 'x-a': '1' } })).toBe(true);
    expect(same(block('X-Key: [removed]'), {}, { 'x-key': 'secret' })).toBe(true);
  });
});

test.each<[string, Uint8Array, Partial<FetchRequest>?]>([
  ['by another method', Buffer.from('POST / HTTP/1.1\r\n\r\n')],
  ['with a header that is missing now', block('X-A: 1')],
  ['without a header that there is now', block(), { headers: { 'x-a': '1' } }],
  ['with another value of a header', block('X-A: 1'), { headers: { 'x-a': '2' } }],
  ['with a header of a hook, whose value is not known', block('X-A: [removed]'), { headers: { 'x-a': '1' } }],
  ['for another type', block(), { headers: { accept: 'application/json' } }],
  ['with a password', block('Authorization: [removed]')],
  [
    'with a password that there is again',
    block('Authorization: [removed]'),
    { headers: { authorization: 'x' } },
  ],
  ['as plain GET, and now there is a body', block(), { body: 'x' }],
  ['as plain GET, and now it is a POST', block(), { method: 'POST' }],
  ['in no words at all', new Uint8Array()],
])('it did not %s', (_, archived, request) => {
  expect(same(archived, request)).toBe(false);
});

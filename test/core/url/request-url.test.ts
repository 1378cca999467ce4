import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostKey, origin } from '../../../shared/core/url/host-key.ts';
import {
  fetchedUrl,
  type HookRequest,
  isOwnRequest,
  isSentAlong,
  ownRequest,
  redirectedRequest,
  requestUrl,
} from '../../../shared/core/url/request-url.ts';

const URL = 'https://shop.test/search?q=1';
const request: HookRequest = {
  method: 'POST',
  headers: { b: '1', a: '2' },
  body: 'é',
  label: 'l',
  data: [1],
};

describe('the name of a request', () => {
  test('gives back the URL and what is asked besides, whatever that is', () => {
    const text = fc.string({ unit: 'binary' }).map((given) => given.toWellFormed());
    const any = fc.record({ body: text, label: text, data: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(any, (given) => {
        const name = requestUrl(URL, given);
        expect(fetchedUrl(name)).toBe(URL);
        expect(ownRequest(name)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(name).toMatch(/^[\x21-\x7e]+$/);
        expect([hostKey(name), origin(name)]).toEqual(['shop.test', 'https://shop.test']);
      }),
    );
  });

  test('is the same for the same request, and no other', () => {
    const same = { ...request, headers: { a: '2', b: '1' } };
    expect(requestUrl(URL, request)).toBe(requestUrl(URL, same));
    for (const other of [
      { ...request, data: 2 },
      { ...request, label: 'm' },
      { ...request, body: 'b' },
    ])
      expect(requestUrl(URL, other)).not.toBe(requestUrl(URL, request));
  });

  test('is distinguished from a URL', () => {
    expect([ownRequest(URL), isOwnRequest(URL), fetchedUrl(URL)]).toEqual([undefined, false, URL]);
    expect(isOwnRequest(requestUrl(URL, {}))).toBe(true);
  });
});

const KEY = { 'x-api-key': 'k', accept: 'a', 'accept-language': 'de', range: 'bytes=0-', referer: 'r' };
const OPEN = { accept: 'a', 'accept-language': 'de', range: 'bytes=0-' };

test.each<[number, boolean, HookRequest, HookRequest | undefined]>([
  [303, true, { method: 'POST', body: 'b', label: 'l' }, { label: 'l' }],
  [
    302,
    true,
    { method: 'POST', body: 'b', headers: { 'content-type': 'c', x: '1' } },
    { headers: { x: '1' } },
  ],
  [301, true, { method: 'PUT', body: 'b' }, { method: 'PUT', body: 'b' }],
  [307, true, { method: 'POST', body: 'b', data: 1 }, { method: 'POST', body: 'b', data: 1 }],
  [302, true, { headers: { cookie: 'c' } }, { headers: { cookie: 'c' } }],
  [308, true, { method: 'DELETE', headers: KEY }, { method: 'DELETE', headers: KEY }],
  [
    308,
    false,
    { headers: { authorization: 'a', cookie: 'c', ...KEY }, label: 'l' },
    { headers: OPEN, label: 'l' },
  ],
  [302, false, { method: 'POST', body: 'b', headers: { 'content-type': 'c', ...KEY } }, { headers: OPEN }],
  [303, false, { method: 'DELETE', headers: { x: '1' }, data: 1 }, { data: 1 }],
  ...([307, 308] as const).flatMap((status): [number, boolean, HookRequest, undefined][] =>
    [{ method: 'POST', body: 'b' }, { method: 'DELETE' }, { body: 'b' }].map((given) => [
      status,
      false,
      given,
      undefined,
    ]),
  ),
  [301, false, { method: 'PUT', body: 'b' }, undefined],
])('a redirect %i (same host: %o) of %j asks for %j', (status, isSame, given, expected) => {
  expect(redirectedRequest(given, status, isSame)).toEqual(expected);
});

test.each([
  ['http://a.test/', 'https://a.test/x', true],
  ['https://a.test/', 'https://a.test/x', true],
  ['http://a.test/', 'http://a.test/x', true],
  ['https://a.test/', 'http://a.test/x', false],
  ['https://a.test/', 'https://www.a.test/x', false],
  ['https://a.test/', 'https://a.test:8443/x', false],
  ['https://a.test/', 'https://a.test.evil.test/', false],
])('what is sent to %s goes to %s, too: %o', (from, to, expected) => {
  expect(isSentAlong(from, to)).toBe(expected);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostKey, origin } from '../../shared/url/host-key.ts';
import {
  fetchedUrl,
  isOwnRequest,
  type OwnRequest,
  ownRequest,
  redirectedRequest,
  requestUrl,
} from '../../shared/url/request-url.ts';

const URL = 'https://shop.test/search?q=1';
const request: OwnRequest = { method: 'POST', headers: { b: '1', a: '2' }, body: 'é', label: 'l', data: [1] };

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

test.each<[number, boolean, OwnRequest, OwnRequest]>([
  [303, true, { method: 'POST', body: 'b', label: 'l' }, { label: 'l' }],
  [
    302,
    true,
    { method: 'POST', body: 'b', headers: { 'content-type': 'c', x: '1' } },
    { headers: { x: '1' } },
  ],
  [301, true, { method: 'PUT', body: 'b' }, { method: 'PUT', body: 'b' }],
  [307, true, { method: 'POST', body: 'b', data: 1 }, { method: 'POST', body: 'b', data: 1 }],
  [308, false, { headers: { authorization: 'a', cookie: 'c', x: '1' } }, { headers: { x: '1' } }],
  [302, true, { headers: { cookie: 'c' } }, { headers: { cookie: 'c' } }],
])('a redirect %i (same origin: %o) of %j asks for %j', (status, isSame, given, expected) => {
  expect(redirectedRequest(given, status, isSame)).toEqual(expected);
});

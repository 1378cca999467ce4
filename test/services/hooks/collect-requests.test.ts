import { describe, expect, test } from 'vitest';
import { redirectedRequest, requestUrl } from '../../../shared/core/url/request-url.ts';
import { collectRequests, isRequestName } from '../../../shared/services/hooks/collect-requests.ts';
import type { EnqueueOptions } from '../../../shared/services/project/project.ts';

const BASE = 'https://a.test/b/c';

function collected(url: string, options?: EnqueueOptions) {
  const requests = collectRequests(BASE, 10);
  requests.enqueue(url, options);
  return requests.end().requests;
}

describe('enqueue', () => {
  test.each<[string, EnqueueOptions | undefined, object]>([
    ['d#e', undefined, { url: 'https://a.test/b/d', request: {}, level: 0 }],
    ['/', { label: 'l', data: { a: 1 }, priority: 7 }, { request: { label: 'l', data: { a: 1 } }, level: 7 }],
    ['/', { body: 'b' }, { request: { method: 'POST', body: 'b' } }],
    ['/', { body: Buffer.from('\ufeffé') }, { request: { method: 'POST', body: '\ufeffé' } }],
    ['/', { body: Uint8Array.of(0xff, 0) }, { request: { method: 'POST', body: Uint8Array.of(0xff, 0) } }],
    [
      '/',
      { body: { a: 1 }, headers: { 'X-A': '1' } },
      {
        request: {
          method: 'POST',
          body: '{"a":1}',
          headers: { 'content-type': 'application/json', 'x-a': '1' },
        },
      },
    ],
    [
      '/',
      { method: 'PUT', body: new URLSearchParams({ q: 'a b' }) },
      {
        request: {
          method: 'PUT',
          body: 'q=a+b',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      },
    ],
  ])('of %s with %j', (url, options, expected) => {
    expect(collected(url, options)).toEqual([expect.objectContaining(expected)]);
  });

  test.each<[string, object, RegExp]>([
    ['mailto:a@b', {}, /Expected enqueue to be given an http or https URL, got "mailto:a@b"/],
    ['/', { lable: 'l' }, /no option "lable".*label, priority/],
    ['/', { label: 1 }, /Expected label to be a string/],
    ['/', { priority: 8 }, /from 0 to 7, got "8"/],
    ['/', { method: 'TRACE' }, /Expected method to be one of GET, POST.*got "TRACE"/],
    ['/', { method: 'GET', body: 'b' }, /no body with method GET/],
    ['/', { body: 1 }, /Expected body/],
    ['/', { headers: { Host: 'b' } }, /may not set the header "Host"/],
    ['/', { headers: { 'a b': 'c' } }, /may not set the header "a b"/],
    ['/', { headers: { a: 'b\r\nc: d' } }, /Expected the header "a"/],
    ['/', { data: 'x'.repeat(70_000) }, /at most 65536 characters together, got 70\d+/],
    ['/', { data: { n: 1n } }, /BigInt/],
  ])('refuses %s with %o', (url, options, message) => {
    expect(() => collected(url, options as EnqueueOptions)).toThrow(message);
  });

  test('takes a limited number for one page, and none after the hook has ended', () => {
    const requests = collectRequests(BASE, 2);
    requests.enqueue('/1');
    requests.enqueue('/2');
    expect(() => requests.enqueue('/3')).toThrow(/at most 2 requests/);
    expect(requests.end().requests).toHaveLength(2);
    expect(() => requests.enqueue('/4')).toThrow(/after onPage had ended/);
  });
});

describe('the importance that a hook gives its page', () => {
  test('is the last one, within its bounds, before the hook has ended', () => {
    const collector = collectRequests(BASE, 2);
    expect(collectRequests(BASE, 2).end().importance).toBeUndefined();
    collector.setImportance(0.001);
    collector.setImportance(4);
    for (const wrong of [0, -1, 1001, Number.NaN, Number.POSITIVE_INFINITY, '4' as never])
      expect(() => collector.setImportance(wrong)).toThrow(/a number from 0.001 to 1000/);
    expect(collector.end()).toEqual({ requests: [], importance: 4 });
    expect(() => collector.setImportance(1)).toThrow(/after onPage had ended/);
  });
});

describe('the name of a request, in a message', () => {
  const OPTIONS: readonly EnqueueOptions[] = [
    {},
    { label: 'l', data: { a: [1, null] }, priority: 7 },
    { body: new URLSearchParams({ q: 'a b' }), headers: { Authorization: 'Basic eA==', 'X-B': '1' } },
    { method: 'PUT', body: { a: 1 } },
    { method: 'PUT', body: Uint8Array.of(0xff, 0) },
    { method: 'DELETE', headers: { b: '1', a: '\u00e9' } },
  ];

  test.each(OPTIONS)('is known if enqueue may have made it: %j', (options) => {
    for (const { url, request } of collected('/d?e', options)) {
      expect(isRequestName(requestUrl(url, request))).toBe(true);
      for (const status of [301, 303, 307])
        for (const isSameHost of [true, false]) {
          const next = redirectedRequest(request, status, isSameHost);
          if (next) expect(isRequestName(requestUrl(BASE, next))).toBe(true);
        }
    }
  });

  const named = (value: unknown) =>
    `${BASE}#!${Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')}`;

  test.each([
    ['a URL', BASE],
    ['a fragment', `${BASE}#x`],
    ['no JSON', `${BASE}#!x`],
    ['a URL that is not canonical', requestUrl('https://A.test/', {})],
    ['no object', named(null)],
    ['an unknown part', named({ proxy: 'p' })],
    ['a header of the connection', named({ headers: { host: 'b' } })],
    ['a header with a line end', named({ headers: { a: 'b\nc: d' } })],
    ['a method in lower case', named({ method: 'post' })],
    ['a method that is left out', named({ method: 'GET' })],
    ['another method', named({ method: 'TRACE' })],
    ['a body without a method', named({ body: 'b' })],
    ['headers in another order', named({ headers: { b: '1', a: '2' } })],
    ['parts in another order', named({ body: 'b', method: 'POST' })],
    ['too much', named({ data: 'x'.repeat(70_000) })],
  ])('is not known with %s', (_, name) => expect(isRequestName(name)).toBe(false));
});

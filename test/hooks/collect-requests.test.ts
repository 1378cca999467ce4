import { describe, expect, test } from 'vitest';
import { collectRequests } from '../../shared/hooks/collect-requests.ts';
import type { EnqueueOptions } from '../../shared/project/project.ts';

const BASE = 'https://a.test/b/c';

function collected(url: string, options?: EnqueueOptions) {
  const requests = collectRequests(BASE, 10);
  requests.enqueue(url, options);
  return requests.end();
}

describe('enqueue', () => {
  test.each<[string, EnqueueOptions | undefined, object]>([
    ['d#e', undefined, { url: 'https://a.test/b/d', request: {}, level: 0 }],
    ['/', { label: 'l', data: { a: 1 }, priority: 7 }, { request: { label: 'l', data: { a: 1 } }, level: 7 }],
    ['/', { body: 'b' }, { request: { method: 'POST', body: 'b' } }],
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
    expect(requests.end()).toHaveLength(2);
    expect(() => requests.enqueue('/4')).toThrow(/after onPage had ended/);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOf, requestTarget } from '../../../shared/crawler/fetcher/request-target.ts';

const parsed = (url: string) => {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
};

test.each([
  'http://example.test/',
  'https://example.test:8443/a/b.html?c=d&e=',
  'http://127.0.0.1:8080/a;b=1,2/(c)?d/e:f@g',
  'http://example.test/%41/%7e?%20=1',
  'http://EXAMPLE.test:80/a/../b/./c',
  'http://xn--bcher-kva.test/',
  'http://[::1]:8080/a',
  'http://example.test/a/.b',
])('requests %s where the URL parser reads it', (url) => {
  expect(requestTarget(url, undefined)).toEqual(parsed(url));
});

test('a URL in its shortest form leads where the URL parser reads it', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a1-._~!$&()*+,;=:@/?%'), maxLength: 12 });
  fc.assert(
    fc.property(text, fc.constantFrom('', ':8080', ':59999'), (rest, port) => {
      const url = `http://a.example${port}/${rest}`;
      const { path, origin } = parsed(url);
      const isEmptyQuery = url.indexOf('?') === url.length - 1;
      expect(requestTarget(url, undefined)).toEqual({ origin, path: isEmptyQuery ? `${path}?` : path });
    }),
  );
});

test.each([
  ['http://example.test:6000/', 'blockedPort'],
  ['http://example.test:22/', 'blockedPort'],
  ['http://example.test:6001/', undefined],
  ['ftp://example.test/', 'invalidRequest'],
  ['/a', 'invalidRequest'],
  ['http://', 'invalidRequest'],
])('says why %s is not requested', (url, code) => {
  expect(faultOf(url, [])?.code).toBe(code);
  expect(faultOf(url, [22, 6000])?.code).toBe(code === 'blockedPort' ? undefined : code);
});

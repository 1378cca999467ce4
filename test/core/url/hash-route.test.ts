import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalPage,
  canonicalRoute,
  isRoute,
  knownRoute,
  routeOf,
} from '../../../shared/core/url/hash-route.ts';
import { fetchedUrl, isOwnRequest, pageUrl, requestUrl } from '../../../shared/core/url/request-url.ts';

const A = 'http://a.test/';

test.each([
  ['#/guide', `${A}#/guide`],
  ['#!/api/Ext.Panel', `${A}#!/api/Ext.Panel`],
  ['/app?x=1#/list?page=2', `${A}app?x=1#/list?page=2`],
  ['HTTP://A.test:80/%7eu/#/a', `${A}~u/#/a`],
  // A place in the page of a route, as Vue and Angular write it.
  ['#/guide#install', `${A}#/guide`],
  ['#/./guide', `${A}#/guide`],
  [' #/caf\u00e9 ', `${A}#/caf%C3%A9`],
  ['#/%7euser/%2f', `${A}#/~user/%2F`],
  ['#/zh-cn/', `${A}#/zh-cn/`],
])('%s leads to the route %s', (reference, expected) => {
  expect(canonicalRoute(reference, A)).toBe(expected);
  expect(canonicalRoute(expected)).toBe(expected);
  expect(isRoute(expected)).toBe(true);
  expect(fetchedUrl(expected)).toBe(expected.slice(0, expected.indexOf('#')));
});

test.each([
  '',
  '#',
  '#/',
  '#!/',
  '#!',
  '#top',
  '#//x',
  '#/ x',
  '/guide',
  'mailto:a@b.test#/x',
  `#/${'x'.repeat(2001)}`,
])('%j leads to no route', (reference) => {
  expect(canonicalRoute(reference, A)).toBeUndefined();
});

test('the canonical page of a URL is the route, or the URL without its fragment', () => {
  expect([canonicalPage('#/a', A), canonicalPage('#a', A), canonicalPage('mailto:a@b.test')]).toEqual([
    `${A}#/a`,
    A,
    undefined,
  ]);
});

test('any route is its own canonical form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const url = canonicalRoute(`#/${text}`, A);
      if (url === undefined) return;
      expect(canonicalRoute(url)).toBe(url);
      expect(url).toMatch(/^[!-~]+$/);
    }),
  );
});

describe('a route', () => {
  test('is no request of a project, and such a request is no route', () => {
    for (const url of [`${A}#/a`, `${A}#!/a`]) {
      expect(isOwnRequest(url)).toBe(false);
      expect(pageUrl(url)).toBe(url);
    }
    const request = requestUrl(A, { label: '/' });
    expect([routeOf(request), isRoute(request), pageUrl(request)]).toEqual([undefined, false, A]);
  });

  test('is found by the reference to a place in its page, as docsify writes it', () => {
    const isKnown = (url: string) => url === `${A}#/guide`;
    expect(knownRoute('#/guide?id=install', A, isKnown)).toBe(`${A}#/guide`);
    expect(knownRoute('#/guide?x=1&id=install', A, isKnown)).toBeUndefined();
    expect(knownRoute('#/other', A, isKnown)).toBeUndefined();
  });
});

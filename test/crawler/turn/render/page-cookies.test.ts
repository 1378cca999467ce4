import { expect, test } from 'vitest';
import { createHostCookies } from '../../../../shared/crawler/access/host-cookies.ts';
import {
  cookiesOfPage,
  takeScriptCookies,
  withReadableCookies,
  withScriptCookies,
} from '../../../../shared/crawler/turn/render/page-cookies.ts';

const PAGE = 'https://www.example.org/a/b';

test('a page has the cookies of the jar, hidden ones too, and those of its domain for its other hosts', () => {
  const jar = createHostCookies(Date.now);
  jar.take(PAGE, ['sid=1; Path=/; HttpOnly', 'all=2; Path=/a; Domain=example.org', 'no=3; Path=/other']);
  expect(cookiesOfPage(jar, PAGE)).toEqual([
    { name: 'all', value: '2', url: PAGE, path: '/a', httpOnly: false, domain: 'example.org' },
    { name: 'sid', value: '1', url: PAGE, path: '/', httpOnly: true },
  ]);
  expect(cookiesOfPage(undefined, PAGE)).toEqual([]);
});

test.each([
  ['of its host', 'https://www.example.org/', PAGE, 'id=1'],
  ['of a folder', 'https://www.example.org/a', 'https://www.example.org/', undefined],
  ['of its domain', 'https://example.org/', 'https://m.example.org/', 'id=1'],
  ['of another host of its site', 'https://m.example.org/', PAGE, undefined],
  ['of another site', 'https://example.net/', 'https://example.net/', undefined],
  ['of no URL', 'https://', PAGE, undefined],
  ['of a file', 'file:///etc/hosts', PAGE, undefined],
  ['of a public suffix', 'https://org/', 'https://www.example.org/', undefined],
])('a cookie of a script %s', (_, url, target, sent) => {
  const jar = createHostCookies(Date.now);
  takeScriptCookies(jar, PAGE, [{ name: 'id', value: '1', url }]);
  expect(jar.headerFor(target)).toBe(sent);
});

test('a cookie of a script that is for https alone is not sent without', () => {
  const jar = createHostCookies(Date.now);
  const url = 'https://www.example.org/';
  takeScriptCookies(jar, PAGE, [{ name: '__Host-id', value: '1', url }]);
  takeScriptCookies(jar, PAGE, [{ name: 'any', value: '2', url: 'http://www.example.org/' }]);
  expect(jar.headerFor(PAGE)).toBe('__Host-id=1; any=2');
  expect(jar.headerFor('http://www.example.org/')).toBe('any=2');
});

test('the jar of a page stays bounded, whatever its scripts set', () => {
  const jar = createHostCookies(Date.now);
  const cookies = Array.from({ length: 50 }, (_, i) => ({
    name: `c${i}`,
    value: 'x'.repeat(4000),
    url: PAGE,
  }));
  takeScriptCookies(jar, PAGE, cookies);
  expect(jar.toText().length).toBeLessThan(20_000);
});

test.each([
  ['that the scripts have not changed', PAGE, 'sid=1', undefined],
  ['that they have changed', PAGE, 'sid=2; own=3', 'sid=2; own=3'],
  ['to another host', 'https://m.example.org/', 'sid=1', 'sid=1'],
])('a request of a page has cookies %s', (_, url, cookie, sent) => {
  const job = { url: PAGE, cookies: [{ name: 'sid', value: '1', url: PAGE }] };
  const request = { url, method: 'GET', headers: { cookie }, kind: 'fetch', documentUrl: PAGE } as const;
  expect(withScriptCookies(request as never, job).headers.cookie).toBe(sent);
});

test('where the jar alone has what an answer has set, a page gets the cookies that scripts may see, and no other field', () => {
  const jar = createHostCookies(Date.now);
  jar.take(PAGE, ['sid=1; Path=/; HttpOnly', 'form=2; Path=/a; Domain=example.org']);
  const removed = ['Set-Cookie', '[removed]'] as const;
  expect(withReadableCookies([removed, ['X-A', '1'], removed], jar, PAGE)).toEqual([
    ['X-A', '1'],
    ['Set-Cookie', 'form=2; Path=/a; Domain=example.org; Secure'],
  ]);
  const own = [['set-cookie', 'a=1']] as const;
  expect(withReadableCookies(own, jar, PAGE)).toEqual(own);
  expect(withReadableCookies([removed], undefined, PAGE)).toEqual([]);
});

test('a cookie with a name that must be secure is one that browsers take', () => {
  const jar = createHostCookies(Date.now);
  jar.take(PAGE, ['__Host-form=2; Path=/; Secure']);
  const fields = withReadableCookies([['set-cookie', '[removed]']], jar, PAGE);
  expect(fields).toEqual([['Set-Cookie', '__Host-form=2; Path=/; Secure']]);
  const plain = 'http://www.example.org/';
  jar.take(plain, ['form=3']);
  expect(withReadableCookies([['set-cookie', '[removed]']], jar, plain)).toEqual([
    ['Set-Cookie', 'form=3; Path=/'],
  ]);
});

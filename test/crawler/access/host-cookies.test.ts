import { expect, test } from 'vitest';
import { MAX_COOKIES, MAX_JAR_BYTES } from '../../../shared/core/access/stored-jar.ts';
import { createHostCookies } from '../../../shared/crawler/access/host-cookies.ts';

const PAGE = 'https://www.example.org/a/b';

test.each([
  ['of the host', 'id=1', PAGE, 'id=1'],
  ['of the host, to another one', 'id=1', 'https://example.org/', undefined],
  ['of the domain, to another host', 'id=1; Domain=example.org; Path=/', 'https://m.example.org/', 'id=1'],
  ['of a public suffix', 'id=1; Domain=org', PAGE, undefined],
  ['of another site', 'id=1; Domain=example.net', PAGE, undefined],
  ['of a folder', 'id=1; Path=/a', 'https://www.example.org/', undefined],
  ['that is secure, by http', 'id=1; Secure; Path=/', 'http://www.example.org/', undefined],
  ['that has expired', 'id=1; Max-Age=0', PAGE, undefined],
  ['that is too long', `id=${'x'.repeat(5000)}`, PAGE, undefined],
  ['that breaks the rule of its prefix', '__Host-id=1; Secure; Path=/a', PAGE, undefined],
  ['that is none', ';;;', PAGE, undefined],
])('a cookie %s', (_, field, url, sent) => {
  const cookies = createHostCookies(Date.now);
  cookies.take(PAGE, [field]);
  expect(cookies.headerFor(url)).toBe(sent);
});

test('a jar is the same after it was stored', () => {
  const cookies = createHostCookies(Date.now);
  cookies.take(PAGE, [
    'a=1; Path=/; Secure',
    'b=2; Domain=example.org; Path=/; Max-Age=1000',
    'c=3; Path=/a',
  ]);
  const stored = createHostCookies(Date.now, cookies.toText());
  expect(stored.toText()).toBe(cookies.toText());
  expect(stored.headerFor(PAGE)).toBe(cookies.headerFor(PAGE));
  expect(stored.changes).toBe(0);
});

test('counts new names and changes, and a cookie that is deleted', () => {
  const cookies = createHostCookies(Date.now);
  const after = (...fields: string[]) => {
    cookies.take(PAGE, fields);
    return [cookies.news, cookies.changes];
  };
  expect(after('a=1; Path=/')).toEqual([1, 1]);
  expect(after('a=1; Path=/')).toEqual([1, 1]);
  expect(after('a=2; Path=/')).toEqual([1, 2]);
  expect(after('a=; Path=/; Max-Age=0')).toEqual([1, 3]);
  expect(after('a=3; Path=/')).toEqual([1, 4]);
});

test('a jar is bounded in number and size, and new cookies get no room in a full one', () => {
  const cookies = createHostCookies(Date.now);
  for (let i = 0; i < 80; i++) cookies.take(PAGE, [`c${i}=1; Path=/`]);
  expect(JSON.parse(cookies.toText())).toHaveLength(MAX_COOKIES);
  expect(cookies.headerFor(PAGE)).toContain('c49=1');
  expect(cookies.headerFor(PAGE)).not.toContain('c50=1');
  const large = createHostCookies(Date.now);
  for (let i = 0; i < 20; i++) large.take(PAGE, [`l${i}=${'x'.repeat(4000)}; Path=/`]);
  expect(large.toText().length).toBeLessThanOrEqual(MAX_JAR_BYTES + MAX_COOKIES);
  expect(large.headerFor(PAGE)).toContain('l0=');
  large.give([{ domain: 'www.example.org', name: 'given', value: '1' }]);
  expect(large.headerFor(PAGE)).toContain('given=1');
});

test('cookies that the host has deleted leave the room of the jar to others', () => {
  const cookies = createHostCookies(Date.now);
  cookies.take(PAGE, ['session=1; Path=/']);
  for (let i = 0; i < 2 * MAX_COOKIES; i++) cookies.take(PAGE, [`flash${i}=; Path=/; Max-Age=0`]);
  expect(JSON.parse(cookies.toText())).toHaveLength(MAX_COOKIES);
  expect(cookies.headerFor(PAGE)).toBe('session=1');
});

test('given cookies are sent until the host replaces them', () => {
  const cookies = createHostCookies(Date.now, undefined, [
    { domain: 'example.org', subdomains: true, name: 'id', value: 'given' },
    { domain: 'example.net', name: 'no', value: '1' },
  ]);
  expect(cookies.headerFor(PAGE)).toBe('id=given');
  cookies.take(PAGE, ['id=new; Domain=example.org; Path=/']);
  expect(cookies.headerFor(PAGE)).toBe('id=new');
});

test.each([
  ['Max-Age=60', 59_999, 60_000],
  [`Expires=${new Date(1_700_000_060_000).toUTCString()}`, 59_999, 60_000],
])('%s ends by the clock that the jar is given, however often the cookie is sent', (field, sent, ended) => {
  let now = 1_700_000_000_000;
  const from = now;
  const cookies = createHostCookies(() => now);
  cookies.take(PAGE, [`id=1; Path=/; ${field}`]);
  for (const [after, value] of [
    [30_000, 'id=1'],
    [sent, 'id=1'],
    [ended, undefined],
  ] as const) {
    now = from + after;
    expect(cookies.headerFor(PAGE)).toBe(value);
    expect(cookies.of(PAGE)).toHaveLength(value ? 1 : 0);
    expect(createHostCookies(() => now, cookies.toText()).headerFor(PAGE)).toBe(value);
  }
  now = from;
  expect(cookies.headerFor(PAGE)).toBe('id=1');
});

test.each(['Max-Age=99999999999999999999', 'Max-Age=-99999999999999999999', 'Max-Age=1e3', 'Expires=never'])(
  'a jar with %s can be stored and read',
  (field) => {
    const cookies = createHostCookies(Date.now);
    cookies.take(PAGE, ['a=1; Path=/', `id=1; Path=/; ${field}`]);
    const stored = createHostCookies(Date.now, cookies.toText());
    expect(stored.headerFor(PAGE)).toBe(cookies.headerFor(PAGE));
    expect(stored.headerFor(PAGE)).toContain('a=1');
  },
);

import { expect, test } from 'vitest';
import { MAX_COOKIES, MAX_JAR_BYTES } from '../../../shared/core/access/stored-jar.ts';
import { createHostCookies } from '../../../shared/crawler/access/host-cookies.ts';

const PAGE = 'https://www.example.org/a/b';

test.each([
  ['of the host', 'id=1', PAGE, 'id=1'],
  ['of the host, to another one', 'id=1', 'https://example.org/', undefined],
  ['of the domain, to another host', 'id=1; Domain=example.org; Path=/', 'https://m.example.org/', 'id=1'],
  ['of a public suffix', 'id=1; Domain=org', PAGE, undefined],
  ['without a name', 'id; Path=/', PAGE, 'id'],
  ['with an empty name', '=id; Path=/', PAGE, 'id'],
  ['that would look as one with a prefix', '=__Host-id=1; Path=/', PAGE, undefined],
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

/** A jar by a clock of its own. */
function jarAt(from: number, stored?: string) {
  let time = from;
  const cookies = createHostCookies(() => time, stored);
  const names = (url = PAGE) => cookies.of(url).map(({ name }) => name);
  const pass = () => {
    time += 1000;
  };
  return { cookies, names, pass };
}

test('a jar is bounded in number and size: a new cookie takes the room of the one used the longest time ago', () => {
  const { cookies, names, pass } = jarAt(0);
  cookies.take(PAGE, ['other=1; Path=/other', 'folder=1; Path=/folder']);
  for (let i = 0; i < 48; i++) cookies.take(PAGE, [`c${i}=1; Path=/`]);
  pass();
  cookies.headerFor('https://www.example.org/folder/');
  pass();
  cookies.headerFor(PAGE);
  pass();
  cookies.take(PAGE, ['new=1; Path=/']);
  expect(JSON.parse(cookies.toText())).toHaveLength(MAX_COOKIES);
  expect(names()).toContain('new');
  expect(names('https://www.example.org/other')).not.toContain('other');
  expect(names('https://www.example.org/folder')).toContain('folder');
  const large = jarAt(0);
  for (let i = 0; i < 20; i++) {
    large.pass();
    large.cookies.take(PAGE, [`l${i}=${'x'.repeat(4000)}; Path=/`]);
  }
  expect(large.cookies.toText().length).toBeLessThanOrEqual(MAX_JAR_BYTES + MAX_COOKIES);
  expect(large.names()).toEqual(['l17', 'l18', 'l19']);
});

test('in a full jar the cookies of a login stay, also when their values change, and those of the operator', () => {
  const { cookies, pass } = jarAt(0);
  cookies.keepNew(true);
  cookies.take(PAGE, ['session=1; Path=/', 'form=1; Path=/login']);
  cookies.keepNew(false);
  cookies.give([{ domain: 'www.example.org', name: 'given', value: '1' }]);
  for (let i = 0; i < 100; i++) {
    pass();
    cookies.take(PAGE, [`c${i}=1; Path=/`, ...(i === 50 ? ['session=2; Path=/'] : [])]);
  }
  for (const jar of [cookies, jarAt(1e9, cookies.toText()).cookies]) {
    jar.take(
      PAGE,
      Array.from({ length: 50 }, (_, i) => `d${i}=${'x'.repeat(2000)}; Path=/`),
    );
    expect(jar.headerFor(PAGE)).toMatch(/(?:^|; )session=2(?:;|$)/);
    expect(jar.headerFor(PAGE)).toContain('given=1');
    expect(jar.headerFor('https://www.example.org/login')).toContain('form=1');
  }
  const forged = jarAt(0);
  forged.cookies.take(PAGE, ['a=1; Path=/; ;kept; kept']);
  expect(forged.cookies.toText()).not.toContain(';kept');
});

test('of cookies that are always sent together, those go first that scripts may read', () => {
  const { cookies, names, pass } = jarAt(0);
  cookies.take(PAGE, ['session=1; Path=/; HttpOnly']);
  for (let i = 0; i < 100; i++) {
    pass();
    cookies.headerFor(PAGE);
    cookies.take(PAGE, [`c${i}=1; Path=/`]);
  }
  expect(names()).toContain('session');
  expect(names()).toContain('c99');
  expect(names()).not.toContain('c0');
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

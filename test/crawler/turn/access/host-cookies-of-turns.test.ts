import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { FetchRequest } from '../../../../shared/core/outcome/fetch-request.ts';
import type { JarStore } from '../../../../shared/crawler/ports/jar-store.ts';
import { type Answer, page, type Site } from '../../worker/scripted-fetcher.ts';
import { begin, CRAWL, crawlToEnd, createWorld, recordOf, runToEnd } from '../../worker/world.ts';

const A = 'http://a.test';

const cookieOf = ({ headers = {} }: FetchRequest): string | undefined => headers.Cookie;
const givesCookie = (location: string, cookie = 'seen=1; Path=/'): Answer => ({
  status: 302,
  headers: { Location: location, 'Set-Cookie': cookie },
});
/** It lets nobody in without its cookie. */
const wall =
  (shown: Answer, refused: Answer) =>
  (_: number, request: FetchRequest): Answer =>
    cookieOf(request)?.includes('seen=1') ? shown : refused;

const TO_ITSELF: Site = {
  [`${A}/`]: wall(page('/1'), givesCookie('/')),
  [`${A}/1`]: wall(page(), givesCookie('/1')),
};
const BY_ANOTHER: Site = {
  [`${A}/`]: wall(page(), { status: 302, headers: { Location: '/check' } }),
  [`${A}/check`]: wall({ status: 302, headers: { Location: '/' } }, givesCookie('/')),
};

test.each<[CrawlOptions['hostCookies'], string]>([
  ['off', 'redirect'],
  ['turn', 'fetched'],
  ['keep', 'fetched'],
])(
  'hostCookies %s: a page that redirects to itself until it sees its cookie is %s',
  async (hostCookies, state) => {
    const { states, totals, engine } = await crawlToEnd(TO_ITSELF, { hostCookies });
    expect(states[`${A}/`]).toBe(state);
    expect(totals.hints).toEqual(hostCookies === 'off' ? { cookie: 1 } : undefined);
    expect(totals.seeds).toEqual({ [state]: 1 });
    expect((await recordOf(engine, `${A}/1`))?.state).toBe(hostCookies === 'off' ? undefined : 'fetched');
  },
);

test.each<CrawlOptions>([
  { hostCookies: 'turn', delayMs: 0 },
  { hostCookies: 'keep', turnMaxPages: 1 },
])('a page that another one leads back to with a cookie is requested again, with %j', async (config) => {
  const { states, totals } = await crawlToEnd(BY_ANOTHER, config);
  expect(states).toEqual({ [`${A}/`]: 'fetched', [`${A}/check`]: 'redirect' });
  expect(totals.seeds).toMatchObject({ fetched: 1 });
});

test('a host that sets cookies without end is requested as often as redirects are followed', async () => {
  const site: Site = { [`${A}/`]: (before) => givesCookie('/', `c${before}=1`) };
  const { states, fetcher } = await crawlToEnd(site, { hostCookies: 'turn', maxRedirects: 4 });
  expect(states[`${A}/`]).toBe('redirect');
  expect(fetcher.count(`${A}/`)).toBe(5);
});

test('a cookie that stays the same repeats no request', async () => {
  const { fetcher } = await crawlToEnd({ [`${A}/`]: givesCookie('/') }, { hostCookies: 'turn' });
  expect(fetcher.count(`${A}/`)).toBe(2);
});

/** Each page names the next one; a visit has one page. */
function chain(sent: (string | undefined)[]): Site {
  const step = (next: string) => (_: number, request: FetchRequest) => {
    sent.push(cookieOf(request));
    return { ...page(next), headers: { 'Set-Cookie': 'id=secret-1; Path=/' } };
  };
  return { [`${A}/`]: step('/1'), [`${A}/1`]: step('/2'), [`${A}/2`]: step('/2') };
}

test.each<[CrawlOptions['hostCookies'], (string | undefined)[], boolean]>([
  ['off', [undefined, undefined, undefined], true],
  ['turn', [undefined, undefined, undefined], true],
  ['keep', [undefined, 'id=secret-1', 'id=secret-1'], false],
])('hostCookies %s: later visits send %j', async (hostCookies, expected, isArchived) => {
  const sent: (string | undefined)[] = [];
  const { engine } = await crawlToEnd(chain(sent), { hostCookies, turnMaxPages: 1 });
  expect(sent).toEqual(expected);
  const { location } = (await recordOf(engine, `${A}/1`))!.result!;
  const record = gunzipSync(engine.archiveOf(CRAWL).read(location!)).toString();
  expect(record.includes('secret-1')).toBe(isArchived);
  expect(record.includes('Set-Cookie: [removed]')).toBe(!isArchived);
});

test('an override keeps the cookies of some hosts', async () => {
  const sent: (string | undefined)[] = [];
  const overrides = [{ hosts: ['a.test'], hostCookies: 'keep' as const }];
  await crawlToEnd(chain(sent), { turnMaxPages: 1, overrides });
  expect(sent).toEqual([undefined, 'id=secret-1', 'id=secret-1']);
});

const UNUSED: JarStore = {
  load: () => Promise.reject(new Error('read')),
  replace: () => Promise.reject(new Error('written')),
  accounts: () => {
    throw new Error('listed');
  },
};

test.each(['off', 'turn'] as const)('hostCookies %s: no jar is read or written', async (hostCookies) => {
  const world = createWorld(chain([]));
  const engine = { ...world.engine, jars: UNUSED };
  await begin(world, [`${A}/`], { hostCookies });
  expect(await runToEnd({ ...world, engine })).toEqual([]);
});

test('a visit reads the jar once, and writes it once if a cookie has changed', async () => {
  const world = createWorld(chain([]));
  const { jars } = world.engine;
  const calls: string[] = [];
  const noted: JarStore = {
    load(...args) {
      calls.push('load');
      return jars.load(...args);
    },
    replace(...args) {
      calls.push('replace');
      return jars.replace(...args);
    },
    accounts: jars.accounts,
  };
  const engine = { ...world.engine, jars: noted };
  await begin(world, [`${A}/`], { hostCookies: 'keep', turnMaxPages: 1 });
  expect(await runToEnd({ ...world, engine })).toEqual([]);
  expect(calls).toEqual(['load', 'replace', 'load', 'load']);
});

test('if another visit has written the jar meanwhile, what a visit has changed is dropped', async () => {
  const key = { domain: 'a.test' };
  const other = { version: 1, generation: 3, cookies: '[]' };
  const site: Site = {
    [`${A}/`]: () => {
      void world.engine.jars.replace(CRAWL, key, other);
      return { headers: { 'Set-Cookie': 'id=late' } };
    },
  };
  const world = createWorld(site);
  await begin(world, [`${A}/`], { hostCookies: 'keep' });
  expect(await runToEnd(world)).toEqual([]);
  expect(await world.engine.jars.load(CRAWL, key)).toEqual(other);
});

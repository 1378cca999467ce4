import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import { MAX_LEVEL } from '../../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { type HookRequest, requestUrl } from '../../../../shared/core/url/request-url.ts';
import { Redirects, type RedirectsOptions } from '../../../../shared/crawler/turn/page/redirects.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, recordOf } from '../turn-fakes.ts';

const PAGE = `${ORIGIN}/page`;
const SEED = recordOf(`${ORIGIN}/`, { depth: 0, level: MAX_LEVEL });

interface Situation {
  readonly config?: CrawlOptions;
  readonly hasRoom?: boolean;
  readonly nameOf?: (url: string) => string;
  readonly isOwnSitemap?: boolean;
}

function open({ config, hasRoom = true, nameOf, isOwnSitemap = true }: Situation = {}) {
  const taken: Link[] = [];
  const counted: string[] = [];
  const widened: string[] = [];
  const skipped: string[] = [];
  const crawl = Object.assign(crawlOfTurn({ config, ...(nameOf && { nameOf }) }), {
    async widenScope(url: string) {
      widened.push(url);
      return hasRoom;
    },
  });
  const options = {
    crawl,
    counters: {
      countSkipped: (reason: string) => void skipped.push(reason),
      count: (map: string, key: string) => void counted.push(`${map} ${key}`),
    },
    intake: {
      take(link: Link, now: number) {
        expect(now).toBe(T0);
        taken.push(link);
      },
      skip: ({ url, via }: Link, reason: string) => void skipped.push(`${reason} ${url} ${via}`),
    },
    sitemapLinks: { isOwn: () => isOwnSitemap },
    cookieRedirects: { toVia: () => false },
  } as unknown as RedirectsOptions;
  return { redirects: new Redirects(options), taken, widened, skipped, counted };
}

const responseTo = (location?: string, httpStatus = 302) =>
  ({
    httpStatus,
    headers: location === undefined ? [] : [['Location', location]],
  }) as unknown as FetchedResponse;

async function follow(
  location: string | undefined,
  situation: Situation = {},
  record = recordOf(PAGE),
  request?: HookRequest,
  status = 302,
) {
  const { redirects, ...seen } = open(situation);
  const cause = await redirects.followLocation(
    record,
    { response: responseTo(location, status), request },
    T0,
  );
  return { cause, ...seen };
}

test('the target of a redirect is a link of the same depth', async () => {
  const { cause, taken, widened } = await follow('/next', {}, recordOf(PAGE, { depth: 2, redirects: 1 }));
  expect(cause).toEqual({ code: 'redirect', to: `${ORIGIN}/next` });
  expect(taken).toMatchObject([
    { url: `${ORIGIN}/next`, depth: 2, via: PAGE, redirects: 2, isSeed: false, kind: undefined },
  ]);
  expect(widened).toEqual([]);
});

test.each([
  [' /caf\xe9 ', '/caf%E9'],
  ['/caf\xc3\xa9', '/caf%C3%A9'],
  ['/\xa0?\xe6\xa0', '/%A0?%E6%A0'],
  ['/%e9', '/%E9'],
])('the bytes of the Location %j are requested as they are', async (location, path) => {
  expect((await follow(location)).cause).toEqual({ code: 'redirect', to: ORIGIN + path });
});

test.each([
  ['/story%2C5', '/story%2c5'],
  ['/%D0%BF', '/%d0%bf'],
  ['/~u/', '/%7Eu/'],
  ['/7-P-x/', '/7-%50-x/'],
  ['/?q=%C3%A9', '/?q=%c3%A9'],
  ['/a', '/%61#top'],
])('a server that redirects from %s to %s is asked once as it wrote it', async (path, location) => {
  const record = recordOf(ORIGIN + path);
  const to = ORIGIN + location.replace(/#.*/, '');
  const { cause, taken } = await follow(location, {}, record);
  expect(cause).toEqual({ code: 'redirect', to });
  expect(taken).toMatchObject([{ url: to, via: record.url }]);
  // A request of the project likewise.
  const asked = recordOf(requestUrl(record.url, { method: 'POST', body: 'b' }));
  const request = await follow(location, {}, asked, { method: 'POST', body: 'b' }, 308);
  expect(request.taken).toMatchObject([{ url: requestUrl(to, { method: 'POST', body: 'b' }) }]);
  // Where the two lead to each other, that is the end.
  const back = await follow(location, {}, recordOf(to, { via: record.url, redirects: 1 }));
  expect(back.taken).toMatchObject([{ url: record.url }]);
});

test('a redirect that leads back with a cookie says so', async () => {
  const counted: string[] = [];
  const causeOf = async (record: UrlRecord, location: string, ...headers: [string, string][]) => {
    const { redirects, ...seen } = open();
    const response = { httpStatus: 302, headers: [['Location', location], ...headers] };
    const page = { response: response as unknown as FetchedResponse, request: undefined };
    const cause = await redirects.followLocation(record, page, T0);
    counted.push(...seen.counted);
    return cause;
  };
  const cookie: [string, string] = ['Set-Cookie', 'seen=1'];
  const page = recordOf(PAGE, { via: `${ORIGIN}/from` });
  expect(await causeOf(page, '/page', cookie)).toEqual({ code: 'redirect', to: PAGE, wantsCookie: true });
  expect(await causeOf(page, '/from', cookie)).toMatchObject({ wantsCookie: true });
  expect(await causeOf(page, '/page')).toEqual({ code: 'redirect', to: PAGE });
  expect(await causeOf(page, '/else', cookie)).toEqual({ code: 'redirect', to: `${ORIGIN}/else` });
  expect(counted).toEqual(['hints cookie', 'hints cookie']);
});

test('a response without a usable Location leads nowhere', async () => {
  expect(await follow(undefined)).toMatchObject({
    cause: { code: 'redirectWithoutLocation' },
    taken: [],
    skipped: [],
  });
  const mail = `mailto:${'x'.repeat(300)}`;
  expect(await follow(mail)).toMatchObject({
    cause: { code: 'redirectToNoUrl', location: mail.slice(0, 200) },
    taken: [],
    skipped: ['badUrl'],
  });
});

test('as many redirects in a row are followed as the configuration says', async () => {
  const config = { maxRedirects: 3 };
  expect((await follow('/n', { config }, recordOf(PAGE, { redirects: 2 }))).taken).toHaveLength(1);
  expect(await follow('/n', { config }, recordOf(PAGE, { redirects: 3 }))).toMatchObject({
    cause: { code: 'redirect', to: `${ORIGIN}/n`, notFollowed: 'redirects', redirects: 4 },
    taken: [],
    skipped: [`redirects ${ORIGIN}/n ${PAGE}`],
  });
});

test('the URL rules hold for a target, unless they make it the page itself', async () => {
  const nameOf = (url: string) => url.replace(/;sid=\d+/, '');
  expect((await follow('/next;sid=1', { nameOf })).taken).toMatchObject([{ url: `${ORIGIN}/next` }]);
  expect((await follow('/page;sid=1', { nameOf })).taken).toMatchObject([{ url: `${PAGE};sid=1` }]);
});

test('a target that is longer than URLs may be is kept in part', async () => {
  const long = `${ORIGIN}/${'x'.repeat(3000)}`;
  expect((await follow(long, { config: { maxUrlLength: 2500 } })).cause).toEqual({
    code: 'redirect',
    to: `${long.slice(0, 2000)}...`,
    notFollowed: 'urlLength',
  });
  expect((await follow(long, { config: { maxUrlLength: long.length } })).cause).toEqual({
    code: 'redirect',
    to: long,
  });
});

test('a seed’s target of the same site is a seed, and the scope is drawn around it too', async () => {
  const within = await follow('/home', {}, SEED);
  expect(within.taken).toMatchObject([{ depth: 0, isSeed: true }]);
  expect(within.widened).toEqual([]);
  const www = await follow('http://www.a.test/', {}, SEED);
  expect(www).toMatchObject({
    cause: { code: 'redirect', to: 'http://www.a.test/' },
    widened: ['http://www.a.test/'],
  });
  expect(www.cause).not.toHaveProperty('joins');
  expect(www.taken).toMatchObject([{ url: 'http://www.a.test/', isSeed: true }]);
});

test('a seed that has moved to another site brings that site with it', async () => {
  expect(await follow('http://new.example/', {}, SEED)).toMatchObject({
    cause: { code: 'redirect', to: 'http://new.example/', joins: true },
    taken: [{ isSeed: true }],
    widened: ['http://new.example/'],
  });
  // A page of depth 0 that is no seed has no such right, and neither has what is excluded.
  for (const [record, config] of [
    [recordOf(`${ORIGIN}/`, { depth: 0 }), {}],
    [recordOf(`${ORIGIN}/`, { level: MAX_LEVEL }), {}],
    [SEED, { exclude: ['new\\.example'] }],
    [recordOf(`${ORIGIN}/s.xml`, { depth: 0, level: MAX_LEVEL, kind: 'sitemap' }), {}],
  ] as const) {
    const { taken, widened } = await follow(
      'http://new.example/',
      { config: { ...config } as CrawlOptions },
      record,
    );
    expect([taken[0]?.isSeed, widened]).toEqual([false, []]);
  }
});

test('with the scope `page` a seed’s target is a seed, and the scope stays', async () => {
  const { taken, widened } = await follow('http://www.a.test/', { config: { scope: 'page' } }, SEED);
  expect(taken).toMatchObject([{ isSeed: true }]);
  expect(widened).toEqual([]);
});

test('where the crawl’s record has no room for another seed, the target is left out', async () => {
  expect(await follow('http://www.a.test/', { hasRoom: false }, SEED)).toMatchObject({
    cause: { code: 'redirect', to: 'http://www.a.test/', notFollowed: 'scopeFull' },
    taken: [],
    skipped: [`scope http://www.a.test/ ${ORIGIN}/`],
  });
});

test('a sitemap that leads to another site is not followed', async () => {
  const map = recordOf(`${ORIGIN}/s.xml`, { kind: 'sitemap' });
  expect((await follow('/t.xml', {}, map)).taken).toMatchObject([{ kind: 'sitemap' }]);
  expect(await follow('/t.xml', { isOwnSitemap: false }, map)).toMatchObject({
    cause: { notFollowed: 'otherSite', to: `${ORIGIN}/t.xml` },
    taken: [],
    skipped: [`scope ${ORIGIN}/t.xml ${map.url}`],
  });
  expect((await follow('/t', { isOwnSitemap: false })).taken).toHaveLength(1);
});

test('a redirect of a request of the project is a request; its secrets stay at its host', async () => {
  const request = { method: 'POST', body: 'x', headers: { authorization: 'secret' }, label: 'l' };
  const record = recordOf(PAGE, { depth: 3, level: 4, redirects: 1 });
  const same = await follow('/next', {}, record, request, 307);
  expect(same.cause).toEqual({ code: 'redirect', to: `${ORIGIN}/next` });
  expect(same.taken).toMatchObject([
    { url: requestUrl(`${ORIGIN}/next`, request), depth: 3, level: 4, via: PAGE, redirects: 2 },
  ]);
  const other = await follow('http://b.test/', {}, record, request, 307);
  expect(other).toMatchObject({
    cause: { code: 'redirect', to: 'http://b.test/', notFollowed: 'otherHost' },
    taken: [],
    skipped: [`scope http://b.test/ ${PAGE}`],
  });
  const asGet = await follow('http://b.test/', {}, record, request, 302);
  expect(asGet.taken).toMatchObject([{ url: requestUrl('http://b.test/', { label: 'l' }) }]);
  const seeOther = await follow('/next', {}, record, request, 303);
  expect(seeOther.taken).toMatchObject([
    { url: requestUrl(`${ORIGIN}/next`, { headers: { authorization: 'secret' }, label: 'l' }) },
  ]);
  expect(await follow('/next', { config: { maxRedirects: 1 } }, record, request)).toMatchObject({
    cause: { notFollowed: 'redirects', redirects: 2 },
    taken: [],
    skipped: [`redirects ${ORIGIN}/next ${PAGE}`],
  });
  expect(await follow('mailto:x', {}, record, request)).toMatchObject({ cause: { code: 'redirectToNoUrl' } });
});

test('a meta refresh sends its reader on if it does so at once, and to another URL', () => {
  const target = (
    facts: Partial<DocumentFacts>,
    config: CrawlOptions = {},
    record: UrlRecord = recordOf(PAGE),
  ) => open({ config }).redirects.softTarget(record, facts as DocumentFacts);
  expect(target({ refresh: `${ORIGIN}/next` })).toBe(`${ORIGIN}/next`);
  expect(target({ refresh: `${ORIGIN}/next`, refreshMs: 5000 })).toBe(`${ORIGIN}/next`);
  expect(target({ refresh: `${ORIGIN}/next`, refreshMs: 5001 })).toBeUndefined();
  expect(target({ refresh: PAGE, refreshMs: 0 })).toBeUndefined();
  expect(target({ refresh: 'mailto:x' })).toBeUndefined();
  expect(target({})).toBeUndefined();
  expect(target({ refresh: `${ORIGIN}/next` }, { softRedirects: false })).toBeUndefined();
});

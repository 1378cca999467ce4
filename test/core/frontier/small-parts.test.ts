/** Small parts of the frontier: what links mean for a scope, a budget and a domain, and which parts a head names. */
import { expect, test } from 'vitest';
import { InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { createScope } from '../../../shared/core/crawl/scope.ts';
import { type Head, NEW_HEAD } from '../../../shared/core/frontier/head.ts';
import { partsOf } from '../../../shared/core/frontier/head-parts.ts';
import { importanceOf } from '../../../shared/core/frontier/importance-of.ts';
import { sketchOf } from '../../../shared/core/frontier/linker-sketch.ts';
import { linkersOf } from '../../../shared/core/frontier/linkers-of.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import { reasonAgainst } from '../../../shared/core/frontier/reason-against.ts';
import { budgetPerDay, knownPages } from '../../../shared/core/frontier/recrawl-budget.ts';
import { canonicalSitemaps, seedLinks } from '../../../shared/core/frontier/seed-links.ts';
import {
  countUrls,
  isAnswered,
  isRefetch,
  URL_STATES,
  type UrlRecord,
} from '../../../shared/core/frontier/url-record.ts';
import { requestUrl } from '../../../shared/core/url/request-url.ts';

test('a page must lie within the scope; seeds, parts of pages, sitemaps and own requests need only not be excluded', () => {
  const scope = createScope(
    parseConfig({ scope: 'host', maxUrlLength: 60, maxDepth: 3, exclude: ['/secret'] }),
    ['http://a.test/'],
  );
  const reasons = (url: string, depth: number) =>
    [{}, { isSeed: true }, { kind: 'requisite' as const }, { kind: 'sitemap' as const }].map((fields) =>
      reasonAgainst(scope, { url, depth, ...fields }),
    );
  expect(reasons('http://a.test/x', 3)).toEqual([undefined, undefined, undefined, undefined]);
  expect(reasons('http://a.test/x', 4)).toEqual(['depth', 'depth', undefined, undefined]);
  expect(reasons('http://b.test/x', 1)).toEqual(['scope', undefined, undefined, undefined]);
  expect(new Set(reasons('http://a.test/secret', 1)).size).toBe(1);
  expect(reasons('http://a.test/secret', 1)[0]).toBe(reasons('http://b.test/secret', 9)[3]);
  const own = requestUrl('http://b.test/', { method: 'POST', body: 'a'.repeat(99) });
  expect(reasons(own, 99)).toEqual([undefined, undefined, undefined, undefined]);
  expect(reasonAgainst(scope, { url: requestUrl('http://b.test/secret', { label: 'x' }), depth: 1 })).toBe(
    reasons('http://a.test/secret', 1)[0],
  );
});

test('a crawl may fetch as many known pages a day as it is set to, or a fifth of them, and one at least', () => {
  const urls = { fetched: 30, redirect: 10, gone: 500, waiting: 500 };
  expect([knownPages(undefined), knownPages({}), knownPages({ redirect: 2 }), knownPages(urls)]).toEqual([
    ...[0, 0, 2, 40],
  ]);
  expect([undefined, {}, { fetched: 5 }, { fetched: 6 }, urls].map((some) => budgetPerDay({}, some))).toEqual(
    [...[1, 1, 1, expect.closeTo(1.2), 8]],
  );
  expect(budgetPerDay({ recrawlPerDay: 0.5 }, urls)).toBe(0.5);
});

test('the domains that link to a host are those of all links to it', () => {
  const link = (linkers?: string): Link => ({ url: 'http://a.test/', depth: 1, ...(linkers && { linkers }) });
  expect([linkersOf([]), linkersOf([link()]), linkersOf([link(), link(sketchOf([1, 2])), link()])]).toEqual([
    ...['', '', sketchOf([1, 2])],
  ]);
  expect(linkersOf([link(sketchOf([3])), link(), link(sketchOf([1]))])).toBe(sketchOf([1, 3]));
});

test('a head names the parts of its ledger and of its robots rules', () => {
  const cursor = { bytes: 0, offset: 0, skip: 0, rank: 0, dueAt: 0 };
  const run = { urls: 1, ready: cursor, later: cursor, doneBytes: 0 };
  const robots = [
    { origin: 'http://a.test' },
    { origin: 'https://a.test', part: 'robots1' },
  ] as never as Head['robots'];
  const ledger = {
    ...NEW_HEAD.ledger,
    segments: ['s1', 's2'],
    runs: [
      { id: 'r3', ...run, again: cursor },
      { id: 'r1', ...run },
    ],
  };
  expect(partsOf({ ledger, robots })).toEqual([
    ...['s1', 's2', 'r3.keys', 'r3.ready', 'r3.later', 'r3.done', 'r3.again'],
    ...['r1.keys', 'r1.ready', 'r1.later', 'r1.done', 'robots1'],
  ]);
  expect(partsOf(NEW_HEAD)).toEqual([]);
});

test('a crawl begins with its seeds and sitemaps', () => {
  expect(seedLinks(['http://a.test/'], ['http://a.test/map'])).toEqual([
    { url: 'http://a.test/', depth: 0, isSeed: true },
    { url: 'http://a.test/map', depth: 0, isSeed: true, kind: 'sitemap' },
  ]);
  expect(seedLinks([], [])).toEqual([]);
  expect(canonicalSitemaps(['HTTP://A.test:80/b', 'http://a.test/b', 'http://a.test/a#x'])).toEqual([
    ...['http://a.test/b', 'http://a.test/a'],
  ]);
  expect(() => canonicalSitemaps(['http://a.test/', 'ftp://a.test/'])).toThrow(
    new InvalidConfig('Expected an http or https URL as a sitemap, got "ftp://a.test/"'),
  );
});

test('the importance of a page follows from its record', () => {
  const of = (fields: Partial<UrlRecord>) =>
    importanceOf({ url: 'http://a.test/', state: 'fetched', depth: 1, level: 2, ...fields } as UrlRecord);
  const recrawl = (fields: object) => ({ recrawl: fields as UrlRecord['recrawl'] });
  expect([
    of({}),
    of({ kind: 'sitemap' }),
    of({ depth: 0, level: MAX_LEVEL }),
    of({ level: 3 }),
    of(recrawl({ newLinks: 32 })),
    of(recrawl({ factor: 140 })),
    of({ depth: 0, level: MAX_LEVEL, ...recrawl({ factor: 116, newLinks: 32 }) }),
  ]).toEqual([4, 128, 32, 8, 8, 8, 18]);
});

test('a URL is answered if a response other than a redirect or a refusal is archived, and again if it will be fetched again', () => {
  const location = { file: 'f', offset: 0, length: 1 };
  const result = { fetchedAt: 1, location };
  expect(URL_STATES.map((state) => isAnswered({ state, result }))).toEqual(
    URL_STATES.map((state) => state !== 'redirect'),
  );
  expect([
    isAnswered({ state: 'fetched', result: { fetchedAt: 1 } }),
    isAnswered({ state: 'fetched' }),
    isAnswered({ state: 'failed', result: { ...result, cause: { code: 'priced', httpStatus: 402 } } }),
  ]).toEqual([...[false, false, false]]);
  expect(URL_STATES.map((state) => [isRefetch({ state, dueAt: 1 }), isRefetch({ state, dueAt: 0 })])).toEqual(
    URL_STATES.map((state) => [state !== 'waiting', false]),
  );
  const counts = Object.fromEntries(URL_STATES.map((state, i) => [state, 10 ** i]));
  expect(countUrls(counts as never)).toBe(1_111_111);
});

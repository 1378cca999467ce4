import { expect, test } from 'vitest';
import { checkSites } from '../../../shared/core/crawl/check-sites.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createHostConfigs } from '../../../shared/core/crawl/host-config.ts';
import { createScope } from '../../../shared/core/crawl/scope.ts';
import {
  encodeSites,
  MAX_SITES,
  replaceSites,
  Sites,
  siteChangesText,
} from '../../../shared/core/crawl/sites.ts';
import { lastDueAt } from '../../../shared/crawler/turn/next-turn.ts';

const once = { recrawl: 'off' } as const;
const nameAt = (index: number) => `line ${index + 1}`;
const sitesOf = (...given: object[]) => new Sites(checkSites(given, nameAt, { recrawl: 'changes' }));

test.each([
  ['example.org', 'https://example.org/'],
  ['www.example.org', 'https://example.org/'],
  ['blog.example.org', 'https://example.org/'],
  ['a.b.example.org', 'https://example.org/'],
  ['shop.example.org', 'https://shop.example.org/'],
  ['de.shop.example.org', 'https://shop.example.org/'],
  ['example.net', 'https://www.example.net/'],
  ['cdn.example.net', 'https://www.example.net/'],
  ['example.com:8080', 'http://example.com:8080/'],
  ['example.com', undefined],
  ['notexample.org', undefined],
  ['org', undefined],
  ['[::1]', undefined],
])('the host %s belongs to the site %s', (host, url) => {
  const sites = sitesOf(
    { url: 'example.org' },
    { url: 'https://shop.example.org/' },
    { url: 'https://www.example.net/' },
    { url: 'http://example.com:8080/' },
  );
  expect(sites.of(host)?.url).toBe(url);
});

test('a site has its own settings after the overrides, and hosts with the same settings share them', () => {
  const sites = sitesOf(
    { url: 'a.test', delayMs: 5000 },
    { url: 'b.test', delayMs: 5000 },
    { url: 'c.test', group: 'x' },
  );
  const config = parseConfig({ overrides: [{ hosts: ['*.test'], delayMs: 2000, maxDepth: 3 }] });
  const configOf = createHostConfigs(config, sites);
  expect(configOf('www.a.test').delayMs).toBe(5000);
  expect(configOf('c.test').delayMs).toBe(2000);
  expect(configOf('other.example')).toBe(config);
  expect(configOf('b.test')).toBe(configOf('a.test'));
  const plain = createHostConfigs(parseConfig({}), sites);
  expect(plain('c.test')).toBe(plain('other.example'));
});

test('a site with times of its own does not keep those of the crawl', () => {
  const sites = sitesOf({ url: 'a.test', recrawlEveryMs: 3_600_000 }, { url: 'b.test' });
  const configOf = createHostConfigs(parseConfig({ recrawlSchedule: '@daily' }), sites);
  expect(configOf('a.test')).toMatchObject({ recrawlEveryMs: 3_600_000, recrawlSchedule: undefined });
  expect(configOf('b.test')).toMatchObject({ recrawlSchedule: '@daily' });
});

test('the scope is drawn around the sites, with or without www., and a site adds its patterns', () => {
  const sites = sitesOf({ url: 'a.test', exclude: ['/private/'], maxDepth: 1 }, { url: 'www.b.test' });
  const scope = createScope(parseConfig({ scope: 'host' }), ['https://seed.test/'], sites);
  const check = (url: string, depth = 1) => scope.check(url, depth);
  expect(check('https://a.test/x')).toBeUndefined();
  expect(check('https://www.a.test/x')).toBeUndefined();
  expect(check('https://b.test/x', 9)).toBeUndefined();
  expect(check('https://seed.test/x')).toBeUndefined();
  expect(check('https://a.test/private/x')).toBe('exclude');
  expect(check('https://b.test/private/x')).toBeUndefined();
  expect(check('https://a.test/x', 2)).toBe('depth');
  expect(check('https://c.a.test/x')).toBe('scope');
  expect(scope.hasHost('www.a.test')).toBe(true);
  const removed = new Sites([{ url: 'https://a.test/', isRemoved: true }]);
  expect(createScope(parseConfig({}), [], removed).check('https://a.test/', 1)).toBe('scope');
});

test('a host of a slow site, or one with hours, is due as late as it may be', () => {
  const config = parseConfig({});
  const now = Date.UTC(2026, 0, 5, 12);
  const plain = lastDueAt(config, now);
  expect(lastDueAt(config, now, sitesOf({ url: 'a.test', group: 'x' }))).toBe(plain);
  expect(lastDueAt(config, now, sitesOf({ url: 'a.test', delayMs: 86_400_000 }))).toBeGreaterThan(
    now + 86_400_000,
  );
  expect(lastDueAt(config, now, sitesOf({ url: 'a.test', days: 'sun' }))).toBeGreaterThan(
    now + 5 * 86_400_000,
  );
});

test.each<[why: string, given: readonly object[], message: RegExp]>([
  ['no site', [], /at least one site/],
  ['no URL', [{ url: 'a.test' }, { url: '/x' }], /^line 2: Expected an http or https URL, got "\/x"$/],
  [
    'an unknown key',
    [{ url: 'a.test', colour: 2 }],
    /^line 1: Unknown key colour in a site; there are delayMs, /,
  ],
  [
    'a wrong value',
    [{ url: 'a.test', delayMs: 'x' }],
    /^line 1: Expected delayMs to be of type number \(milliseconds\), got "x"/,
  ],
  ['a group that is none', [{ url: 'a.test', group: 'a b' }], /^line 1: Expected group /],
  [
    'two lines of a site',
    [{ url: 'a.test' }, { url: 'http://www.a.test/x' }],
    /^line 2: www.a.test is the site of line 1$/,
  ],
  [
    'times in a crawl without',
    [{ url: 'a.test', recrawlEveryMs: 60_000 }],
    /^line 1: a site has times of its own only/,
  ],
  [
    'several faults',
    [{ url: '' }, { url: 'a.test' }, ...Array.from({ length: 12 }, () => ({ url: '' }))],
    /^line 1: .*\. At fault too: line 3, line 4, .*line 12, 2 more$/,
  ],
  [
    'too many',
    Array.from({ length: MAX_SITES + 1 }, (_, i) => ({ url: `s${i}.test` })),
    /at most 15000 sites/,
  ],
])('a list with %s is refused', (_, given, message) => {
  expect(() => checkSites(given, nameAt, once)).toThrow(message);
});

test('15,000 sites with settings are found in constant time, and take less than 350 KB', async () => {
  const { gzipSync } = await import('node:zlib');
  const given = Array.from({ length: MAX_SITES }, (_, i) => ({
    url: `https://www.s${(i * 2_654_435_761) % 2 ** 32}.example/`,
    delayMs: 1000 + (i % 7) * 500,
    group: `g${i % 40}`,
  }));
  const list = checkSites(given, nameAt, once);
  const sites = new Sites(list);
  expect(sites.of(`s${2_654_435_761 % 2 ** 32}.example`)?.delayMs).toBe(1500);
  expect(gzipSync(encodeSites(list).json).length).toBeLessThan(350 * 1024);
});

test('a new list says what it changes, and keeps the sites that were removed as such', () => {
  const before = checkSites(
    [{ url: 'a.test', delayMs: 1, group: 'g' }, { url: 'b.test' }, { url: 'c.test' }],
    nameAt,
    once,
  );
  const next = checkSites(
    [{ url: 'd.test' }, { url: 'a.test', group: 'g', delayMs: 1 }, { url: 'b.test', delayMs: 9 }],
    nameAt,
    once,
  );
  const { sites, changes } = replaceSites(before, next);
  expect(changes).toEqual({ added: ['d.test'], changed: ['b.test'], removed: ['c.test'] });
  expect(siteChangesText(changes)).toBe('Sites: 1 added, 1 changed, 1 removed; not visited any more: c.test');
  expect(new Sites(sites).of('c.test')?.isRemoved).toBe(true);
  expect(new Sites(sites).urls).toEqual(next.map(({ url }) => url));
  expect(encodeSites(sites).ref.count).toBe(3);
  expect(replaceSites(sites, next).changes).toEqual({ added: [], changed: [], removed: [] });
  expect(replaceSites(sites, before).changes).toEqual({
    added: ['c.test'],
    changed: ['b.test'],
    removed: ['d.test'],
  });
  expect(siteChangesText(replaceSites(sites, next).changes)).toBe('Sites: nothing has changed');
});

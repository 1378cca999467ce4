import { expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import type { Link } from '../../../../shared/core/frontier/message.ts';
import type { HtmlLink } from '../../../../shared/core/parser/link-set.ts';
import type { LinkIntake } from '../../../../shared/crawler/turn/links/link-intake.ts';
import { SitemapLinks } from '../../../../shared/crawler/turn/links/sitemap-links.ts';
import { SitemapPace } from '../../../../shared/crawler/turn/pace/sitemap-pace.ts';
import { T0 } from '../../worker/fake-clock.ts';
import { crawlOfTurn, ORIGIN, recordOf } from '../turn-fakes.ts';

const DAY = 86_400_000;
const MAP = `${ORIGIN}/map.xml`;

function open(config: CrawlOptions = {}, seeds?: readonly string[]) {
  const taken: Link[] = [];
  const skipped: string[] = [];
  const intake = {
    take(link: Link, now: number) {
      expect(now).toBe(T0);
      taken.push(link);
      return true;
    },
    skip({ url, via }: Link, reason: string) {
      skipped.push(`${reason} ${url} ${via}`);
      return false;
    },
  } as unknown as LinkIntake;
  const links = new SitemapLinks(crawlOfTurn({ config, ...(seeds && { seeds }) }), intake);
  const urls = () => taken.map(({ url }) => url);
  return { links, taken, skipped, urls };
}

const entry = (fields: Partial<HtmlLink>) => ({ url: `${ORIGIN}/p`, kind: 'url', ...fields }) as HtmlLink;

test('the sitemaps that robots.txt names are taken in as such, also relative ones', () => {
  const { links, taken, skipped } = open();
  links.takeNamed(ORIGIN, [MAP, '/b.xml', 'http://other.test/c.xml', 'mailto:x'], T0);
  const via = `${ORIGIN}/robots.txt`;
  expect(taken).toMatchObject([
    { url: MAP, depth: 0, via, kind: 'sitemap' },
    { url: `${ORIGIN}/b.xml`, depth: 0, via, kind: 'sitemap' },
  ]);
  expect(skipped).toEqual([`scope http://other.test/c.xml ${via}`, `badUrl mailto:x ${via}`]);
});

test('the well-known sitemap is tried only where none is named, and if it is to be found', () => {
  const named = (config: CrawlOptions, list: string[] = []) => {
    const { links, urls } = open(config);
    links.takeNamed(ORIGIN, list, T0);
    return urls();
  };
  expect(named({ sitemaps: 'find' })).toEqual([`${ORIGIN}/sitemap.xml`]);
  expect(named({ sitemaps: 'find' }, [MAP])).toEqual([MAP]);
  expect(named({ sitemaps: 'robots' })).toEqual([]);
  expect(named({ sitemaps: 'robots' }, [MAP])).toEqual([MAP]);
  expect(named({ sitemaps: 'off' }, [MAP])).toEqual([]);
  expect(named({ scope: 'page' }, [MAP])).toEqual([]);
  expect(named({ maxDepth: 0 }, [MAP])).toEqual([]);
  expect(named({ maxDepth: 0, sitemaps: 'find' }, [MAP])).toEqual([MAP]);
  expect(named({ maxDepth: 1 }, [MAP])).toEqual([MAP]);
});

test('a host that is visited only for parts of pages gives no sitemaps', () => {
  const { links, taken } = open({}, ['http://elsewhere.test/']);
  links.takeNamed(ORIGIN, [MAP], T0);
  expect(taken).toEqual([]);
});

test('of one robots.txt a hundred sitemaps are taken in', () => {
  const { links, urls } = open();
  links.takeNamed(
    ORIGIN,
    Array.from({ length: 120 }, (_, i) => `/${i}.xml`),
    T0,
  );
  expect(urls()).toHaveLength(100);
  expect(urls().at(-1)).toBe(`${ORIGIN}/99.xml`);
});

test('a sitemap is its own site’s, or at a host of the crawl', () => {
  const { links } = open({}, [`${ORIGIN}/`, 'http://b.test/']);
  expect(links.isOwn('http://maps.example.org/m.xml', 'http://www.example.org/robots.txt')).toBe(true);
  expect(links.isOwn('http://b.test/m.xml', ORIGIN)).toBe(true);
  expect(links.isOwn('http://c.test/m.xml', 'http://d.test/')).toBe(false);
  expect(links.isOwn('http://c.test/m.xml', ORIGIN)).toBe(false);
});

test('an entry is a link of depth 1 from a sitemap, and one hop from a page of the crawl', () => {
  const { links, taken } = open();
  expect(links.takeEntry(recordOf(MAP, { kind: 'sitemap', depth: 2 }), entry({}), T0)).toBe(true);
  links.takeEntry(recordOf(MAP, { depth: 2 }), entry({}), T0);
  expect(taken).toMatchObject([
    { url: `${ORIGIN}/p`, depth: 1, via: MAP, kind: undefined },
    { depth: 3, via: MAP },
  ]);
});

test('an entry counts by its priority and by how recently it changed', () => {
  const level = (fields: Partial<HtmlLink>) => {
    const { links, taken } = open();
    links.takeEntry(recordOf(MAP, { kind: 'sitemap' }), entry(fields), T0);
    return taken[0]?.level;
  };
  expect(level({})).toBe(0);
  expect(level({ priority: 1 })).toBe(5);
  expect(level({ priority: 0.5 })).toBe(3);
  expect(level({ priority: 0.3 })).toBe(2);
  expect(level({ modifiedAt: T0 - 7 * DAY })).toBe(2);
  expect(level({ modifiedAt: T0 - 7 * DAY - 1 })).toBe(1);
  expect(level({ modifiedAt: T0 - 60 * DAY })).toBe(1);
  expect(level({ modifiedAt: T0 - 60 * DAY - 1 })).toBe(0);
  expect(level({ modifiedAt: T0, priority: 1 })).toBe(7);
});

test('entries that did not change since then are left out; those that do not say when are taken', () => {
  const { links, taken, skipped } = open({ modifiedSince: '2025-06-01T00:00:00Z' });
  const since = Date.UTC(2025, 5, 1);
  const map = recordOf(MAP, { kind: 'sitemap' });
  expect(links.takeEntry(map, entry({ modifiedAt: since - 1 }), T0)).toBe(false);
  expect(links.takeEntry(map, entry({ modifiedAt: since }), T0)).toBe(true);
  expect(links.takeEntry(map, entry({}), T0)).toBe(true);
  // A date before 1970 is before all others.
  expect(links.takeEntry(map, entry({ modifiedAt: -1 }), T0)).toBe(false);
  expect(open().links.takeEntry(map, entry({ modifiedAt: -1 }), T0)).toBe(true);
  expect(taken).toHaveLength(2);
  expect(skipped.slice(0, 1)).toEqual([`notModified ${ORIGIN}/p ${MAP}`]);
});

test('sitemaps of sitemaps are read three deep, and only those of the site', () => {
  const { links, taken, skipped } = open();
  const nested = entry({ kind: 'sitemap' });
  expect(links.takeEntry(recordOf(MAP, { kind: 'sitemap', depth: 0 }), nested, T0)).toBe(true);
  expect(links.takeEntry(recordOf(MAP, { kind: 'sitemap', depth: 2 }), nested, T0)).toBe(true);
  expect(links.takeEntry(recordOf(MAP, { kind: 'sitemap', depth: 3 }), nested, T0)).toBe(false);
  expect(links.takeEntry(recordOf(MAP, { depth: 9 }), nested, T0)).toBe(true);
  const foreign = entry({ kind: 'sitemap', url: 'http://other.test/m.xml' });
  expect(links.takeEntry(recordOf(MAP, { kind: 'sitemap', depth: 0 }), foreign, T0)).toBe(false);
  expect(taken.every(({ url }) => url === `${ORIGIN}/p`)).toBe(true);
  expect(taken.map(({ depth, kind, via }) => [depth, kind, via])).toEqual([
    [1, 'sitemap', MAP],
    [3, 'sitemap', MAP],
    [1, 'sitemap', MAP],
  ]);
  expect(skipped).toEqual([`sitemapNesting ${ORIGIN}/p ${MAP}`, `scope http://other.test/m.xml ${MAP}`]);
});

test('a sitemap comes first, then after ten other requests, and not while very many URLs wait', () => {
  const pace = new SitemapPace();
  expect(pace.isNext(0)).toBe(true);
  expect(pace.isNext(99_999)).toBe(true);
  expect(pace.isNext(100_000)).toBe(false);
  pace.countRequest(false);
  expect(pace.isNext(0)).toBe(true);
  pace.countRequest(true);
  for (let i = 0; i < 10; i++) {
    expect(pace.isNext(0)).toBe(false);
    pace.countRequest(false);
  }
  expect(pace.isNext(0)).toBe(true);
});

test('a host has as many sitemaps as the configuration says, over all its turns', () => {
  const pace = new SitemapPace();
  expect(pace.state()).toBeUndefined();
  expect(new SitemapPace({ known: 1, rest: 0 }).state()).toEqual({ known: 1, rest: 0 });
  expect([pace.admit(2), pace.admit(2), pace.admit(2)]).toEqual([true, true, false]);
  pace.countRequest(true);
  pace.countRequest(false);
  expect(pace.state()).toEqual({ known: 2, rest: 9 });
  const later = new SitemapPace(pace.state());
  expect(later.isNext(0)).toBe(false);
  expect([later.admit(2), later.admit(3), later.state()]).toEqual([false, true, { known: 3, rest: 9 }]);
});

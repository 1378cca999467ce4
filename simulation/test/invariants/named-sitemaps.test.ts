import { describe, expect, test } from 'vitest';
import { levelOf, MAX_LEVEL } from '../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import type { Facts } from '../../invariants/facts.ts';
import {
  crawlFacts,
  HOME,
  LOG,
  makeFacts,
  PAGE,
  RECORDS,
  ROBOTS,
  request,
  urlRecord,
  violationsOf,
} from './made-facts.ts';

const MAP = 'http://a.test/map.xml';
const FOREIGN = 'http://c.test/map.xml';

const sitemap = (url: string, more: Partial<UrlRecord> = {}): UrlRecord =>
  urlRecord(url, 'fetched', 200, {
    kind: 'sitemap',
    depth: 0,
    level: levelOf(url, ROBOTS),
    via: ROBOTS,
    ...more,
  });

interface Made {
  readonly records?: readonly UrlRecord[];
  readonly config?: object;
  readonly named?: readonly string[];
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly indexes?: readonly string[];
  /** When the page was modified, as the sitemap says. */
  readonly modified?: string;
}

function facts({ records = [], config, named = [MAP], lists = {}, indexes = [], modified }: Made): Facts {
  const all = [...RECORDS, ...records];
  const log = [...LOG, ...records.map(({ url }, i) => request(url, 20 + 4 * i, 20.1 + 4 * i))];
  const made = makeFacts({ log, crawls: [crawlFacts(all, { config })] });
  return {
    ...made,
    web: {
      ...made.web,
      sitemapsNamedIn: (url) => (url === ROBOTS ? named : []),
      linksOf: (url) => lists[url] ?? made.web.linksOf(url),
      isIndex: (url) => indexes.includes(url),
      priorityIn: (url) => (url === MAP ? 1 : undefined),
      modifiedIn: (url) => (url === MAP && modified ? Date.parse(modified) : undefined),
    },
  };
}

const lost = (made: Made) => violationsOf('nothingLost', facts(made));

describe('nothingLost', () => {
  test('a sitemap that robots.txt names must be known, unless the crawl reads none', () => {
    expect(lost({})).toEqual([
      `nothingLost: crawl: ${ROBOTS} leads to the sitemap ${MAP}, which is not known`,
    ]);
    expect(lost({ records: [sitemap(MAP)] })).toEqual([]);
    for (const config of [{ sitemaps: 'off' }, { exclude: ['map'] }, { robots: 'ignore' }])
      expect(lost({ config, named: 'robots' in config ? [] : [MAP] })).toEqual([]);
  });

  test('one of another site is read only where the scope contains its host', () => {
    const made = { named: [FOREIGN], config: { scope: 'host' } };
    expect(lost({ ...made, named: [] })).toEqual(lost(made));
    expect(lost({ ...made, records: [sitemap(FOREIGN)] })).toContainEqual(
      expect.stringContaining(`${FOREIGN} is known`),
    );
    expect(lost({ named: [FOREIGN] })).toEqual([
      `nothingLost: crawl: ${ROBOTS} leads to the sitemap ${FOREIGN}, which is not known`,
    ]);
  });

  test('a sitemap that the crawl is given must be known, wherever it is, and whatever else it reads', () => {
    const given = { named: [], config: { sitemapUrls: [FOREIGN], sitemaps: 'off', scope: 'host' } };
    const foreign = sitemap(FOREIGN, { level: MAX_LEVEL, via: undefined });
    expect(lost(given)).toContainEqual(expect.stringContaining(`the sitemap ${FOREIGN}, which is not known`));
    const others = lost({ ...given, config: { ...given.config, sitemapUrls: [] } });
    expect(lost({ ...given, records: [foreign] })).toEqual(others);
    expect(violationsOf('depthTrue', facts({ ...given, records: [foreign] }))).toEqual([]);
  });

  test('a page that its sitemap calls too old for the crawl must not be known by that alone', () => {
    const listed = { lists: { [MAP]: ['http://a.test/old-page'] }, modified: '2024-01-01' };
    const since = { config: { modifiedSince: '2024-01-02' } };
    const page = urlRecord('http://a.test/old-page', 'fetched', 200, { via: MAP });
    const isLost = expect.stringContaining('old-page, which is not known');
    expect(lost({ ...listed, records: [sitemap(MAP)] })).toEqual([isLost]);
    expect(lost({ ...listed, ...since, records: [sitemap(MAP)] })).toEqual([]);
    expect(lost({ ...listed, config: { modifiedSince: '2024-01-01' }, records: [sitemap(MAP)] })).toEqual([
      isLost,
    ]);
    expect(lost({ ...listed, ...since, records: [sitemap(MAP), page] })).toEqual([
      expect.stringContaining('modified too long ago'),
    ]);
    expect(lost({ ...listed, records: [sitemap(MAP), page] })).toEqual([]);
  });

  test('a sitemap that nothing names, and one of a crawl that reads none, must not be known', () => {
    expect(lost({ named: [], records: [sitemap(MAP)] })).toEqual([
      expect.stringMatching(`${MAP} is known .*but is no seed and on no page`),
    ]);
    expect(lost({ config: { sitemaps: 'off' }, records: [sitemap(MAP)] })).toHaveLength(1);
  });

  test('where robots.txt names none, the well-known one is asked for if the crawl is to find it', () => {
    const config = { sitemaps: 'find' };
    const both = ['http://a.test/sitemap.xml', 'http://b.test/sitemap.xml'];
    expect(lost({ config, named: [] })).toHaveLength(2);
    expect(lost({ config, named: [], records: both.map((url) => sitemap(url)) })).toEqual([]);
  });

  test("those of another host's robots.txt are that host's to read, if it is of the crawl", () => {
    const MOVED = 'http://b.test/robots.txt';
    const moved = (config: object, records: readonly UrlRecord[] = []) => {
      const made = facts({ config, records });
      const log = made.web.log.flatMap((one) => {
        if (one.url === MOVED) return [];
        if (one.url !== ROBOTS) return [one];
        return [request(ROBOTS, 0, 0.1, { httpStatus: 301 }), request(MOVED, 0.2, 0.3)];
      });
      const web = {
        ...made.web,
        log,
        redirectOf: (url: string) => (url === ROBOTS ? MOVED : made.web.redirectOf(url)),
        sitemapsNamedIn: (url: string) => (url === MOVED ? [MAP] : []),
      };
      return violationsOf('nothingLost', { ...made, web });
    };
    const missing = expect.stringContaining(`leads to the sitemap ${MAP}`);
    // b.test has read it for itself.
    expect(moved({})).toEqual([expect.stringContaining(`${MOVED} leads to the sitemap ${MAP}`)]);
    expect(moved({ scope: 'host' })).toContainEqual(missing);
    expect(moved({}, [sitemap(MAP)])).toEqual([]);
  });

  test('what a sitemap lists must be known, as if the root linked to it', () => {
    const lists = { [MAP]: [PAGE, 'http://a.test/more'] };
    expect(lost({ records: [sitemap(MAP)], lists })).toEqual([
      `nothingLost: crawl: ${MAP} (fetched, depth 0) links to http://a.test/more, which is not known`,
    ]);
    expect(lost({ records: [sitemap(MAP, { depth: 3 })], lists, config: { maxDepth: 3 } })).toHaveLength(1);
  });

  test('indexes within an index are followed three times', () => {
    const names = ['one', 'two', 'three', 'four'].map((name) => `http://a.test/${name}.xml`);
    const lists = Object.fromEntries(names.map((url, i) => [url, names.slice(i + 1, i + 2)]));
    lists[MAP] = names.slice(0, 1);
    const nested = names.map((url, i) =>
      sitemap(url, { depth: i + 1, via: names[i - 1] ?? MAP, level: levelOf(url, names[i - 1] ?? MAP) }),
    );
    const made = { lists, indexes: [MAP, ...names] };
    expect(lost({ ...made, records: [sitemap(MAP), ...nested.slice(0, 2)] })).toEqual([
      `nothingLost: crawl: ${names[1]} leads to the sitemap ${names[2]}, which is not known`,
    ]);
    expect(lost({ ...made, records: [sitemap(MAP), ...nested.slice(0, 3)] })).toEqual([]);
    expect(lost({ ...made, records: [sitemap(MAP), ...nested] })).toHaveLength(1);
  });
});

describe('depthTrue', () => {
  const more = 'http://a.test/more';
  const entry = (depth: number, level: number) => urlRecord(more, 'fetched', 200, { depth, level, via: MAP });
  const wrong = (record: UrlRecord, map = sitemap(MAP)) =>
    violationsOf('depthTrue', facts({ records: [map, record], lists: { [MAP]: [more] } }));

  test('an entry has depth 1, and at most the level of its priority', () => {
    expect(wrong(entry(1, 5))).toEqual([]);
    expect(wrong(entry(2, 5)).length).toBeGreaterThan(0);
    expect(wrong(entry(1, MAX_LEVEL))).toEqual([
      expect.stringMatching(`${more} has level 7, its sources give it 5`),
    ]);
  });

  test('a sitemap of robots.txt has depth 0', () => {
    expect(wrong(entry(1, 5), sitemap(MAP, { depth: 1 }))).toEqual([
      expect.stringMatching(`${MAP} has depth 1, its sources give it 0`),
    ]);
  });
});

test('bestFirst: a page that a sitemap has listed comes before one of a later rank', () => {
  const [more, last] = ['http://a.test/more', 'http://a.test/last'];
  const records = [
    sitemap(MAP),
    urlRecord(last, 'fetched', 200, { depth: 3, level: 0, via: PAGE }),
    urlRecord(more, 'fetched', 200, { depth: 1, level: 5, via: MAP }),
  ];
  const found = (order: readonly UrlRecord[]) => {
    const made = facts({ records: order, lists: { [MAP]: [more], [PAGE]: [last] } });
    const crawls = made.crawls.map((crawl) => ({
      ...crawl,
      hosts: new Map(
        [...crawl.hosts].map(([host, own]) => {
          const requests = made.web.log.filter((one) => one.host === host).length;
          const head = { ...own.head, totals: { ...own.head.totals, requests } };
          return [host, { ...own, head, heads: [{ at: 0, head }] }] as const;
        }),
      ),
    }));
    return violationsOf('bestFirst', { ...made, crawls });
  };
  expect(found(records)).toEqual([expect.stringMatching(`${last} .*before ${more}`)]);
  expect(found([records[0], records[2], records[1]] as UrlRecord[])).toEqual([]);
});

test('a feed that pages name as their alternate is known only to crawls that follow feeds', () => {
  const FEED = 'http://a.test/feed.xml';
  const found = (feeds: boolean, isKnown: boolean) => {
    const records = isKnown ? [...RECORDS, urlRecord(FEED, 'fetched', 200)] : RECORDS;
    const log = isKnown ? [...LOG, request(FEED, 20, 20.1)] : LOG;
    const { web, ...made } = makeFacts({ log, crawls: [crawlFacts(records, { config: { feeds } })] });
    const linksOf = (url: string) => (url === HOME ? [...web.linksOf(url), FEED] : web.linksOf(url));
    const withFeed = { ...web, linksOf, isAlternateFeed: (url: string) => url === FEED };
    return violationsOf('nothingLost', { ...made, web: withFeed });
  };
  expect([found(true, true), found(false, false)]).toEqual([[], []]);
  expect(found(true, false)).toEqual([
    `nothingLost: crawl: ${HOME} (fetched, depth 0) links to ${FEED}, which is not known`,
  ]);
  expect(found(false, true)).toEqual([
    `nothingLost: crawl: ${FEED} is known, and is a feed, which the crawl leaves out`,
  ]);
});
